public import Devices

/// A rig that is not on line: its drive goes to a sound file, its response comes from one.
///
/// First a run writes the stimulus; it is played and recorded elsewhere; then the same run reads the
/// response, with the same drive frames, which need not be written again.
public final class FileRig: Sendable {
  /// The drive; it counts frames, and writes them where the description names a stimulus.
  public let drive: FileDrive
  /// The sensors, where the description names a response.
  public let sensors: FileSensors?

  /// Opens the files that a description names.
  ///
  /// - Parameters:
  ///   - description: The rig.
  ///   - skip: The frame of the response at which the stimulus began; negative where the recording
  ///     began after it.
  /// - Throws: `DeviceError`, refused where the drive is of another kind, where neither file is
  ///   named, or where the response does not fit the rig; or why a file cannot be opened.
  public init(_ description: RigDescription, skip: Int = 0) throws(DeviceError) {
    guard case .file(let file) = description.drive.device else {
      throw DeviceError(
        .refused, device: description.name,
        message: "the drive is of kind \(description.drive.device.kind.rawValue), not file")
    }
    guard file.stimulus != nil || file.response != nil else {
      throw DeviceError(
        .refused, device: description.name,
        message: "no file is named: give --stimulus FILE.wav to write the drive to, or --response "
          + "FILE.wav to read what was recorded of it")
    }
    // The response first: nothing is written where it does not fit.
    let response = try file.response.map { path throws(DeviceError) in
      try FileResponse(path: path, description)
    }
    let drive = try FileDrive(description, stimulus: file.stimulus)
    self.drive = drive
    sensors = response.map { FileSensors($0, description, skip: skip, drive: drive) }
  }
}
