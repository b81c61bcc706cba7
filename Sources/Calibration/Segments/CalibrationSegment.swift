// SPDX-License-Identifier: Apache-2.0

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

package enum SegmentVerdict: Sendable, Equatable {
  case accepted
  case again(because: String)
}

package struct CalibrationProgress: Sendable, Equatable {
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

/// Why a calibration cannot go on; nothing is written.
package struct CalibrationRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  package let code: Code
  /// One sentence: what, where, what was expected, and what to do.
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The kinds of faults, by the names that a person is told in brackets.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    case sensorDead = "sensor.dead"
    case sensorClipped = "sensor.clipped"
    /// At rest the sensor shows more noise than can be calibrated through.
    case sensorNoise = "sensor.noise"
    case sensorHum = "sensor.hum"
    case sensorUnits = "sensor.units"
    case sensorPolarity = "sensor.polarity"
    /// The sensor is tilted, or its scale is wrong: gravity is not what its axes show.
    case sensorTilt = "sensor.tilt"
    /// The actuator moves along another axis than the first of the rig file.
    case sensorAxis = "sensor.axis"
    /// The sensor's clock is not of the rate that the rig file states.
    case sensorRate = "sensor.rate"
    case sensorLoose = "sensor.loose"
    case sensorMoved = "sensor.moved"
    case sensorFlip = "sensor.flip"
    case sensorComparison = "sensor.comparison"
    case actuatorDead = "actuator.dead"
    case actuatorStuck = "actuator.stuck"
    case actuatorKind = "actuator.kind"
    case actuatorLimit = "actuator.limit"
    case actuatorEndstop = "actuator.endstop"
    case actuatorDrift = "actuator.drift"
    case actuatorSwapped = "actuator.swapped"
    case actuatorRemounted = "actuator.remounted"
    case actuatorUnlike = "actuator.unlike"
    case amplifierClipping = "amplifier.clipping"
    case channelCrossed = "channel.crossed"
    case resonanceOutside = "resonance.outside"
    /// The response is the same each time, and not that of one or two resonances.
    case resonanceUnlike = "resonance.unlike"
    case referenceMissing = "reference.missing"
    case referenceNoise = "reference.noise"
    case referenceScale = "reference.scale"
    case referenceUnreached = "reference.unreached"
    case profileOther = "profile.other"
    case profileImplausible = "profile.implausible"
    /// A segment was played as often as it may be and could not be used.
    case disturbed

    /// Whether what the rig file says or what was asked for is wrong, and not what the devices do.
    package var isOfTheRigFile: Bool {
      switch self {
      case .sensorUnits, .sensorPolarity, .sensorRate, .actuatorLimit, .referenceUnreached,
        .profileOther:
        true
      default: false
      }
    }
  }
}
