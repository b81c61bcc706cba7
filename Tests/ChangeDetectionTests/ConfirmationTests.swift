// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Testing

struct ConfirmationTests {
  private let detector = ChangeDetector()

  /// Sixty quiet nights, then some five deviations higher.
  private func nights(after count: Int) -> NightlySeries {
    series(quietNights(60, seed: 21) + quietNights(count, seed: 22).map { $0 + 1 })
  }

  @Test func `a step is found on its third night and confirmed on its fourth`() {
    #expect(detector.changePoints(in: nights(after: 1)).isEmpty)
    #expect(detector.changePoints(in: nights(after: 2)).isEmpty)
    #expect(detector.changePoints(in: nights(after: 3)).map(\.state) == [.found])
    #expect(detector.changePoints(in: nights(after: 4)).map(\.state) == [.confirmed])
  }

  @Test func `of rising steps the small are nothing, those not sure yet weak, the large confirmed`()
  {
    let (before, after) = (quietNights(60, seed: 21), quietNights(4, seed: 22))
    let states = stride(from: 0.0, through: 1.2, by: 0.05).map { step in
      detector.changePoints(in: series(before + after.map { $0 + step })).last?.state
    }
    var seen: [ChangePoint.State?] = []
    for state in states where seen.isEmpty || seen[seen.count - 1] != state { seen.append(state) }
    #expect(seen == [nil, .weak, .confirmed], "\(states)")
  }

  @Test func `a re-run that agrees confirms, one that does not sends it back`() {
    let points = detector.changePoints(in: nights(after: 3))
    let agreeing = [10.9, 11.2, 10.2].enumerated().map { Repeat(run: "\($0)", value: $1) }
    let contrary = [10.1, 9.8, 11.2].enumerated().map { Repeat(run: "\($0)", value: $1) }
    #expect(ChangeDetector.weighing(points, rerun: agreeing).map(\.state) == [.confirmed])
    #expect(ChangeDetector.weighing(points, rerun: contrary).map(\.state) == [.weak])
    #expect(ChangeDetector.weighing(points, rerun: []) == points)
  }

  @Test func `a re-run says nothing of old and of weak changes`() {
    let points = [
      point(day: 3), point(day: 60, from: 10, to: 11, state: .weak),
    ]
    let rerun = [Repeat(run: "again", value: 11)]
    #expect(ChangeDetector.weighing(points, rerun: rerun) == points)
  }
}
