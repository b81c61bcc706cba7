import Acceptance
import Devices
import SoundFiles
import Units

/// A take out of a run's folder: the recording as it was measured, and the drive as it was sent.
struct RecordedTake {
  let recording: Recording
  let take: TakeDrive

  /// Puts a take together again; `nil` for one that was not measured, because a fault cut it short.
  ///
  /// - Parameters:
  ///   - account: What the record says of it.
  ///   - rendered: The same take as rendered from the copies of its inputs: where its parts lie, what
  ///     limits held back. Its samples are those that were sent.
  ///   - rig: The rig.
  ///   - read: Reads a sound file of the run's folder.
  /// - Throws: `InputError` where the record lacks what a measurement needs, or the files do not fit it.
  init?(
    _ account: RunRecord.Take, rendered: TakeDrive, rig: RigDescription,
    read: (String) throws -> RecordedSound
  ) throws {
    guard let device = account.device else {
      throw InputError(
        "the record does not say what the devices told of the takes: an older version wrote it")
    }
    guard device.fault == nil else { return nil }
    guard let driveFile = account.drive, let responseFile = account.response else {
      throw InputError("no recordings were kept: write 'recordings: true' in the plan")
    }
    let drive = try read(driveFile)
    let roles = rig.drive.channels.sorted { $0.value < $1.value }.map(\.key)
    guard drive.channels.count == roles.count, drive.info.rate == rendered.rate else {
      throw InputError("\(driveFile): its channels or its rate are not those of the rig")
    }
    guard drive.info.frameCount == rendered.layout.frameCount,
      account.patternFrame == rendered.layout.pattern
    else {
      throw InputError(
        "\(driveFile): it has \(drive.info.frameCount) frames, and this version of haprig lays the take "
          + "out in \(rendered.layout.frameCount): score it with the version that made it")
    }
    take = rendered.sending(
      Dictionary(uniqueKeysWithValues: zip(roles, drive.channels)))
    recording = try Self.recording(
      account, device, try read(responseFile), file: responseFile, rig: rig)
  }

  private static func recording(
    _ account: RunRecord.Take, _ device: RunRecord.TakeDevice, _ sound: RecordedSound, file: String,
    rig: RigDescription
  ) throws(InputError) -> Recording {
    let names = account.responseChannels.map(\.name)
    let known = names.compactMap { name in rig.capture.channels.first { $0.name == name }?.port }
    guard known.count == names.count, sound.channels.count == names.count,
      device.frames == sound.info.frameCount
    else {
      throw InputError("\(file): it is not the recording that the record describes")
    }
    return Recording(
      channels: zip(known, sound.channels).map {
        Recording.Channel(description: $0, samples: $1)
      },
      rate: sound.info.rate, frameCount: device.frames, driveFrameCount: device.driveFrames,
      captureEvents: device.captureEvents, driveEvents: device.driveEvents,
      statistics: account.stream, expressible: device.expressible)
  }
}

extension TakeDrive {
  /// The same take with other samples, as long as its own.
  fileprivate func sending(_ channels: [DriveRole: Samples]) -> TakeDrive {
    TakeDrive(
      channels: channels, layout: layout, rate: rate, limited: limited,
      mixingLimited: mixingLimited, profileLimited: profileLimited, droppedEvents: droppedEvents,
      gamutOutside: gamutOutside, intent: intent, sounds: sounds, configuration: configuration)
  }
}
