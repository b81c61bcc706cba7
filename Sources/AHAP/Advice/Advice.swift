import JSONText

/// Advice on the design of a pattern: what plays as written but may not be felt as meant.
public enum Advice {
  /// Finds what could be designed better.
  ///
  /// All findings are notes with codes from `AHAP101`; the reader never gives these. Cost: n log n in
  /// entries and control points.
  public static func findings(
    for document: AHAPDocument, rules: AdviceRules = AdviceRules(), defaults: EventDefaults = .apple
  ) -> [Diagnostic] {
    let score = Score(document.pattern, defaults: defaults)
    let found =
      score.weakFirstTaps(rules) + score.soundsApart(rules) + score.vibrationsWithoutHeadroom(rules)
      + score.longEffect(rules)
    return found.sorted { $0.position < $1.position }
  }
}

/// The thresholds of the advice on the design of a pattern.
///
/// Apple's talk on the design of haptics gives the advice and no numbers: the numbers are choices,
/// made so that what the rules say of Apple's own samples makes sense.
public struct AdviceRules: Sendable, Hashable {
  /// The longest time in seconds between two taps of a quick row; about ten taps a second and more
  /// are felt as a row, not one by one.
  public var rowGap = 0.1
  /// The numbers of taps of a row; fewer are single taps, more a texture whose first tap is no loss.
  public var rowCounts = 3...12
  /// Taps that follow each other within this time in seconds are felt as one, as strong as the
  /// strongest: a weak tap just before another is its primer.
  public var mergeGap = 0.03
  /// How strong the first tap of a row must be at least, as a share of the second.
  public var firstTapShare = 0.8
  /// A vibration that is on within this time in seconds before a tap is a primer for it.
  public var primerLead = 0.1
  /// The offset in seconds up to which haptics and sound start together, the amber band of a run's
  /// verdict; half of it where the sound comes first.
  public var syncBand = 0.01
  /// The offset in seconds up to which haptics and sound were meant to start together.
  public var meantTogether = 0.05
  /// The intensity, with its control, from which a vibration leaves no headroom for taps.
  public var fullStrength = 0.95
  /// The longest effect in seconds.
  public var longestEffect = 30.0

  /// Creates the rules with their usual thresholds.
  public init() {}
}
