// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Testing

struct SeriesHistoryTests {
  private let stepped = series(
    quietNights(60, seed: 5).enumerated().map { $1 + ($0 >= 57 ? 3 : 0) })

  @Test func `a step whose third night is the newest asks for a re-run`() throws {
    let history = SeriesHistory(stepped)
    #expect(history.points.map(\.state) == [.found])
    #expect(history.asksForRerun)
    #expect(history.finding.points == history.points)
  }

  @Test func `a re-run decides, and asks for no other`() {
    let confirmed = SeriesHistory(stepped, rerun: [Repeat(run: "again", value: 12.8)])
    #expect(confirmed.points.map(\.state) == [.confirmed])
    #expect(!confirmed.asksForRerun)
    let refuted = SeriesHistory(stepped, rerun: [Repeat(run: "again", value: 10.1)])
    #expect(refuted.points.map(\.state) == [.weak])
    #expect(!refuted.asksForRerun)
  }

  @Test func `a trend is of the level since the last confirmed change`() throws {
    let values = (0..<90).map { night -> Double in
      (night >= 60 ? 15.0 : 10.0) + 0.02 * Double(night % 7)
    }
    let history = SeriesHistory(series(values))
    #expect(history.points.map(\.index) == [60])
    #expect(try #require(history.trend).count == 30)
    #expect(abs(try #require(history.trend).perMonth) < 0.2)
  }
}
