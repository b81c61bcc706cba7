import Testing

@testable import ChangeDetection

struct StatisticsTests {
  // scipy.stats.t.sf(t, v) * 2
  @Test(arguments: [
    (0.0, 5.0, 1.0), (2.0, 3.0, 0.13932596855884305), (4.5, 30.0, 9.519359392112443e-05),
    (9.0, 200.0, 1.770938292326483e-16), (-3.0, 7.5, 0.018390938608204507),
  ])
  func `Student's tails are those of SciPy`(t: Double, freedom: Double, expected: Double) {
    let tails = StudentDistribution.tails(beyond: t, freedom: freedom)
    #expect(abs(tails - expected) < 1e-10 * expected)
  }

  @Test func `infinite evidence leaves no chance`() {
    #expect(StudentDistribution.tails(beyond: .infinity, freedom: 5) == 0)
  }

  @Test func `Huber's scale bears a tenth of wrong values and sees few that differ as none`() {
    let good = (0..<90).map { Double($0 % 2 == 0 ? 1 : -1) }
    #expect(Robust.scale(good) > 0.9)
    #expect(Robust.scale(good + .init(repeating: 1_000, count: 10)) < 1.6)
    #expect(Robust.scale([0, 0, 0, 0, 0, 0, 0, 0, 0, 5]) == 0)
    #expect(Robust.scale([]) == 0)
  }

  @Test func `the median absolute deviation of few values`() {
    #expect(Robust.deviation(of: [3]) == 0)
    #expect(abs(Robust.deviation(of: [0, 2]) - 1.4826 * 1.196) < 1e-12)
  }
}
