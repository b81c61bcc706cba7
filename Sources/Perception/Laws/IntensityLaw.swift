private import Glibc

/// How intensity 0...1 becomes a level, by name.
///
/// Every law is off at 0, full at 1, and rises strictly between.
public enum IntensityLaw: String, Sendable, Hashable, CaseIterable {
  /// Amplitude grows with the square of intensity, as Core Haptics is found to. The default.
  case square
  /// Amplitude grows with intensity.
  case linear
  /// Felt strength grows with intensity: amplitude = I^(1/b), b the exponent of Stevens' power law.
  ///
  /// b is 0.6, what Stevens (1968) found for vibration at 250 Hz on the finger; half the intensity is
  /// 10 dB less.
  case sone
  /// The level in dB above threshold grows with intensity, as in Android 16's normalized envelopes.
  ///
  /// a(I) = 10^((I Lmax + threshold)/20) and 0 at I = 0: a step from silence to threshold. Android
  /// takes Lmax from the actuator; `aospRange` stands in where there is no actuator to ask. Source:
  /// AOSP `BasicToPwleSegmentAdapter`.
  case aosp

  /// The exponent of Stevens' power law for vibration at 250 Hz (Stevens 1968).
  public static let soneExponent = 0.6
  /// The dB between threshold and full strength that `aosp` takes without an actuator's data.
  ///
  /// The reference level of haprig's profiles before a fleet has one.
  public static let aospRange = 30.0

  /// The name that records carry.
  public var name: String { rawValue }

  /// The share of the full amplitude that an intensity asks for, 0...1.
  ///
  /// The intensity is limited to 0...1. Without a profile this share of the safe full scale is the
  /// drive's amplitude.
  public func share(of intensity: Double) -> Double {
    let i = min(1, max(0, intensity))
    return switch self {
    case .square: i * i
    case .linear: i
    case .sone: pow(i, 1 / Self.soneExponent)
    case .aosp: i > 0 ? pow(10, (i - 1) * Self.aospRange / 20) : 0
    }
  }
}

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
