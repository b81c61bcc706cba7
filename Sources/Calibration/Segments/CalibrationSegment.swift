package import Units

/// One stretch of a calibration: what is played in one go, and why.
package struct CalibrationSegment: Sendable, Equatable {
  package enum Purpose: String, Sendable, Hashable, CaseIterable {
    /// Silence: noise, hum, gravity.
    case quiet
    /// A faint short sweep: is the actuator there, and where is its resonance.
    case wake
    /// The same on another drive channel: is the wiring crossed.
    case crossed
    case smallSignal
    case level
    /// A steady voltage in steps, for motors.
    case steps
    /// Tones of the grid that the profile is refined on.
    case grid
    case taps
    /// Points that nothing was fitted to.
    case heldOut
    /// The small-signal sweep once more: is it still the same actuator in the same state.
    case closing
    /// The same after somebody took the actuator off and mounted it again.
    case remount
  }

  /// The segment's number, from 0; it names its recording.
  package let number: Int
  package let purpose: Purpose
  /// What a person reads: `sweep up, 0.35 V`.
  package let title: String
  /// The voltage at the actuator, one sample a frame, already inside the limits.
  package let volts: [Float]
  package let rate: SampleRate
  /// The highest voltage of the segment.
  package let level: Double
  /// A drive channel other than the actuator's that is to be driven instead, from 1.
  package let otherChannel: Int?

  package init(
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

  package var duration: Double { Double(volts.count) / rate.hertz }
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
package enum SegmentVerdict: Sendable, Equatable {
  case accepted
  /// It is played once more: the reason, in a sentence's words.
  case again(because: String)
}

package struct CalibrationProgress: Sendable, Equatable {
  /// The step's name as a person reads it.
  package let step: String
  /// The number of the segment from 1, one more from each that counts to the next.
  package let number: Int
  /// How many segments it will be in all, as far as it can be told.
  package let total: Int
  /// The drive's peak of the segment under way, in volts.
  package let level: Double
  /// Rig time still to come, in seconds, as far as it can be told.
  package let remaining: Double
}
