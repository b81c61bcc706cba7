public import Devices
public import Units

/// What is sent to a rig from start to stop: a list of samples for each role.
public struct DriveFrames: Sendable {
  /// Samples of -1...1 of the device's full scale, planar, one list a role, all of one length.
  public let channels: [DriveRole: Samples]
  /// How many frames there are.
  public let count: Int
  /// Frames a second.
  public let rate: SampleRate

  /// Makes frames; every channel holds `count` samples.
  public init(channels: [DriveRole: Samples], count: Int, rate: SampleRate) {
    precondition(
      channels.values.allSatisfy { $0.count == count }, "every channel needs \(count) samples")
    self.channels = channels
    self.count = count
    self.rate = rate
  }

  /// Makes frames of samples that are in memory.
  public init(channels: [DriveRole: [Float]], count: Int, rate: SampleRate) {
    self.init(channels: channels.mapValues(Samples.init), count: count, rate: rate)
  }

  /// Interleaves a stretch for a device.
  ///
  /// - Parameters:
  ///   - frames: The frames; what lies beyond the last is silence.
  ///   - roles: The device's channels by role, from 1.
  ///   - channelCount: The samples of a device frame.
  /// - Returns: One frame after the other.
  public func interleaved(
    _ frames: Range<Int>, roles: [DriveRole: Int], channelCount: Int
  ) -> [Float] {
    var block = [Float](repeating: 0, count: frames.count * channelCount)
    let inside = frames.clamped(to: 0..<count)
    for (role, channel) in roles {
      guard let samples = channels[role]?[inside] else { continue }
      for (index, sample) in samples.enumerated() {
        block[(inside.lowerBound - frames.lowerBound + index) * channelCount + channel - 1] = sample
      }
    }
    return block
  }
}
