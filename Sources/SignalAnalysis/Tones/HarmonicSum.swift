/// The root of a sum of squares of noisy amplitudes over a fundamental.
enum HarmonicSum {
  /// sqrt(sum of a^2) / a1, without what noise adds to the squares.
  ///
  /// Real and imaginary part of each amplitude have the stated uncertainty u, so a^2 has the mean
  /// A^2 + 2 u^2 and the variance 4 A^2 u^2 + 4 u^4. Close to zero the uncertainty is that of the root
  /// of the sum: sqrt(S + s) - sqrt(S), with s the standard deviation of S.
  static func distortion(of parts: [Estimate], over fundamental: Estimate) -> Estimate {
    var (sum, variance) = (0.0, 0.0)
    for part in parts {
      let noise = part.uncertainty * part.uncertainty
      let square = max(0, part.value * part.value - 2 * noise)
      sum += part.value * part.value - 2 * noise
      variance += 4 * square * noise + 4 * noise * noise
    }
    let root = max(0, sum).squareRoot()
    let width = (max(0, sum) + variance.squareRoot()).squareRoot() - root
    let share = root / fundamental.value
    let own = width / fundamental.value
    let scale = share * fundamental.uncertainty / fundamental.value
    return Estimate(share, uncertainty: (own * own + scale * scale).squareRoot())
  }
}
