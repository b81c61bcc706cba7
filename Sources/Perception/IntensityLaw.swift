private import Glibc

/// How intensity 0...1 becomes a level, by name.
public enum IntensityLaw: String, Sendable, Hashable, CaseIterable {
  /// Amplitude grows with the square of intensity, as Core Haptics is found to. The default.
  case square
  /// Amplitude grows with intensity.
  case linear

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
    }
  }
}

/// The acceleration that an intensity and a frequency ask for, on an absolute scale.
///
/// a(I) = a0 + (a1 - a0) share(I) for I > 0, and 0 at I = 0, where a0 stands 10 dB above threshold
/// and a1 at the reference level. So it is strictly monotone and has no flat floor.
public struct IntensityTarget: Sendable, Equatable {
  /// The law between 0 and 1.
  public let law: IntensityLaw
  /// The contour that levels are counted from.
  public let contour: PerceptionContour
  /// The level of intensity 1, in dB above threshold.
  public let referenceLevel: Double
  /// The level of the weakest intensity, in dB above threshold.
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

  /// The peak acceleration in m/s2 of an intensity at a frequency.
  public func acceleration(intensity: Double, frequency: Double) -> Double {
    guard intensity > 0 else { return 0 }
    let floor = contour.acceleration(sensationLevel: floorLevel, at: frequency)
    let full = contour.acceleration(sensationLevel: referenceLevel, at: frequency)
    return floor + (full - floor) * law.share(of: intensity)
  }
}

/// Differences that people just notice, as numbers to divide errors by.
public enum JustNoticeable {
  /// A level, in dB (Israr and Tan 2006).
  public static let level = 2.2
  /// A frequency, as a ratio less one (Israr and Tan 2006).
  public static let frequency = 0.18
  /// An audio-tactile offset, in seconds (Adelstein 2003).
  public static let audioHaptic = 24e-3

  /// Level and frequency errors together: the root of the sum of squares, each in its own unit.
  public static func consistency(levelError: Double, frequencyRatio: Double) -> Double {
    let level = abs(levelError) / level
    let frequency = abs(log(frequencyRatio)) / log(1 + frequency)
    return (level * level + frequency * frequency).squareRoot()
  }
}
