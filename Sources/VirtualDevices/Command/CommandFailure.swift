import Devices
import Glibc

/// Sentences for what goes wrong with a program.
struct CommandFailure {
  private let language: CommandProtocol
  private let log: ProgramLog

  init(_ language: CommandProtocol, _ log: ProgramLog) {
    self.language = language
    self.log = log
  }

  /// The error of a program that could not be started, by the system's error number.
  func notStarted(_ number: Int32) -> DeviceError {
    let (folder, name) = (language.command.folder, language.command.arguments[0])
    guard access(folder, X_OK) == 0 else {
      return DeviceError(
        .notFound, device: language.device,
        message:
          "the folder '\(folder)' that \(language.program) has to start in cannot be entered",
        errno: number)
    }
    let reason = String(cString: strerror(number))
    switch number {
    case ENOENT:
      return DeviceError(
        .notFound, device: language.device,
        message: "the program '\(name)' is not there: name one in PATH, or by its path from "
          + "'\(folder)'", errno: number)
    case EACCES, ENOEXEC:
      return DeviceError(
        .denied, device: language.device,
        message: "the program '\(name)' cannot be started (\(reason)): make it executable",
        errno: number)
    default:
      return DeviceError(
        .refused, device: language.device,
        message: "the program '\(name)' cannot be started: \(reason)", errno: number)
    }
  }

  /// The error of a conversation that stopped at a place, and how the program ended, if it is known.
  func described(
    _ fault: ChildProcess.Fault, _ exit: ChildProcess.Exit?, while place: String
  ) -> DeviceError {
    let last = log.lastLine
    let words = last.isEmpty ? "it wrote nothing to its standard error" : "its last line: \(last)"
    switch fault {
    case .timedOut:
      return DeviceError(
        .stalled, device: language.device,
        message: "the program \(language.program) gave no whole answer for "
          + "\(language.command.timeout) s \(place): look into the program or raise the timeout "
          + "(\(words))")
    case .ended(let received):
      let end = exit.map { "\($0)" } ?? "closed its standard output"
      return DeviceError(
        .ended, device: language.device,
        message: "the program \(language.program) \(end) \(place), after \(received) bytes of it "
          + "(\(words))")
    case .flooded:
      return DeviceError(
        .garbled, device: language.device,
        message: "the program \(language.program) says far more than it was asked for \(place): it "
          + "has to answer each block of drive frames with one block of capture frames")
    case .system(let number):
      return DeviceError(
        .refused, device: language.device,
        message:
          "the pipe to \(language.program) failed \(place): \(String(cString: strerror(number)))",
        errno: number)
    }
  }
}
