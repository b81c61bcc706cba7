// SPDX-License-Identifier: Apache-2.0

import SignalAnalysis
import Testing

struct CorrelationTests {
  private func pearson(_ first: [Double], _ second: [Double]) -> Double? {
    Correlation.pearson(first.span, second.span)
  }

  @Test func `it is that of SciPy`() throws {
    // scipy.stats.pearsonr([1, 2, 4, 7, 9], [2, 1, 5, 4, 11]).statistic
    let value = try #require(pearson([1, 2, 4, 7, 9], [2, 1, 5, 4, 11]))
    #expect(abs(value - 0.8593963529729853) < 1e-14)
  }

  @Test func `scale and offset do not matter and a turned sign does`() throws {
    let series = [0.3, 1.2, -0.7, 4]
    let turned = series.map { 5 - 2 * $0 }
    #expect(abs(try #require(pearson(series, turned)) + 1) < 1e-14)
  }

  @Test func `a constant correlates with nothing`() {
    #expect(pearson([1, 1, 1], [1, 2, 3]) == nil)
    #expect(pearson([], []) == nil)
  }
}
