import Acceptance
private import Glibc
import Perception
import SignalAnalysis
import Units

/// One part of a take's harmony: an error that people notice, in points of 100.
///
/// Errors that a just noticeable difference is known of count as d = error / difference, the mean of d^2
/// over the events, and 100 * 2^(-d^2) points: 100 for none, 50 for one difference, 6 for two. The other two parts are
/// shares of a whole. No part is below one point, so that their geometric mean says something.
enum HarmonyPart: CaseIterable {
  case sync
  case intensity
  case sharpness
  case decay
  case envelope
  case outside

  /// The reading that it rests on: levels are absolute under a profile alone, without one it is how well their
  /// differences are kept.
  func source(isCalibrated: Bool) -> ReadingKind {
    switch self {
    case .sync: .syncAudioHaptic
    case .intensity: isCalibrated ? .intensityError : .intensityContrast
    case .sharpness: .sharpnessError
    case .decay: .decayError
    case .envelope: .envelopeCorrelation
    case .outside: .energyOutside
    }
  }

  /// The reading that holds its points.
  var reading: ReadingKind {
    switch self {
    case .sync: .harmonySync
    case .intensity: .harmonyIntensity
    case .sharpness: .harmonySharpness
    case .decay: .harmonyDecay
    case .envelope: .harmonyEnvelope
    case .outside: .harmonyOutside
    }
  }

  /// How much it weighs.
  var weight: Double {
    switch self {
    case .sync: 3
    case .intensity, .sharpness: 2
    case .decay, .envelope, .outside: 1
    }
  }

  /// A decay that people just notice, in seconds: the release that they tell from a sudden one (Balandra 2019).
  private static let decayDifference = 57e-3

  /// The points of some measured values, each with its standard uncertainty; `nil` of none.
  func points(_ values: [Estimate]) -> Estimate? {
    guard !values.isEmpty else { return nil }
    let points: Estimate
    switch self {
    case .sync, .intensity, .sharpness, .decay:
      // What makes one value unsure makes all of them: a sensor's sensitivity, a delay.
      let count = Double(values.count)
      var (square, spread) = (0.0, 0.0)
      for value in values {
        let d = value.value / difference(value.value)
        let u = value.uncertainty / difference(value.value)
        square += d * d / count
        spread += (4 * d * d * u * u + 2 * u * u * u * u).squareRoot() / count
      }
      let height = 100 * exp2(-square)
      points = Estimate(height, uncertainty: height * log(2) * spread)
    case .envelope:
      let r = max(0, values[0].value)
      points = Estimate(100 * r * r, uncertainty: 200 * r * values[0].uncertainty)
    case .outside:
      let ratio = pow(10, values[0].value / 10)
      let share = 1 / (1 + ratio)
      points = Estimate(
        100 * share, uncertainty: 100 * share * share * ratio * log(10) / 10 * values[0].uncertainty
      )
    }
    return Estimate(max(1, points.value), uncertainty: points.uncertainty)
  }

  private func difference(_ value: Double) -> Double {
    switch self {
    // Positive means that the audio leads, which people notice at half of it.
    case .sync: value > 0 ? JustNoticeable.audioHaptic / 2 : JustNoticeable.audioHaptic
    case .intensity: JustNoticeable.level
    case .sharpness: log2(1 + JustNoticeable.frequency)
    default: Self.decayDifference
    }
  }
}
