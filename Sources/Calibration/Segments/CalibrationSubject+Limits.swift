import Actuators
import Profiles
import SignalAnalysis
import Units

extension CalibrationSubject {
  /// The share of what may last that leaves room for the ripple of the thermal average.
  private static let rippleRoom = 0.98

  /// What the drive must never exceed.
  var limits: DriveLimits { actuator.limits }

  /// The highest voltage at any moment.
  var peakVolts: Double { min(fullScaleVolts, limits.peakVolts) }

  /// The highest peak of a tone that lasts.
  var steadyVolts: Double {
    Self.rippleRoom
      * limits.safeFullScale(fullScaleVolts: fullScaleVolts, isTone: !isMotor)
  }

  /// The highest peak of a tone at a frequency.
  func steadyVolts(at frequency: Double) -> Double {
    guard let slope = limits.slope else { return steadyVolts }
    return min(steadyVolts, slope / (2 * .pi * frequency))
  }

  /// A drive with the limits kept, whatever was asked.
  func protected(_ volts: [Float]) -> [Float] {
    var limiter = DriveLimiter(limits: limits, fullScaleVolts: 1, rate: rate.hertz)
    let peak = Float(peakVolts)
    return volts.map { limiter.limit(max(-peak, min(peak, $0))) }
  }

  /// What the sensor does between motion and samples.
  var filter: KnownFilter {
    sensorBandwidth.map { KnownFilter.butterworth(corner: $0) } ?? .none
  }

  /// Whether it is a motor with an eccentric mass.
  var isMotor: Bool { actuator.kind == .erm }

  /// Whether it is a piezo.
  var isPiezo: Bool { actuator.kind == .piezo }
}
