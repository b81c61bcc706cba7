import Bench
import Devices
import SoundFiles
import Units

/// Lining up a response that was recorded apart.
enum ResponseFile {
  /// Where the stimulus begins in the file.
  static func location(
    path: String, rig: RigDescription, take: TakeDrive, _ user: RigOperator
  ) throws -> ResponseLocator.Location {
    let sound = try SoundFile.read(path: path)
    guard sound.info.rate == rig.drive.rate else {
      throw InputError(
        "\(path): the response is at \(sound.info.rate) and the rig at \(rig.drive.rate): "
          + "record at the rig's rate")
    }
    let reference = rig.capture.channel(.reference)
    guard let wanted = reference ?? rig.capture.channel(.acceleration),
      sound.channels.indices.contains(wanted.input - 1)
    else {
      throw InputError(
        "\(path): the response has \(sound.info.channelCount) channels, and the rig file asks for "
          + "input \((reference ?? rig.capture.channel(.acceleration))?.input ?? 1)")
    }
    let location = try ResponseLocator.locate(
      take, in: sound.channels[wanted.input - 1].samples, isReference: reference != nil)
    if location.isArbitrary {
      user.notice(
        .warning,
        "the response was not started with the stimulus; it was lined up by its first "
          + "marker, so latency.electrical is arbitrary")
    }
    return location
  }
}
