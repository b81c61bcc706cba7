private import Glibc
import Reporting
import Synchronization
import Workflows

/// Text to a person: results on standard output, everything else on standard error.
enum Console {
  /// Writes a line to standard error.
  static func error(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Writes text to standard output.
  static func out(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Whether a person watches standard error.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether standard output takes colour: a terminal, and NO_COLOR is not set.
  static var hasColour: Bool { isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil }

  fileprivate static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { Glibc.write(descriptor, $0 + written, bytes.count - written) } ?? 0
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      written += count
    }
  }
}

/// One line that is written over on a terminal; a line a step where there is none.
final class ProgressLine: Sendable {
  private let isTerminal = Console.isTerminal
  private let isQuiet: Bool
  private let pace = Mutex(RedrawPace())

  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  /// Shows how far a step is, ten times a second at the most; what comes faster is passed over.
  func show(_ text: String) {
    guard !isQuiet, isTerminal else { return }
    let answer = pace.withLock { pace in
      let answer = pace.show(text, at: Host.seconds)
      if answer == .draw { Self.draw(text) }
      return answer
    }
    guard case .wait(let seconds) = answer else { return }
    Task.detached { [self] in
      try? await Task.sleep(for: .seconds(seconds))
      pace.withLock { pace in
        if let text = pace.due(at: Host.seconds) { Self.draw(text) }
      }
    }
  }

  /// Says that a step is done.
  func step(_ text: String) {
    guard !isQuiet, !isTerminal else { return }
    Console.error(text)
  }

  /// Takes the line away.
  func clear() {
    guard !isQuiet, isTerminal else { return }
    pace.withLock { pace in
      pace.clear()
      Self.draw("")
    }
  }

  private static func draw(_ text: String) {
    Console.write("\r\u{1B}[K\(text)", to: STDERR_FILENO)
  }
}
