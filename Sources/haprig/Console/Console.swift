import Bench
import Calibration
import Devices
private import Glibc
import JSONText
import Reporting
import Synchronization
import Workflows

/// The version of the program and of what it writes.
enum Version {
  static let text = "0.1.0"
}

/// What a person reads as text and a program as JSON.
protocol Listing {
  var text: String { get }
  var json: JSONValue { get }
}

extension Certificate: Listing {}
extension CheckTable: Listing {}

/// Text to a person: results on standard output, everything else on standard error.
enum Console {
  static func error(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  static func out(_ text: String) { write(text, to: STDOUT_FILENO) }

  static func out(_ json: JSONValue, sortedKeys: Bool = false) {
    out(json.text(indent: 1, sortedKeys: sortedKeys) + "\n")
  }

  /// Writes a listing to standard output as it is asked for.
  static func out(_ listing: some Listing, asJSON: Bool, sortedKeys: Bool = false) {
    asJSON ? out(listing.json, sortedKeys: sortedKeys) : out(listing.text)
  }

  /// Tells on standard error what was found wrong and stopped nothing.
  static func warn(_ problems: [some Any], _ prefix: String = "") {
    for problem in problems { error("haprig: \(prefix)\("\(problem)".printable)") }
  }

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

  func step(_ text: String) {
    guard !isQuiet, !isTerminal else { return }
    Console.error(text)
  }

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

extension RigOperator {
  /// The person at this terminal.
  ///
  /// - Parameters:
  ///   - isQuiet: Whether no progress is shown; what goes wrong and what is asked for is.
  ///   - listens: Whether Ctrl-C and its like ask the workflow to stop, as one that plays needs; else they end
  ///     the program at once.
  /// - Returns: The operator.
  static func terminal(isQuiet: Bool = false, listens: Bool = true) -> RigOperator {
    if listens { Interruption.listen() }
    let display = OperatorDisplay(isQuiet: isQuiet)
    return RigOperator(
      version: Version.text, stop: Interruption.signal, listener: { display.show($0) },
      hands: { display.ask($0) })
  }
}

/// What a person at a terminal sees of a workflow, and answers.
private final class OperatorDisplay: Sendable {
  private struct RunState {
    var began = Host.seconds
    var take = 0
  }

  private let isQuiet: Bool
  private let line: ProgressLine
  private let run = Mutex<RunState?>(nil)
  private let input = Mutex(LineInput(stop: Interruption.signal))

  init(isQuiet: Bool) {
    self.isQuiet = isQuiet
    line = ProgressLine(isQuiet: isQuiet)
  }

  func show(_ event: WorkflowEvent) {
    switch event {
    case .notice(let kind, let text): notice(kind, text)
    case .run(let progress, let takes): show(progress, of: takes)
    case .segment(let progress): show(progress)
    case .step(let title, let share): line.show("\(title) \(Int(share * 100)) %")
    case .idle:
      run.withLock { $0 = nil }
      line.clear()
    }
  }

  /// Asks, and waits for a line of standard input, a terminal or not.
  func ask(_ request: String) -> Bool {
    line.clear()
    Console.error(request)
    return input.withLock { $0.next() }
  }

  private func notice(_ kind: WorkflowNotice, _ text: String) {
    guard !isQuiet || kind != .done else { return }
    line.clear()
    let prefix =
      switch kind {
      case .device: "rig: "
      case .warning: "haprig: "
      case .note: "note: "
      case .done, .again, .drive: ""
      }
    Console.error(prefix + text)
  }

  /// Take by take, and how long it still takes.
  private func show(_ progress: PlanRun.Progress, of takes: Int) {
    switch progress {
    case .began(let pattern, let take, let done, _):
      run.withLock {
        if $0 == nil { $0 = RunState() }
        $0?.take = done + 1
      }
      line.show("[\(done + 1)/\(takes)] \(pattern) (take \(take))")
    case .playing(let pattern, let share, let overall):
      guard let state = run.withLock({ $0 }) else { return }
      let rest = RemainingTime.text(elapsed: Host.seconds - state.began, share: overall)
      line.show(
        "[\(state.take)/\(takes)] \(pattern) \(Int(share * 100)) %\(rest.map { ", \($0)" } ?? "")")
    case .measured(let pattern, let take): line.step("measured \(pattern), take \(take)")
    }
  }

  private func show(_ progress: SegmentRun.Progress) {
    switch progress {
    case .playing(let state, let segment, let share):
      let left = Int(max(0, state.remaining - share * segment.duration).rounded(.up))
      let level = (segment.level * 1000).rounded() / 1000
      line.show(
        "[\(state.number)/\(state.total)] \(segment.title), \(level) V peak, "
          + "\(Int(share * 100)) %, \(left) s left")
    case .accepted(_, let segment): line.step("measured \(segment.title)")
    case .resumed(let segment): line.step("kept from before: \(segment.title)")
    case .again(let segment, let reason):
      guard !isQuiet else { return }
      line.clear()
      Console.error("again: \(segment.title): \(reason)")
    }
  }
}
