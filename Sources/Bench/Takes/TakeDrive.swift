public import Devices
public import HapticRendering
public import Profiles
public import Units

/// One take as it is sent: a channel for each role, and where its parts lie.
public struct TakeDrive: Sendable {
  /// Samples of -1...1 of the device's full scale, planar, one list a role, all of one length.
  public let channels: [DriveRole: [Float]]
  /// Where the parts lie.
  public let layout: TakeLayout
  /// Frames a second.
  public let rate: SampleRate
  /// What the actuator's limits held back.
  public let limited: DriveLimiter.Counts
  /// Events that were left out for want of voices.
  public let droppedEvents: Int
  /// What the pattern asks for.
  public let intent: Intent

  /// Interleaves a stretch for a device.
  ///
  /// - Parameters:
  ///   - frames: The frames; what lies beyond the take is silence.
  ///   - roles: The device's channels by role, from 1.
  ///   - channelCount: The samples of a device frame.
  /// - Returns: One frame after the other.
  public func interleaved(
    _ frames: Range<Int>, roles: [DriveRole: Int], channelCount: Int
  ) -> [Float] {
    var block = [Float](repeating: 0, count: frames.count * channelCount)
    let inside = frames.clamped(to: 0..<layout.frameCount)
    for (role, channel) in roles {
      guard let samples = channels[role] else { continue }
      for frame in inside {
        block[(frame - frames.lowerBound) * channelCount + channel - 1] = samples[frame]
      }
    }
    return block
  }
}
