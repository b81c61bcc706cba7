private import Glibc

/// One sine of a vibration.
public struct VibrationComponent: Sendable, Hashable {
  /// The frequency, in hertz.
  public var frequency: Double
  /// The peak acceleration, in m/s2.
  public var acceleration: Double

  /// Makes a component.
  public init(frequency: Double, acceleration: Double) {
    self.frequency = frequency
    self.acceleration = acceleration
  }
}

/// How strong a vibration of several components feels.
public enum PerceivedLevel {
  /// The level in dB above threshold: L = 10 log10 sum 10^(SL/10).
  ///
  /// Energies add, as the Pacinian channel adds them up. Minus infinity without a component above 0.
  public static func of(
    _ components: [VibrationComponent], contour: PerceptionContour = .aosp16
  ) -> Double {
    10
      * log10(
        components.reduce(0) { sum, component in
          sum + pow(10, component.sensationLevel(contour) / 10)
        })
  }
}

/// Where a vibration of several components lies in frequency.
public enum SharpnessCentroid {
  /// Components below this level in dB above threshold are not counted.
  public static let leastLevel = 10.0

  /// The frequency in hertz whose logarithm is the mean over components, weighted by 10^(SL/10).
  ///
  /// Of one component its own frequency, whatever its level.
  public static func of(
    _ components: [VibrationComponent], contour: PerceptionContour = .aosp16
  ) -> Double? {
    if components.count == 1 { return components[0].frequency }
    var (weights, sum) = (0.0, 0.0)
    for component in components {
      let level = component.sensationLevel(contour)
      guard level >= leastLevel else { continue }
      let weight = pow(10, level / 10)
      weights += weight
      sum += weight * log(component.frequency)
    }
    return weights > 0 ? exp(sum / weights) : nil
  }
}

extension VibrationComponent {
  fileprivate func sensationLevel(_ contour: PerceptionContour) -> Double {
    contour.sensationLevel(acceleration: abs(acceleration), at: frequency)
  }
}
