// SPDX-License-Identifier: Apache-2.0

package import Actuators
private import Glibc
package import Perception
package import Profiles
import SignalAnalysis
package import Units

/// What is calibrated, and under which laws: all that a procedure knows besides the responses.
package struct CalibrationSubject: Sendable, Equatable {
  /// The actuator, as the rig file says; its limits are lowered to what the amplifier is found to give.
  package var actuator: Actuator
  package var rig: String
  /// The peak voltage of a drive of 1.
  package var fullScaleVolts: Double
  package var rate: SampleRate
  /// The relative standard uncertainty of the sensor's sensitivity, from its certificate.
  package var sensorUncertainty: Double?
  /// The sensor's own delay in seconds, from its certificate, without that of its low-pass.
  package var sensorDelay = 0.0
  /// The corner of the sensor's second-order low-pass in hertz, from its certificate.
  package var sensorBandwidth: Double?
  /// Whether the sensor's uncertainty holds how its scale changes over the band that is felt, as that of a
  /// comparison with a reference does.
  package var sensorIsCompared = false
  /// The standard uncertainty of the sensor's delay in seconds, where a comparison measured all of it.
  package var sensorDelayUncertainty: Double?
  package var hasReference: Bool
  /// Drive channels of the device besides the actuator's, from 1, that are not the reference or sound.
  package var otherChannels: [Int] = []
  package var target = IntensityTarget()
  package var sharpness = SharpnessLaw.log80To230
  /// Whether the reference level was asked for, or is the profile's own choice (30 dB SL or less).
  package var referenceIsGiven = false
  package var earlier: CalibrationProfile?
  /// How often the actuator is mounted again at the end, to learn what mounting does.
  package var remounts = 0
  /// The name of the run that the profile is to be made from.
  package var run: String
  package var program: String
  package var date: String

  package init(
    actuator: Actuator, rig: String, fullScaleVolts: Double, rate: SampleRate, hasReference: Bool,
    run: String, program: String, date: String
  ) {
    self.actuator = actuator
    self.rig = rig
    self.fullScaleVolts = fullScaleVolts
    self.rate = rate
    self.hasReference = hasReference
    self.run = run
    self.program = program
    self.date = date
  }

  /// The share of what may last that leaves room for the ripple of the thermal average.
  private static let rippleRoom = 0.98

  var limits: DriveLimits { actuator.limits }

  var peakVolts: Double { min(fullScaleVolts, limits.peakVolts) }

  var steadyVolts: Double {
    Self.rippleRoom
      * limits.safeFullScale(fullScaleVolts: fullScaleVolts, isTone: !isMotor)
  }

  func steadyVolts(at frequency: Double) -> Double {
    guard let slope = limits.slope else { return steadyVolts }
    return min(steadyVolts, slope / (2 * .pi * frequency))
  }

  func protected(_ volts: [Float]) -> [Float] {
    var limiter = DriveLimiter(limits: limits, fullScaleVolts: 1, rate: rate.hertz)
    let peak = Float(peakVolts)
    return volts.map { limiter.limit(max(-peak, min(peak, $0))) }
  }

  var filter: KnownFilter {
    sensorBandwidth.map { KnownFilter.butterworth(corner: $0) } ?? .none
  }

  var isMotor: Bool { actuator.kind == .erm }

  var isPiezo: Bool { actuator.kind == .piezo }
}

/// What a sensor's low-pass does that the rig file does not tell of.
///
/// Taken as a filter of first order whose corner may lie as low as 1 kHz, at which accelerometers for
/// vibration begin: the response falls by 1 / sqrt(1 + (f / fc)^2), and a low-pass of second order there
/// delays by sqrt(2) / (2 pi fc). Half of the fall is the standard uncertainty, with the 1 % of an even response.
extension CalibrationSubject {
  private static let lowestCorner = 1_000.0

  /// One standard deviation of the delay in seconds, where nothing is known of the low-pass.
  static let unknownFilterDelay = 2.0.squareRoot() / (2 * .pi * lowestCorner)

  /// One standard deviation of a gain at a frequency, as a share.
  static func unknownFilterGain(at frequency: Double) -> Double {
    let ratio = frequency / lowestCorner
    return hypot(0.01, 0.5 * (1 - 1 / (1 + ratio * ratio).squareRoot()))
  }
}
