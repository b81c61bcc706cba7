import Testing

@testable import ChangeDetection

/// The step test of correlated noise, by cases whose answer is known.
struct WhitenedSeriesTests {
  private static let phi = 0.5
  private static let all = 0..<64

  /// Sixty nights at 0, then four, scored: by least squares, and with every night bounded at 3.
  private func scores(of last: [Double]) -> (free: Double, bounded: Double) {
    let values = [Double](repeating: 0, count: 60) + last
    let series = WhitenedSeries(values, nights: Array(Self.all), correlation: Self.phi)
    let step = series.step(at: 60, in: Self.all)
    return (
      step.size / step.variance.squareRoot(),
      series.boundedScore(of: step, at: 60, in: Self.all, bound: 3, deviation: 1)
    )
  }

  @Test func `a leap that fades as correlated nights do is a step to least squares alone`() {
    let (free, bounded) = scores(of: [6, 3, 1.5, 0.75])
    #expect(free > 4)
    #expect(abs(bounded) < 2.5)
  }

  @Test func `a step of 2.5 sigmas loses next to nothing by the bound`() {
    let sigma = 1 / (1 - Self.phi * Self.phi).squareRoot()
    let (free, bounded) = scores(of: [Double](repeating: 2.5 * sigma, count: 4))
    #expect(free > 3.4)
    #expect(bounded > 0.97 * free)
  }

  @Test func `the score is the same backwards`() {
    let values = [Double](repeating: 0, count: 60) + [6, 3, 2, 4]
    func score(_ values: [Double], at split: Int) -> Double {
      let series = WhitenedSeries(values, nights: Array(Self.all), correlation: Self.phi)
      let step = series.step(at: split, in: Self.all)
      return series.boundedScore(of: step, at: split, in: Self.all, bound: 3, deviation: 1)
    }
    #expect(abs(score(values, at: 60) - score(values.reversed(), at: 4)) < 1e-9)
  }

  @Test func `two nights with others left out between them are tied by a power of the correlation`()
  {
    let (ratio, weight) = WhitenedSeries.link(across: 3, 0.5)
    #expect(ratio == 0.125)
    // Variance 1 - r^2 against 1 - phi^2.
    #expect(abs(weight - 0.75 / 0.984_375) < 1e-15)
    #expect(WhitenedSeries.link(across: 1, 0.5) == (0.5, 1))
  }
}
