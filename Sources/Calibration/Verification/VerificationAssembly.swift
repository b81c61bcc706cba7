private import Glibc
import Perception
import Profiles

/// Sums up what verification measured.
struct VerificationAssembly: Sendable {
  let points: [VerifiedPoint]
  let taps: [TapReading]
  let pattern: PatternReading?
  /// The expanded relative uncertainty of an acceleration.
  let expanded: Double

  /// The verification as a profile holds it.
  var verification: ProfileVerification {
    let grid = points.map(gridPoint)
    let inside = points.filter { $0.command.mapping.isInside }
    let levels = inside.map { $0.reading.level - $0.command.targetLevel }
    let frequencies = inside.map { $0.reading.feltFrequency / $0.command.targetFrequency - 1 }
    let consistency = zip(levels, frequencies).map {
      JustNoticeable.consistency(levelError: $0, frequencyRatio: 1 + $1)
    }
    return ProfileVerification(
      grid: grid, level: ProfileVerification.Spread(of: levels),
      frequency: ProfileVerification.Spread(of: frequencies),
      consistency: ProfileVerification.Spread(of: consistency),
      levelCrossTalk: crossTalk(inside, along: \.intensity) {
        $0.reading.level - $0.command.targetLevel
      },
      frequencyCrossTalk: crossTalk(inside, along: \.sharpness) {
        $0.reading.feltFrequency / $0.command.targetFrequency
      },
      taps: taps.filter { $0.peak > 0 }.map { tap in
        ProfileVerification.Tap(
          intensity: tap.tap.intensity, sharpness: tap.tap.sharpness, peak: tap.peak,
          tail: tap.tail, pulseToRing: tap.pulseToRing)
      }, pattern: pattern?.account)
  }

  private func gridPoint(_ point: VerifiedPoint) -> ProfileVerification.GridPoint {
    let own = 2 * point.reading.levelUncertainty
    let common = 20 * log10(1 + expanded)
    return ProfileVerification.GridPoint(
      intensity: point.intensity, sharpness: point.sharpness,
      targetLevel: point.command.targetLevel, targetFrequency: point.command.targetFrequency,
      level: point.reading.level, frequency: point.reading.feltFrequency,
      uncertainty: (own * own + common * common).squareRoot(),
      isInside: point.command.mapping.isInside, isHeldOut: point.isHeldOut)
  }

  /// The greatest range of a number among grid points that share the other coordinate.
  private func crossTalk(
    _ inside: [VerifiedPoint], along shared: (VerifiedPoint) -> Double,
    value: (VerifiedPoint) -> Double
  ) -> Double? {
    let grid = inside.filter { !$0.isHeldOut }
    let ranges = Set(grid.map(shared)).compactMap { key -> Double? in
      let values = grid.filter { shared($0) == key }.map(value)
      guard values.count >= 2, let low = values.min(), let high = values.max() else { return nil }
      return high - low
    }
    return ranges.max()
  }
}
