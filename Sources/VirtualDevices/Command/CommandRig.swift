public import Devices
import Synchronization

/// A rig that is an outside program: a model in another language, or the front of an odd device.
///
/// Each take starts the program anew from its argument list, in the folder of the rig file, without a
/// shell and as the head of a process group of its own. It gets one JSON line and then blocks of
/// interleaved little-endian float32 drive frames on standard input, and answers with one JSON line and
/// a block of capture frames for each on standard output. haprig writes a block and then reads its
/// reply, so no capture frame is ever ahead of its drive. The end of input is the end of the take.
///
/// Making a rig sets SIGPIPE to be ignored for the whole process, so that a program that ends early is an
/// error of its device and not the end of haprig; the program itself starts with the default.
public final class CommandRig: Sendable {
  /// The drive.
  public let drive: CommandDrive
  /// The sensors.
  public let sensors: CommandSensors

  private let link: CommandLink

  /// Makes the rig that a description with a command drive asks for; nothing is started yet.
  ///
  /// `report` gets each line of the program's standard error as it comes, on the thread that uses the
  /// device. Another kind of device, or no program to start, is refused.
  public init(
    _ description: RigDescription, report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(DeviceError) {
    guard case .command(let command) = description.drive.device, !command.arguments.isEmpty else {
      throw DeviceError(
        .refused, device: description.name,
        message:
          "the drive is of kind \(description.drive.device.kind.rawValue) or names no program: "
          + "a command rig needs 'run: [program, argument, ...]'")
    }
    ChildProcess.ignoreBrokenPipes()
    link = CommandLink(
      CommandProtocol(description, command: command), log: ProgramLog(report: report))
    drive = CommandDrive(link)
    sensors = CommandSensors(link)
  }

  /// The end of what the program has written to its standard error, at most 64 KiB.
  ///
  /// Any thread.
  public var log: String { link.log.text }
}

/// What the two halves of a command rig share.
final class CommandLink: Sendable {
  let language: CommandProtocol
  let log: ProgramLog
  /// True from `silence` to the next start; apart, since a block may take as long as the timeout.
  let isSilent = Atomic<Bool>(false)
  let session: Mutex<CommandSession>

  init(_ language: CommandProtocol, log: ProgramLog) {
    self.language = language
    self.log = log
    session = Mutex(CommandSession(language, log: log))
  }
}
