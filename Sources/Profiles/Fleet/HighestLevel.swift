import Perception

extension CalibrationProfile {
  /// The reference level of a profile that belongs to no fleet yet, in dB above threshold.
  public static let ownReferenceLevel = 30.0

  /// The strongest that the actuator holds at any sharpness: level in dB above threshold and where.
  ///
  /// Nil for a profile without a ceiling or a motor curve.
  public var highestLevel: (level: Double, frequency: Double)? {
    let map = DriveMap(profile: self, fullScaleVolts: .infinity)
    let frequencies: [Double]
    if let curve = motorCurve {
      frequencies = curve.points.map(\.frequency)
    } else {
      let ends = [laws.sharpness.frequency(of: 0), laws.sharpness.frequency(of: 1)].sorted()
      let inside = ceiling.points.map(\.frequency) + model.modes.map(\.f0.value)
      frequencies = ends + inside.filter { ends[0] <= $0 && $0 <= ends[1] }
    }
    return frequencies.compactMap { frequency in
      map.ceilingLevel(at: frequency).map { (level: $0, frequency: frequency) }
    }.max { $0.level < $1.level }
  }

  /// The reference level before there is a fleet: 30 dB, or what the actuator holds if that is less.
  public var unfleetedReferenceLevel: Double {
    min(Self.ownReferenceLevel, highestLevel?.level ?? Self.ownReferenceLevel)
  }

  /// The same profile under another reference level; what was verified under the old one is left out.
  public func retargeted(to referenceLevel: Double) -> CalibrationProfile {
    var profile = self
    profile.laws.referenceLevel = referenceLevel
    if referenceLevel != laws.referenceLevel { profile.verification = nil }
    return profile
  }
}
