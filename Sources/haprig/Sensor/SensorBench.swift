import Bench
import Devices

/// An open rig whose sensors are listened to.
struct SensorBench {
  private let open: OpenSession

  /// Opens a rig; one that only plays or only reads files has no sensors to calibrate.
  init(_ rig: RigDescription, file: String) throws {
    if case .file = rig.drive.device {
      throw InputError(
        "\(file): the rig is not on line: a sensor is calibrated on a rig that records")
    }
    open = try OpenSession(
      rig, without: "\(file): a sensor is calibrated on a rig that records")
  }

  /// Plays and records.
  ///
  /// - Throws: The `DeviceError` that ended the recording, with the exit code of an interruption where
  ///   somebody asked to stop.
  func record(
    _ frames: DriveFrames, progress: @Sendable (Double) -> Void
  ) async throws -> Recording {
    try Self.checkInterruption()
    let recording = await open.session.play(frames, progress: progress)
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
