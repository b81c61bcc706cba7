/// The acceleration that an intensity and a frequency ask for, on an absolute scale.
///
/// a(I) = a0 + (a1 - a0) share(I) for I > 0, and 0 at I = 0, where a0 stands 10 dB above threshold
/// and a1 at the reference level. So it is strictly monotone and has no flat floor. Under `aosp` the
/// level in dB above threshold is I times the reference level, as Android has it, without that floor.
public struct IntensityTarget: Sendable, Equatable {
  /// The law between 0 and 1.
  public let law: IntensityLaw
  /// The contour that levels are counted from.
  public let contour: PerceptionContour
  /// The level of intensity 1, in dB above threshold.
  public let referenceLevel: Double
  /// The level of the weakest intensity, in dB above threshold; `aosp` has none.
  public let floorLevel: Double

  /// Makes a target.
  public init(
    law: IntensityLaw = .square, contour: PerceptionContour = .aosp16,
    referenceLevel: Double = 30, floorLevel: Double = 10
  ) {
    self.law = law
    self.contour = contour
    self.referenceLevel = referenceLevel
    self.floorLevel = floorLevel
  }

  /// The peak acceleration in m/s2 of an intensity at a frequency; the intensity is limited to 0...1.
  public func acceleration(intensity: Double, frequency: Double) -> Double {
    guard intensity > 0 else { return 0 }
    if law == .aosp {
      return contour.acceleration(
        sensationLevel: referenceLevel * min(1, intensity), at: frequency)
    }
    let floor = contour.acceleration(sensationLevel: floorLevel, at: frequency)
    let full = contour.acceleration(sensationLevel: referenceLevel, at: frequency)
    return floor + (full - floor) * law.share(of: intensity)
  }
}
