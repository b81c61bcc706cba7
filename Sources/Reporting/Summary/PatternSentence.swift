import Acceptance
private import Glibc
import Perception
import Units

/// What became of a pattern, in one plain sentence: how strong, how sharp, when, how much was scored.
///
/// `20 dB too weak; as sharp as asked; starts 0.41 ms late; in sync; 12 of 12 events`
enum PatternSentence {
  /// Writes the sentence; what a pattern does not have, such as sound, is not mentioned.
  static func text(_ summary: PatternSummary) -> String {
    let parts = [
      strength(summary), sharpness(summary), start(summary), sync(summary), summary.scored?.text,
      dropped(summary),
    ].compactMap(\.self)
    return parts.isEmpty ? "nothing to score" : parts.joined(separator: "; ")
  }

  private static func strength(_ summary: PatternSummary) -> String? {
    summary.isCalibrated ? level(summary) : contrast(summary)
  }

  /// The mean error, and how the events scatter about it where a person notices.
  private static func level(_ summary: PatternSummary) -> String? {
    guard let level = summary.level else { return nil }
    guard let mean = level.value else { return "level not measured" }
    let size = EngineeringFormat.rough(mean, uncertainty: level.uncertainty)
    let whole =
      abs(mean) <= JustNoticeable.level
      ? "as strong as asked" : "\(size) dB too \(mean < 0 ? "weak" : "strong")"
    guard let contrast = summary.contrast, let spread = contrast.value,
      spread > JustNoticeable.level
    else { return whole }
    let scatter = EngineeringFormat.rough(spread, uncertainty: contrast.uncertainty)
    return "\(whole), events \(scatter) dB uneven"
  }

  /// Without a profile loudness is nobody's promise: what counts is how the events differ.
  private static func contrast(_ summary: PatternSummary) -> String? {
    guard let contrast = summary.contrast else {
      return summary.level.map { _ in "level uncalibrated" }
    }
    guard let spread = contrast.value else {
      let isMeasured = summary.level?.value != nil
      return isMeasured ? "level uncalibrated" : "level not measured"
    }
    // A tenth of a decibel is nothing that anybody feels.
    let size = EngineeringFormat.rough(max(0.1, spread), uncertainty: contrast.uncertainty)
    return spread <= JustNoticeable.level
      ? "uncalibrated, contrast kept to \(size) dB"
      : "uncalibrated, contrast off by \(size) dB"
  }

  private static func sharpness(_ summary: PatternSummary) -> String? {
    guard let whole = summary.sharpness else { return nil }
    guard let mean = whole.value else { return "sharpness not measured" }
    let difference = log2(1 + JustNoticeable.frequency)
    if abs(mean) > difference {
      let size = EngineeringFormat.rough(mean, uncertainty: whole.uncertainty)
      return "\(size) octave too \(mean < 0 ? "dull" : "sharp")"
    }
    guard let error = summary.sharpnessError, let spread = error.value, spread > difference else {
      return "as sharp as asked"
    }
    let size = EngineeringFormat.rough(spread, uncertainty: error.uncertainty)
    return "sharpness off by \(size) octave"
  }

  private static func start(_ summary: PatternSummary) -> String? {
    guard let start = summary.latency else { return nil }
    guard let delay = start.value else { return "start not measured" }
    let size = EngineeringFormat.rough(1e3 * delay, uncertainty: start.uncertainty.map { 1e3 * $0 })
    return size == "0" ? "starts on time" : "starts \(size) ms \(delay < 0 ? "early" : "late")"
  }

  private static func sync(_ summary: PatternSummary) -> String? {
    guard let sync = summary.sync else { return nil }
    guard let offset = sync.value else { return "sync not measured" }
    guard SyncBand(offset: offset).verdict != .pass else { return "in sync" }
    let size = EngineeringFormat.rough(1e3 * offset, uncertainty: sync.uncertainty.map { 1e3 * $0 })
    return "\(size) ms \(offset < 0 ? "before" : "after") the sound"
  }

  private static func dropped(_ summary: PatternSummary) -> String? {
    guard let scored = summary.scored, scored.dropped > 0 else { return nil }
    return "\(scored.dropped) dropped"
  }
}
