public import Perception

/// What intensity and sharpness mean under a profile: laws, contour and the two ends of the level.
public struct ProfileLaws: Sendable, Equatable {
  /// Intensity to level.
  public var intensity: IntensityLaw
  /// Sharpness to frequency.
  public var sharpness: SharpnessLaw
  /// What levels are counted from.
  public var contour: PerceptionContour
  /// The level of intensity 1, in dB above threshold: absolute, and one for a fleet.
  public var referenceLevel: Double
  /// The level of the weakest intensity, in dB above threshold.
  public var floorLevel: Double

  /// Makes laws; what is not given has haprig's documented default.
  public init(
    intensity: IntensityLaw = .square, sharpness: SharpnessLaw = .log80To230,
    contour: PerceptionContour = .aosp16, referenceLevel: Double = 30, floorLevel: Double = 10
  ) {
    self.intensity = intensity
    self.sharpness = sharpness
    self.contour = contour
    self.referenceLevel = referenceLevel
    self.floorLevel = floorLevel
  }

  /// The acceleration that intensity and frequency ask for.
  public var target: IntensityTarget {
    IntensityTarget(
      law: intensity, contour: contour, referenceLevel: referenceLevel, floorLevel: floorLevel)
  }
}
