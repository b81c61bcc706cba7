import Actuators
import Calibration
import Devices
import Profiles
import SignalAnalysis
import Units

/// A segment of a calibration as it is sent: between two markers on the reference.
struct SegmentTake {
  /// What is sent.
  let frames: DriveFrames
  /// The frames at which the markers begin.
  let markers: [Int]
  /// The frame at which the segment begins.
  let start: Int

  /// Silence before a segment that belongs to its response, in seconds.
  static let lead = 0.15
  /// Silence after a segment that belongs to its response, in seconds.
  static let tail = 0.05

  /// What belongs to the response of a silence besides: the marker that the reference alone carries, and the
  /// ringing of an actuator that hangs on its wire.
  private static let echo = 0.01 + Sweep.marker.duration + 0.1

  /// How many frames a segment's response has, lead and tail included.
  static func responseCount(of segment: CalibrationSegment) -> Int {
    let behind = tail + (segment.purpose == .quiet ? echo : 0)
    return segment.volts.count + segment.rate.wholeFrames(lead) + segment.rate.wholeFrames(behind)
  }

  /// Lays out a segment for a rig.
  ///
  /// `clock` is the capture's offset from the drive's clock as a share: a fast one needs more frames for
  /// the same seconds.
  init(
    _ segment: CalibrationSegment, rig: RigDescription, limits: DriveLimits, clock: Double? = nil
  ) {
    let rate = rig.drive.rate
    let marker = Sweep.marker.samples(at: rate)
    let first = rate.wholeFrames(0.02)
    start = first + marker.count + rate.wholeFrames(0.01 + Self.lead)
    let last = start + segment.volts.count + rate.wholeFrames(Self.tail + 0.01)
    let end = last + marker.count
    let count =
      end + rate.wholeFrames(TakeLayout.longestDelay + 0.01)
      + (segment.purpose == .quiet ? rate.wholeFrames(Self.echo) : 0)
      + Int((Double(end) * max(0, clock ?? 0)).rounded(.up))
    markers = [first, last]

    let share = Float(1 / rig.drive.fullScaleVolts)
    var haptic = [Float](repeating: 0, count: count)
    for (index, volts) in segment.volts.enumerated() { haptic[start + index] = share * volts }
    var limiter = DriveLimiter(
      limits: limits, fullScaleVolts: rig.drive.fullScaleVolts, rate: rate.hertz)
    limiter.process(&haptic)

    // The wiring is tried by driving what stands on another channel in the actuator's place.
    let role = segment.otherChannel.flatMap { other in
      rig.drive.channels.first { $0.value == other }?.key
    }
    var channels: [DriveRole: [Float]] = [role ?? .haptic: haptic]
    if rig.drive.channels[.reference] != nil {
      var reference = haptic
      for place in markers {
        reference.place(marker, at: place)
      }
      channels[.reference] = reference
    }
    frames = DriveFrames(channels: channels, count: count, rate: rate)
  }
}
