// SPDX-License-Identifier: Apache-2.0

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
      throw description.error(
        .refused,
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

/// The drive of a command rig.
///
/// `write` returns when the program has answered every whole block; what does not fill a block waits for
/// the next call, or for `stop`, which fills it with zeros.
public final class CommandDrive: DriveOutput {
  /// The format that `write` expects.
  public let format: StreamFormat

  private let link: CommandLink

  init(_ link: CommandLink) {
    self.link = link
    format = link.language.driveFormat
  }

  /// Starts the program, or joins the take for which the sensors started it.
  public func start() throws(DeviceError) {
    link.isSilent.store(false, ordering: .releasing)
    try link.session.withLock { (session) throws(DeviceError) in try session.start(.drive) }
  }

  /// Sends frames to the program and returns their count: all of them.
  public func write(_ frames: Span<Float>) throws(DeviceError) -> Int {
    format.frameCount(ofSamples: frames.count)
    return try link.session.withLock { (session) throws(DeviceError) in
      try session.write(frames) { self.link.isSilent.load(ordering: .acquiring) }
    }
  }

  /// Sends zeros until the next start, in place of an unfinished block too.
  public func silence() { link.isSilent.store(true, ordering: .releasing) }

  /// Sends the last block, filled with zeros, and lets the program end.
  public func stop() throws(DeviceError) {
    try link.session.withLock { (session) throws(DeviceError) in
      try session.stopDrive(isSilent: self.link.isSilent.load(ordering: .acquiring))
    }
  }

  /// Takes the overloads since the last call.
  public func takeEvents() -> [StreamEvent] { link.session.withLock { $0.driveEvents.take() } }

  /// Looks at the overloads since they were taken last.
  public func seenEvents() -> [StreamEvent] { link.session.withLock { $0.driveEvents.events } }
}

/// The sensors of a command rig: what the program answered, in SI units.
///
/// `read` never waits: it returns 0 when the drive has to go on first.
public final class CommandSensors: SensorInput {
  /// The format that `read` delivers.
  public let format: StreamFormat
  /// The channels in the order of the rig file.
  public let channels: [CaptureChannel]

  private let link: CommandLink

  init(_ link: CommandLink) {
    self.link = link
    format = link.language.captureFormat
    channels = link.language.channels
  }

  /// Starts the program, or joins the take for which the drive started it.
  public func start() throws(DeviceError) {
    try link.session.withLock { (session) throws(DeviceError) in try session.start(.sensors) }
  }

  /// Delivers what the program answered, never more frames than were sent.
  public func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    format.frameCount(ofSamples: frames.count)
    return try link.session.withLock { (session) throws(DeviceError) in
      try session.read(into: &frames)
    }
  }

  /// Ends the capture; the program goes on until the drive stops.
  public func stop() throws(DeviceError) {
    _ = link.session.withLock { $0.pairing.stop(.sensors) }
  }
}
