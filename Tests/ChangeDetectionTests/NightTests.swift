// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import SeededRandom
import Testing
import Units

struct NightTests {
  @Test func `a night is the median of its runs, and names the run nearest to it`() throws {
    let repeats = [5.0, 1, 2, 90, 3].enumerated().map { Repeat(run: "r\($0)", value: $1) }
    let night = try #require(Night(day: 7, repeats: repeats))
    #expect(night.value == 3)
    #expect(night.run == "r4")
    #expect(night.count == 5)
  }

  @Test func `of two runs equally near the one first by name is taken`() throws {
    let night = try #require(
      Night(day: 7, repeats: [Repeat(run: "b", value: 1), Repeat(run: "a", value: 3)]))
    #expect(night.value == 2)
    #expect(night.run == "a")
  }

  @Test func `a night without a finite value is none`() {
    #expect(Night(day: 7, repeats: []) == nil)
    #expect(Night(day: 7, repeats: [Repeat(run: "r", value: .nan)]) == nil)
  }

  @Test func `one run has its own uncertainty`() throws {
    let night = try #require(
      Night(day: 7, repeats: [Repeat(run: "r", value: 1, uncertainty: 0.25)]))
    #expect(abs(night.uncertainty - 0.25) < 1e-12)
  }

  @Test(arguments: [3, 5, 9, 25])
  func `the uncertainty of a median is how far medians scatter`(count: Int) throws {
    var random = SeededRandom(seed: 0x71)
    var squares = 0.0
    var claimed = 0.0
    for _ in 0..<2_000 {
      let repeats = (0..<count).map { Repeat(run: "\($0)", value: random.gaussian()) }
      let night = try #require(Night(day: 0, repeats: repeats))
      squares += night.value * night.value
      claimed += night.uncertainty
    }
    let ratio = claimed / 2_000 / (squares / 2_000).squareRoot()
    #expect(abs(ratio - 1) < 0.08, "claimed over true \(ratio), \(random)")
  }

  @Test func `a series sorts its nights and keeps one a day`() {
    let series = NightlySeries(
      key: SeriesKey(rig: "a", reading: "xruns"), unit: .count,
      nights: [
        Night(day: 3, value: 1), Night(day: 1, value: 2), Night(day: 3, value: 4),
        Night(day: 2, value: .infinity),
      ])
    #expect(series.nights.map(\.day) == [1, 3])
    #expect(series.values == [2, 4])
    #expect(series.through(day: 2).values == [2])
  }

  @Test func `runs become nights by their day`() {
    let series = NightlySeries(
      key: SeriesKey(rig: "a", reading: "xruns"), unit: .count,
      repeats: [
        (2, Repeat(run: "c", value: 5)), (1, Repeat(run: "a", value: 1)),
        (2, Repeat(run: "d", value: 7)),
      ].map { (day: $0.0, repeat: $0.1) })
    #expect(series.values == [1, 6])
    #expect(series.nights.map(\.count) == [1, 2])
  }
}
