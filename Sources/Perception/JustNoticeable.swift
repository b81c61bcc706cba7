// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A difference that people just notice, as published: a number to divide errors by.
///
/// Studies, conditions and people differ. An index that is made of errors so divided is unsure by that
/// as well, on every rig alike: between two runs it cancels.
public enum JustNoticeable: String, Sendable, Hashable, CaseIterable {
  /// A level, in dB.
  case level
  /// A frequency, as a ratio less one.
  case frequency
  /// An offset in seconds between touch and the sound that follows it; of a sound that leads, half of it.
  case audioHaptic = "audio-haptic offset"
  /// A release that comes before or after its sound's, in seconds.
  case release

  /// The difference.
  public var value: Double {
    switch self {
    case .level: 2.2
    case .frequency: 0.18
    case .audioHaptic: 24e-3
    case .release: 57e-3
    }
  }

  /// What studies, conditions and people found it to be, from the least to the most.
  public var range: ClosedRange<Double> {
    switch self {
    case .level: 1.6...3.0
    case .frequency: 0.13...0.38
    case .audioHaptic: 24e-3...54e-3
    case .release: 24e-3...90e-3
    }
  }

  /// Who found it.
  public var source: String {
    switch self {
    case .level:
      "1.65 to 2.98 dB at 20 and 35 dB above threshold (Israr, Tan and Reed 2006); 1.6 dB at 125 Hz (Forta, Griffin and Morioka 2012)"
    case .frequency: "0.13 to 0.38 at 20 and 35 dB above threshold (Israr, Tan and Reed 2006)"
    case .audioHaptic:
      "24 ms (Adelstein et al. 2003); 54 ms (Balandra and Hasegawa 2019); noticed sooner where the sound leads (Begault et al. 2005)"
    case .release:
      "57 ms, of one study (Balandra and Hasegawa 2019); to either side as far as the least offset of any, 24 ms"
    }
  }

  /// The standard uncertainty of its logarithm, as a share of it: that of a rectangle over the logarithms of
  /// the range.
  ///
  /// A difference is a scale, which people have by factors and nobody at zero.
  public var relativeUncertainty: Double {
    log(range.upperBound / range.lowerBound) / 12.0.squareRoot()
  }

  /// The difference in frequency, in nepers.
  public static let nepers = log(1 + frequency.value)

  /// The difference in frequency, in octaves.
  public static let octaves = log2(1 + frequency.value)

  /// The consistency index J: level and frequency errors together, the root of the sum of squares, each in
  /// its own difference.
  ///
  /// `difference` says what a difference is taken for.
  public static func consistency(
    levelError: Double, frequencyRatio: Double, by difference: (JustNoticeable) -> Double = \.value
  ) -> Double {
    let level = abs(levelError) / difference(.level)
    let frequency = abs(log(frequencyRatio)) / log(1 + difference(.frequency))
    return (level * level + frequency * frequency).squareRoot()
  }

  /// The standard uncertainty of an index that comes from the published differences alone.
  ///
  /// One difference d after the other, with the relative uncertainty r, is taken for d e^r and for d e^-r.
  /// Half of how far that moves the index counts, and squares add, for each was found by itself.
  ///
  /// - Parameter index: The index, from what each difference is taken for.
  /// - Returns: One standard uncertainty, in the unit of the index.
  public static func uncertainty(
    of index: (_ difference: (JustNoticeable) -> Double) -> Double
  ) -> Double {
    allCases.reduce(0) { sum, moved in
      let ends = [-1.0, 1.0].map { side in
        index { $0 == moved ? $0.value * exp(side * $0.relativeUncertainty) : $0.value }
      }
      let half = (ends[0] - ends[1]) / 2
      return sum + half * half
    }.squareRoot()
  }
}
