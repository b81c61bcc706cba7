private import Glibc
import Perception

/// What a vibration or a tap takes: correction, inverse and their limits.
struct InverseDrive: Sendable {
  let profile: CalibrationProfile
  /// The dB that taps take: their correction, and what peak and leak take from them; nil for vibrations.
  var taps: ResponseCorrection?

  /// What the inverse is fed with for an acceleration in m/s2 at a frequency in hertz.
  ///
  /// The correction of the table, and what the inverse's leak takes away.
  func command(of wanted: Double, at frequency: Double) -> Double {
    let level = profile.laws.contour.sensationLevel(acceleration: wanted, at: frequency)
    if let taps { return wanted * pow(10, taps.decibels(at: frequency, level: level) / 20) }
    let decibels = profile.correction.decibels(at: frequency, level: level)
    return wanted * pow(10, decibels / 20) / profile.feedForward.leakFactor(at: frequency)
  }

  /// The peak voltage of a steady command.
  func volts(of command: Double, at frequency: Double) -> Double {
    command * profile.feedForward.response(at: frequency).magnitude
  }

  /// The highest acceleration below a bound that needs no more than a voltage.
  func ceiling(at frequency: Double, below bound: Double, volts: Double) -> Double {
    func isWithin(_ wanted: Double) -> Bool {
      self.volts(of: command(of: wanted, at: frequency), at: frequency) <= volts
    }
    guard bound > 0, !isWithin(bound) else { return bound }
    var (low, high) = (bound, bound)
    while !isWithin(low), low > 1e-9 { low /= 2 }
    for _ in 0..<40 {
      let middle = (low * high).squareRoot()
      if isWithin(middle) { low = middle } else { high = middle }
    }
    return low
  }
}

extension CalibrationProfile {
  /// The resonance in a band, or where the actuator is strongest if it has none there, in hertz.
  func strongestFrequency(in band: ClosedRange<Double>) -> Double {
    if let mode = model.modes.first, model.kind != .piezo { return mode.f0.value }
    let inside = ceiling.points.filter { band.contains($0.frequency) }
    let strongest = inside.max { strength($0) < strength($1) }
    return strongest?.frequency ?? band.upperBound
  }

  private func strength(_ point: ReachableCeiling.Point) -> Double {
    laws.contour.sensationLevel(acceleration: point.acceleration, at: point.frequency)
  }
}
