// SPDX-License-Identifier: Apache-2.0

import AHAP
import Bench
import Calibration
import Devices
private import Glibc
import HapticClips
import JSONText
import LiveRuns
import Reporting
import RigFiles
import RunArchive
import SoundFiles
import Synchronization
import Workflows

enum Version {
  static let text = "0.1.0"
}

enum Program {
  /// Where this program lies, without links in the way.
  static var path: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    return String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// What a person reads as text and a program as JSON.
protocol Listing {
  var text: String { get }
  var json: JSONValue { get }
}

extension Certificate: Listing {}
extension CheckTable: Listing {}
extension DoctorReport: Listing {}

/// Text to a person: results on standard output, everything else on standard error.
enum Console {
  static func error(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  static func out(_ text: String) { write(text, to: STDOUT_FILENO) }

  static func out(_ json: JSONValue, sortedKeys: Bool = false) {
    out(json.text(indent: 1, sortedKeys: sortedKeys) + "\n")
  }

  static func out(_ listing: some Listing, asJSON: Bool, sortedKeys: Bool = false) {
    asJSON ? out(listing.json, sortedKeys: sortedKeys) : out(listing.text)
  }

  static func warn(_ problems: [some Any], _ prefix: String = "") {
    for problem in problems { error("haprig: \(prefix)\("\(problem)".printable)") }
  }

  /// Words as a person types them in a shell.
  static func command(_ words: [String]) -> String {
    words.map { word in
      let isPlain = word.utf8.allSatisfy { byte in
        switch byte {
        case 0x2B, 0x2C, 0x2D...0x3A, 0x3D, 0x40...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
      }
      guard !isPlain || word.isEmpty else { return word }
      return "'\(word.replacing("'", with: "'\\''"))'"
    }.joined(separator: " ")
  }

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

  func show(_ text: String) {
    guard !isQuiet, isTerminal else { return }
    let answer = pace.withLock { pace in
      let answer = pace.show(text, at: MonotonicClock.seconds)
      if answer == .draw { Self.draw(text) }
      return answer
    }
    guard case .wait(let seconds) = answer else { return }
    Task.detached { [self] in
      try? await Task.sleep(for: .seconds(seconds))
      pace.withLock { pace in
        if let text = pace.due(at: MonotonicClock.seconds) { Self.draw(text) }
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
  /// The person at this terminal, who is shown no progress where it is quiet, and whoever else watches.
  ///
  /// Where it listens, Ctrl-C asks the workflow to stop, as one that plays needs; else it ends the program at
  /// once, and whoever watches is told.
  static func terminal(isQuiet: Bool = false, listens: Bool = true) -> RigOperator {
    listens ? Interruption.listen() : Interruption.endAtOnce()
    let display = OperatorDisplay(isQuiet: isQuiet)
    return RigOperator(
      version: Version.text, stop: Interruption.signal, live: LiveWork.writer,
      listener: { display.show($0) }, hands: { display.answer(to: $0) })
  }
}

/// How the program ends when it does not end well: commands throw whatever went wrong, its code is found here.
struct ExitStatus: Error {
  enum Code: Int32 {
    case failed = 1
    case wrongInput
    /// A device failed, or the machine is at its end: a full disk.
    case deviceFault
    /// The rig, its card or its work is held by another program: the one outcome that is worth another try, and
    /// `EX_TEMPFAIL` to others.
    case held = 75
  }

  /// What was asked about does not hold, and everything was said of it.
  static let failed = ExitStatus(.failed)

  let code: Int32
  let sentence: String?

  init(code: Int32, _ sentence: String? = nil) {
    self.code = code
    self.sentence = sentence
  }

  /// The sentence as a person is told it.
  var message: String? { sentence.map { "haprig: \($0)" } }

  init(_ code: Code, _ sentence: String? = nil) { self.init(code: code.rawValue, sentence) }

  /// The status of a signal that asked to stop, as shells count it.
  static func stopped(by signal: Int32, _ sentence: String) -> ExitStatus {
    ExitStatus(code: 128 + signal, sentence)
  }

  /// The status of an error by its kind; nil for what the argument parser has words for.
  init?(of error: any Error) {
    switch error {
    case let status as ExitStatus: self = status
    case let error as DeviceError:
      if error.code == .interrupted, let signal = error.errno {
        self = .stopped(by: signal, "\(error)")
      } else {
        self.init(error.code == .busy ? .held : .deviceFault, "\(error)")
      }
    case let error as WorkflowError:
      switch error {
      case .stopped(let signal, _): self = .stopped(by: signal, "\(error)")
      case .fault: self.init(.deviceFault, "\(error)")
      case .held: self.init(.held, "\(error)")
      case .ended(let fault, _):
        self.init(code: ExitStatus(of: fault)?.code ?? Code.deviceFault.rawValue, "\(error)")
      }
    case let error as CalibrationRefusal:
      self.init(
        error.code.isOfTheRigFile ? .wrongInput : .deviceFault,
        "\(error) (\(error.code.rawValue))")
    case let error as ArchiveError:
      self.init(error.isOfTheMachine ? .deviceFault : .wrongInput, "\(error)")
    case let error as SoundFileError:
      self.init(error.code == .noRoom ? .deviceFault : .wrongInput, "\(error)")
    case is AHAPError, is HapticClipError, is InputError, is LiveError, is RigFileError:
      self.init(.wrongInput, "\(error)")
    default: return nil
    }
  }
}

/// Ctrl-C, SIGTERM and the loss of the terminal as a request to stop that the running session looks at.
///
/// The first signal asks to stop: the drive goes to zero and the record is finished. Ctrl-C or SIGTERM
/// again ends the program at once. SIGHUP does not: where a shell stands between, the shell and the
/// kernel both tell of one lost terminal.
enum Interruption {
  static let signal = StopSignal()

  static func listen() {
    // Touched here, so that the handler finds it made.
    _ = signal.requested
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = noteSignal
      action.sa_flags = SA_RESTART
      if number != SIGHUP { action.sa_flags |= Int32(bitPattern: UInt32(SA_RESETHAND)) }
      sigaction(number, &action, nil)
    }
  }

  /// Lets a signal end the program at once, as it does by itself, but for this: what works ends its live folder first.
  static func endAtOnce() { _ = end }

  private static let end: Void = {
    listen()
    do throws(DeviceError) {
      try RealtimeThread.detach(name: "signals", priority: nil) {
        while true {
          guard let number = signal.requested else {
            var waiting = pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&waiting, 1, signal.descriptor < 0 ? 100 : -1)
            continue
          }
          LiveWork.writer.finish(status: 128 + number, sentence: "stopped by signal \(number)")
          // Whoever waits for the program sees the signal that ended it.
          Glibc.signal(number, SIG_DFL)
          kill(getpid(), number)
          sleep(1)
          _exit(128 + number)
        }
      }
    } catch {
      // Without the thread the signals do what they did.
      for number in [SIGINT, SIGTERM, SIGHUP] { Glibc.signal(number, SIG_DFL) }
    }
  }()
}

/// A function outside any type: a handler may run on any thread and only sets one atomic number.
private func noteSignal(_ number: Int32) { Interruption.signal.request(number) }

struct LineInput {
  private let stop: StopSignal
  private var buffer = [UInt8](repeating: 0, count: 4096)
  private var unread: Range<Int> = 0..<0
  private var hasEnded = false

  init(stop: StopSignal) { self.stop = stop }

  /// Waits for the end of a line; `nil` where the input has ended instead, or somebody asked to stop.
  ///
  /// The beginning of the line is given back, a few hundred bytes. A last line without an end counts.
  mutating func next() -> String? {
    var text: [UInt8] = []
    while true {
      while let place = unread.first {
        unread = place + 1..<unread.upperBound
        if buffer[place] == UInt8(ascii: "\n") { return String(decoding: text, as: UTF8.self) }
        if text.count < 256 { text.append(buffer[place]) }
      }
      guard !hasEnded else { return text.isEmpty ? nil : String(decoding: text, as: UTF8.self) }
      guard fill() else { return nil }
    }
  }

  private mutating func fill() -> Bool {
    while stop.requested == nil {
      // A negative descriptor is passed over by poll.
      var waiting = [
        pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waiting, 2, stop.descriptor < 0 ? 100 : -1) > 0, waiting[0].revents != 0 else {
        continue
      }
      let count = buffer.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      hasEnded = count <= 0
      unread = 0..<max(0, count)
      return true
    }
    return false
  }
}
