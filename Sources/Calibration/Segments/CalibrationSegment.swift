public import Units

/// One stretch of a calibration: what is played in one go, and why.
public struct CalibrationSegment: Sendable, Equatable {
  /// What is done with the answer.
  public enum Purpose: String, Sendable, Hashable, CaseIterable {
    /// Silence: noise, hum, gravity.
    case quiet
    /// A faint short sweep: is the actuator there, and where is its resonance.
    case wake
    /// The same on another drive channel: is the wiring crossed.
    case crossed
    /// A sweep at small signal.
    case smallSignal
    /// A sweep at a rising level.
    case level
    /// A steady voltage in steps, for motors.
    case steps
    /// Tones of the grid that the profile is refined on.
    case grid
    /// Taps.
    case taps
    /// Points that nothing was fitted to.
    case heldOut
    /// The small-signal sweep once more: is it still the same actuator in the same state.
    case closing
    /// The same after somebody took the actuator off and mounted it again.
    case remount
  }

  /// The segment's number, from 0; it names its recording.
  public let number: Int
  /// What is done with the answer.
  public let purpose: Purpose
  /// What a person reads: `sweep up, 0.35 V`.
  public let title: String
  /// The voltage at the actuator, one sample a frame, already inside the limits.
  public let volts: [Float]
  /// Frames a second.
  public let rate: SampleRate
  /// The highest voltage of the segment.
  public let level: Double
  /// A drive channel other than the actuator's that is to be driven instead, from 1.
  public let otherChannel: Int?

  /// Makes a segment.
  public init(
    number: Int, purpose: Purpose, title: String, volts: [Float], rate: SampleRate,
    otherChannel: Int? = nil
  ) {
    self.number = number
    self.purpose = purpose
    self.title = title
    self.volts = volts
    self.rate = rate
    self.otherChannel = otherChannel
    level = Double(volts.reduce(0) { max($0, abs($1)) })
  }

  /// The length in seconds.
  public var duration: Double { Double(volts.count) / rate.hertz }
}

extension CalibrationSegment.Purpose {
  var isSweep: Bool {
    switch self {
    case .wake, .crossed, .smallSignal, .level, .closing, .remount: true
    case .quiet, .steps, .grid, .taps, .heldOut: false
    }
  }
}

/// What a calibration makes of a segment's response.
public enum SegmentVerdict: Sendable, Equatable {
  /// It counts.
  case accepted
  /// It is played once more: the reason, in a sentence's words.
  case again(because: String)
}

/// Where a calibration stands.
public struct CalibrationProgress: Sendable, Equatable {
  /// The step's name as a person reads it.
  public let step: String
  /// The number of the segment from 1, one more from each that counts to the next.
  public let number: Int
  /// How many segments it will be in all, as far as it can be told.
  public let total: Int
  /// The drive's peak of the segment under way, in volts.
  public let level: Double
  /// Rig time still to come, in seconds, as far as it can be told.
  public let remaining: Double
}
