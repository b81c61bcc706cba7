private import Glibc

/// How strong a vibration of several components feels.
public enum PerceivedLevel {
  /// The level in dB above threshold: L = 10 log10 sum 10^(SL/10).
  ///
  /// Energies add, as the Pacinian channel adds them up. Minus infinity without a component above 0.
  ///
  /// - Parameters:
  ///   - components: The sines of the vibration.
  ///   - contour: What levels are counted from.
  /// - Returns: The level; that of the component itself where there is one alone.
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
  ///
  /// - Parameters:
  ///   - components: The sines of the vibration.
  ///   - contour: What levels are counted from.
  /// - Returns: The frequency; nil where there are several and none is 10 dB above threshold.
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
