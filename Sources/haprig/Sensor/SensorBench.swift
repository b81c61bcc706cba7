import Bench
import Devices
import RigDevices

/// An open rig whose sensors are listened to.
struct SensorBench {
  /// The rig as it was opened.
  let rig: RigDescription
  private let file: String
  private let open: OpenRig
  private let session: Session

  /// Opens a rig; one that only plays or only reads files has no sensors to calibrate.
  init(_ rig: RigDescription, file: String) throws {
    if case .file = rig.drive.device {
      throw InputError(
        "\(file): the rig is not on line: a sensor is calibrated on a rig that records")
    }
    open = try OpenRig(rig, stop: Interruption.signal) { Console.error("rig: \($0)") }
    guard let input = open.input else {
      throw InputError("\(file): a sensor is calibrated on a rig that records")
    }
    self.rig = open.description
    self.file = file
    session = Session(
      rig: open.description, output: open.output, input: input, stop: Interruption.signal,
      isThreaded: open.isPaced)
  }

  /// Plays and records.
  ///
  /// - Throws: The `DeviceError` that ended the recording, with the exit code of an interruption where
  ///   somebody asked to stop.
  func record(
    _ frames: DriveFrames, progress: @Sendable (Double) -> Void
  ) async throws -> Recording {
    try Self.checkInterruption()
    let recording = await session.play(frames, progress: progress)
    if let fault = recording.fault, fault.code != .interrupted { throw fault }
    try Self.checkInterruption()
    return recording
  }

  /// Ends the program if it was asked to stop.
  static func checkInterruption() throws {
    if let number = Interruption.signal.requested {
      throw ExitStatus(
        128 + number,
        "haprig: stopped by signal \(number): the drive is at zero, no sensor file was "
          + "written")
    }
  }

  /// Ends the devices' work.
  func finish() throws { try open.finish() }
}
