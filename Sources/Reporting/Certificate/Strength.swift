import Profiles

/// A steady vibration in the quantities that carry over to another mass.
struct Strength {
  /// The peak acceleration in units of standard gravity.
  let gravities: Double
  /// The peak force in newtons; nil without a mass.
  let force: Double?
  /// The moving mass times its stroke, in gram millimetres; nil without a mass.
  let staticMoment: Double?

  /// From an acceleration on a mass: F = M a, m X = F / w^2.
  init(_ point: ReachableCeiling.Point, mass: Double?) {
    let w = 2 * Double.pi * point.frequency
    gravities = point.acceleration / 9.80665
    force = mass.map { $0 * point.acceleration }
    staticMoment = mass.map { 1e6 * $0 * point.acceleration / (w * w) }
  }
}
