package import Devices
package import HapticRendering
package import Profiles
package import Units

/// What is sent to a rig from start to stop: a list of samples for each role.
public struct DriveFrames: Sendable {
  /// Samples of -1...1 of the device's full scale, planar, one list a role, all of one length.
  package let channels: [DriveRole: Samples]
  package let count: Int
  package let rate: SampleRate

  package init(channels: [DriveRole: Samples], count: Int, rate: SampleRate) {
    precondition(
      channels.values.allSatisfy { $0.count == count }, "every channel needs \(count) samples")
    self.channels = channels
    self.count = count
    self.rate = rate
  }

  package init(channels: [DriveRole: [Float]], count: Int, rate: SampleRate) {
    self.init(channels: channels.mapValues(Samples.init), count: count, rate: rate)
  }

  /// Interleaves a stretch for a device, silent beyond the last frame; its channels count from 1.
  package func interleaved(
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

/// Where the parts of one take lie, in drive frames.
///
/// Quiet, a marker on the reference, quiet in which the noise floor is read, the probe that identifies
/// the actuator and its ringing out, the pattern, at least half a second of silence, a marker on the
/// reference, and silence for what is still on its way.
package struct TakeLayout: Sendable, Equatable {
  package let startMarker: Int
  package let markerLength: Int
  package let probe: Int?
  package let probeLength: Int
  /// The frame at which the pattern's time is 0.
  package let pattern: Int
  /// How many frames the pattern takes, release tails included.
  package let patternLength: Int
  package let endMarker: Int
  var markers: [Int] { [startMarker, endMarker] }
  package let frameCount: Int

  /// Silence in which the noise floor is read, in seconds: from the capture's first frame.
  package static let quiet = 0.30
  package static let ringOut = 0.40
  package static let tail = 0.50
  /// The longest electrical delay that is looked for, in seconds.
  package static let longestDelay = 0.25

  package init(
    rate: SampleRate, patternLength: Int, probeLength: Int?, markerLength: Int
  ) {
    let quiet = rate.wholeFrames(Self.quiet)
    startMarker = rate.wholeFrames(0.05)
    self.markerLength = markerLength
    self.patternLength = patternLength
    if let probeLength {
      probe = quiet
      self.probeLength = probeLength
      pattern = quiet + probeLength + rate.wholeFrames(Self.ringOut)
    } else {
      probe = nil
      self.probeLength = 0
      pattern = quiet + rate.wholeFrames(0.05)
    }
    endMarker = pattern + patternLength + rate.wholeFrames(Self.tail)
    frameCount = endMarker + markerLength + rate.wholeFrames(Self.longestDelay + 0.01)
  }
}

/// One take as it is sent: a channel for each role, and where its parts lie.
public struct TakeDrive: Sendable {
  package internal(set) var channels: [DriveRole: Samples]
  package let layout: TakeLayout
  package let rate: SampleRate
  /// What the actuator's limits held back.
  package let limited: DriveLimiter.Counts
  /// Frames whose sum the mixing law bent.
  package let mixingLimited: Int
  /// Frames that the profile's inverse held at its peak; `nil` without a profile.
  package let profileLimited: Int?
  /// Places in the timeline of the events that were left out for want of voices.
  package let droppedEvents: [Int]
  /// The share beyond what the actuator can do; `nil` without a profile, or a haptic event.
  package let gamutOutside: Double?
  package let intent: Intent
  let sounds: SoundBank
  let configuration: RenderConfiguration

  /// What is heard between both loudspeakers: the only one that is wired, or the mean of both.
  func heard(_ left: [Float], _ right: [Float]) -> [Float] {
    switch (channels[.audio] != nil, channels[.audioLeft] != nil, channels[.audioRight] != nil) {
    case (false, true, false): left
    case (false, false, true): right
    default: Self.mean(left, right)
    }
  }

  static func mean(_ left: [Float], _ right: [Float]) -> [Float] {
    zip(left, right).map { ($0 + $1) / 2 }
  }

  /// How many frames from the first on nothing but the reference is driven: what the sensor shows is noise.
  var quietFrames: Int { (layout.probe ?? layout.pattern) - rate.wholeFrames(0.01) }

  package var frames: DriveFrames {
    DriveFrames(channels: channels, count: layout.frameCount, rate: rate)
  }
}
