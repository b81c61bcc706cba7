import Acceptance
import Devices

extension RunAccount {
  /// What the devices told of a take that stands in no sound file.
  static func device(_ recording: Recording) -> RunRecord.TakeDevice {
    RunRecord.TakeDevice(
      frames: recording.frameCount, driveFrames: recording.driveFrameCount,
      captureEvents: recording.captureEvents, driveEvents: recording.driveEvents,
      expressible: recording.expressible, fault: recording.fault?.description)
  }
}
