import ChangeDetection
import SeededRandom
import Testing

@testable import ChangeDetection

struct EnergyStatisticTests {
  @Test func `the statistic of two pairs is what paper and pencil give`() throws {
    // 0 0 | 1 1: between 4, within 0: 2 * 2 / 4 * (2 * 4 / 4) = 2.
    let best = try #require(
      EnergyStatistic.bestSplit(of: [0, 0, 1, 1], in: 0..<4, fewestValues: 2))
    #expect(best.index == 2)
    #expect(abs(best.statistic - 2) < 1e-12)
  }

  @Test func `too few values have no split`() {
    #expect(EnergyStatistic.bestSplit(of: [0, 0, 1], in: 0..<3, fewestValues: 2) == nil)
    #expect(EnergyStatistic.bestSplit(of: [], in: 0..<0, fewestValues: 2) == nil)
  }

  @Test func `of equal splits the first counts`() throws {
    let best = try #require(
      EnergyStatistic.bestSplit(of: .init(repeating: 3, count: 9), in: 0..<9, fewestValues: 3))
    #expect(best.index == 3)
    #expect(best.statistic == 0)
  }

  @Test func `a stretch is judged by its own values alone`() throws {
    let values = [9.0, 9, 9, 0, 0, 0, 1, 1, 1, 1, 7, 7, 7]
    let best = try #require(EnergyStatistic.bestSplit(of: values, in: 3..<10, fewestValues: 2))
    #expect(best.index == 6)
  }

  @Test(arguments: ReferenceSeries.all)
  func `split and height are those of the double sums`(_ reference: ReferenceSeries.Case) throws {
    let best = try #require(
      EnergyStatistic.bestSplit(
        of: reference.values, in: reference.values.indices, fewestValues: 3))
    #expect(best.index == reference.split)
    #expect(abs(best.statistic - reference.energy) < 1e-8 * (1 + reference.energy))
  }
}
