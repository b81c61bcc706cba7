import Devices

/// Looks at a rig while it follows a sound: the drive as it was sent and what came back, for the meter and for who watches.
final class FollowTap: SignalTap, @unchecked Sendable {
  // Sendable: all calls come from the session's thread, as `SignalTap` says.
  private var drive: RealtimeQueue<Float>.Producer
  private var motion: RealtimeQueue<Float>.Producer
  private var sound: RealtimeQueue<Float>.Producer
  private var reference: RealtimeQueue<Float>.Producer
  private let driveWidth: Int
  private let driveChannel: Int
  private let captureWidth: Int
  private let motionChannel: Int?
  private let soundChannel: Int?
  private let referenceChannel: Int?
  private let watcher: (any SignalTap)?

  init(
    _ rig: RigDescription, drive: consuming RealtimeQueue<Float>.Producer,
    motion: consuming RealtimeQueue<Float>.Producer,
    sound: consuming RealtimeQueue<Float>.Producer,
    reference: consuming RealtimeQueue<Float>.Producer, watcher: (any SignalTap)?
  ) {
    self.drive = drive
    self.motion = motion
    self.sound = sound
    self.reference = reference
    driveWidth = rig.drive.channelCount
    driveChannel = (rig.drive.channels[.haptic] ?? 1) - 1
    let channels = rig.capture.channels
    captureWidth = max(1, channels.count)
    motionChannel = channels.firstIndex { $0.role == .acceleration }
    soundChannel = channels.firstIndex { $0.role == .audio }
    referenceChannel =
      rig.drive.channels[.reference] == nil
      ? nil : channels.firstIndex { $0.role == .reference }
    self.watcher = watcher
  }

  func begin() { watcher?.begin() }

  func drive(_ frames: Span<Float>) {
    watcher?.drive(frames)
    for frame in 0..<(frames.count / driveWidth) {
      _ = drive.push(frames[frame * driveWidth + driveChannel])
    }
  }

  func capture(_ frames: Span<Float>) {
    watcher?.capture(frames)
    for frame in 0..<(frames.count / captureWidth) {
      if let motionChannel { _ = motion.push(frames[frame * captureWidth + motionChannel]) }
      if let soundChannel { _ = sound.push(frames[frame * captureWidth + soundChannel]) }
      if let referenceChannel {
        _ = reference.push(frames[frame * captureWidth + referenceChannel])
      }
    }
  }

  func lost(_ event: StreamEvent, ofDrive: Bool) { watcher?.lost(event, ofDrive: ofDrive) }
}
