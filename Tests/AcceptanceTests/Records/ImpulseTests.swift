// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing
import Units

@Suite struct ImpulseTests {
  private func figure(_ pattern: String, _ values: [Float]?) -> TakeFigure {
    TakeFigure(
      pattern: pattern, take: 2, span: 0...1, panels: [], events: [],
      impulse: values.map {
        .init(
          span: -0.005...0.06,
          panel: .init(
            title: "Impulse response", unit: .metrePerSecondSquared,
            traces: [
              .init(name: "fit", lowest: [9, 9], highest: [9, 9]),
              .init(name: "measured", lowest: $0, highest: $0),
            ]))
      })
  }

  private func impulse(_ values: [Double], step: Double = 0.001) -> RunRecord.Impulse {
    RunRecord.Impulse(
      pattern: "tap", take: 1, start: 0, step: step, unit: .metrePerSecondSquared, values: values)
  }

  @Test func `the measured curve of the first take that has one is kept`() throws {
    let kept = try #require(
      RunRecord.Impulse(firstOf: [
        figure("quiet", nil), figure("dead", [0, 0]), figure("tap", [0, 123.456_78, -7.000_04]),
        figure("boom", [1, 2]),
      ]))
    #expect(kept.pattern == "tap" && kept.take == 2)
    #expect(kept.start == -0.005)
    #expect(abs(kept.step - 0.0325) < 1e-15)
    // To a hundred-thousandth of the largest, or finer: the text stays short.
    #expect(kept.values == [0, 123.46, -7])
  }

  @Test func `a run without an answered probe keeps none`() {
    #expect(RunRecord.Impulse(firstOf: []) == nil)
    #expect(RunRecord.Impulse(firstOf: [figure("a", nil), figure("b", [0, 0])]) == nil)
  }

  @Test func `the difference is the effective value of what is apart over that of the first`() {
    // A response that is a tenth weaker lies a tenth apart; one of other sign twice itself.
    let first = impulse([3, -4, 12])
    #expect(first.difference(to: first) == 0)
    let weaker = first.difference(to: impulse([2.7, -3.6, 10.8])) ?? .nan
    #expect(abs(weaker - 0.1) < 1e-12)
    #expect(first.difference(to: impulse([-3, 4, -12])) == 2)
    // (1, 0, 0) apart, of 13.
    #expect(first.difference(to: impulse([4, -4, 12])) == 1.0 / 13)
  }

  @Test func `curves on other times or in other units are not compared`() {
    let first = impulse([1, 2])
    var other = first
    other.unit = .standardGravity
    #expect(first.difference(to: other) == nil)
    #expect(first.difference(to: impulse([1, 2], step: 0.002)) == nil)
    #expect(first.difference(to: impulse([1, 2, 3])) == nil)
    #expect(impulse([0, 0]).difference(to: first) == nil)
  }
}
