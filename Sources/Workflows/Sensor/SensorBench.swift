import Bench
import Devices

/// An open rig whose sensors are listened to.
struct SensorBench {
  private let open: OpenSession
  private let user: RigOperator

  /// Opens a rig; one that only plays or only reads files has no sensors to calibrate.
  init(_ rig: RigDescription, file: String, by user: RigOperator) throws {
    if case .file = rig.drive.device {
      throw InputError(
        "\(file): the rig is not on line: a sensor is calibrated on a rig that records")
    }
    self.user = user
    open = try OpenSession(
      rig, without: "\(file): a sensor is calibrated on a rig that records", by: user)
  }

  /// Plays and records.
  ///
  /// - Throws: The `DeviceError` that ended the recording, with the exit code of an interruption where
  ///   somebody asked to stop.
  func record(
    _ frames: DriveFrames, as title: String
  ) async throws -> Recording {
    defer { user.tell(.idle) }
    try user.checkSensor()
    let recording = await open.session.play(frames) { [user] in user.tell(.step(title, share: $0)) }
    if let fault = recording.fault, fault.code != .interrupted { throw fault }
    try user.checkSensor()
    return recording
  }

  /// Ends the devices' work.
  func finish() throws { try open.finish() }
}

extension RigOperator {
  /// Ends the calibration of a sensor where somebody asked to stop.
  public func checkSensor() throws(WorkflowError) {
    try check(": the drive is at zero, no sensor file was written")
  }
}
