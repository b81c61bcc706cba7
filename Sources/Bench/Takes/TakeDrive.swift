public import Devices
public import HapticRendering
public import Profiles
public import Units

/// One take as it is sent: a channel for each role, and where its parts lie.
public struct TakeDrive: Sendable {
  /// Samples of -1...1 of the device's full scale, planar, one list a role, all of one length.
  public let channels: [DriveRole: Samples]
  /// Where the parts lie.
  public let layout: TakeLayout
  /// Frames a second.
  public let rate: SampleRate
  /// What the actuator's limits held back.
  public let limited: DriveLimiter.Counts
  /// Frames whose sum the mixing law bent.
  public let mixingLimited: Int
  /// Frames that the profile's inverse held at its peak; `nil` without a profile.
  public let profileLimited: Int?
  /// Places in the timeline of the events that were left out for want of voices.
  public let droppedEvents: [Int]
  /// The share of the pattern that lies beyond what the actuator can do; `nil` without a profile, or
  /// without a haptic event.
  public let gamutOutside: Double?
  /// What the pattern asks for.
  public let intent: Intent
  /// The sounds that it was rendered with.
  let sounds: SoundBank
  /// What the drive was rendered under.
  let configuration: RenderConfiguration

  /// How many frames from the first on nothing but the reference is driven: what the sensor shows is noise.
  var quietFrames: Int { (layout.probe ?? layout.pattern) - rate.wholeFrames(0.01) }

  /// What is sent.
  public var frames: DriveFrames {
    DriveFrames(channels: channels, count: layout.frameCount, rate: rate)
  }
}
