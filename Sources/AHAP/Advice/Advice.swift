import JSONText

/// Advice on the design of a pattern: what plays as written but may not be felt as meant.
public enum Advice {
  /// Finds what could be designed better.
  ///
  /// All findings are notes with codes from `AHAP101`; the reader never gives these. Cost: n log n in
  /// entries and control points.
  ///
  /// - Parameters:
  ///   - document: What was read.
  ///   - rules: The thresholds.
  ///   - defaults: The values of what the file leaves out.
  /// - Returns: The findings in the order of the text.
  public static func findings(
    for document: AHAPDocument, rules: AdviceRules = AdviceRules(), defaults: EventDefaults = .apple
  ) -> [Diagnostic] {
    let score = Score(document.pattern, defaults: defaults)
    let found =
      score.weakFirstTaps(rules) + score.soundsApart(rules) + score.vibrationsWithoutHeadroom(rules)
      + score.longEffect(rules)
    return found.enumerated().sorted {
      ($0.element.position.offset, $0.offset) < ($1.element.position.offset, $1.offset)
    }.map(\.element)
  }
}
