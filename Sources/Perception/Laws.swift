// SPDX-License-Identifier: Apache-2.0

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

/// How sharpness 0...1 becomes the frequency of a vibration.
///
/// Apple publishes no law; the candidates differ by half an octave in the middle, so the law used is
/// named in every record. Every law of `named` rises strictly.
public enum SharpnessLaw: Sendable, Hashable {
  /// Equal steps in the logarithm of frequency: f = low (high/low)^s.
  case logarithmic(low: Double, high: Double)
  /// Equal steps in hertz: f = low + s (high - low).
  case linear(low: Double, high: Double)
  /// Two straight lines that meet at the resonance: s = 0, 0.7, 1 give low, resonance, high.
  ///
  /// Android 16 takes the three frequencies from the actuator: the ends of the band in which it stays
  /// 10 dB above threshold, and its resonance. Source: AOSP `BasicToPwleSegmentAdapter`, the version
  /// that pins the resonance.
  case pinned(low: Double, resonance: Double, high: Double)

  /// The sharpness that a pinned law gives the resonance.
  public static let pinnedSharpness = 0.7

  /// 80 Hz (230/80)^s, the default: equal steps of what people can tell apart.
  public static let log80To230 = SharpnessLaw.logarithmic(low: 80, high: 230)
  /// 80 Hz + 150 Hz s, as Hapticlabs documents.
  public static let linear80To230 = SharpnessLaw.linear(low: 80, high: 230)
  /// 65 Hz + 235 Hz s, as MPEG's reference software renders continuous events.
  public static let mpeg65To300 = SharpnessLaw.linear(low: 65, high: 300)
  /// 46, 150 and 300 Hz at s = 0, 0.7 and 1: Android 16's mapping for an actuator that is not known.
  ///
  /// Band and resonance are those of the example actuator in AOSP's default vibrator HAL; an actuator's
  /// own make a `pinned` law.
  public static let aosp = SharpnessLaw.pinned(low: 46, resonance: 150, high: 300)

  /// The laws by the names that records carry.
  public static let named: [(name: String, law: SharpnessLaw)] = [
    ("log80-230", .log80To230), ("linear80-230", .linear80To230), ("mpeg65-300", .mpeg65To300),
    ("aosp", .aosp),
  ]

  /// The law of a name.
  public static func named(_ name: String) -> SharpnessLaw? {
    named.first { $0.name == name }?.law
  }

  /// The name that records carry.
  public var name: String {
    if let known = Self.named.first(where: { $0.law == self }) { return known.name }
    return switch self {
    case .logarithmic(let low, let high): "log\(low)-\(high)"
    case .linear(let low, let high): "linear\(low)-\(high)"
    case .pinned(let low, let resonance, let high): "aosp\(low)-\(resonance)-\(high)"
    }
  }

  /// The frequency in hertz of a sharpness; the sharpness is limited to 0...1.
  public func frequency(of sharpness: Double) -> Double {
    let s = min(1, max(0, sharpness))
    return switch self {
    case .logarithmic(let low, let high): low * pow(high / low, s)
    case .linear(let low, let high): low + s * (high - low)
    case .pinned(let low, let resonance, let high):
      s < Self.pinnedSharpness
        ? low + s / Self.pinnedSharpness * (resonance - low)
        : resonance + (s - Self.pinnedSharpness) / (1 - Self.pinnedSharpness) * (high - resonance)
    }
  }
}
