// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ChangeDetection

/// What is said of the nights that a change still needs, held against nights that come.
struct NightsToConfirmTests {
  private let before = 50

  /// Fifty quiet nights, then some that lie higher.
  private func nights(after count: Int, step: Double, seed: UInt64) -> NightlySeries {
    series(
      quietNights(before, seed: seed)
        + quietNights(count, seed: 1_000 + seed).map { $0 + step })
  }

  private func point(_ history: SeriesHistory, _ state: ChangePoint.State) -> ChangePoint? {
    history.points.first { $0.state == state && abs($0.index - before) <= 3 && $0.effect > 0 }
  }

  /// Steps of three deviations, on the first evening on which each is weak.
  @Test func `a weak change needs the nights that are said`() throws {
    var errors: [Int] = []
    for seed in UInt64(1)...60 {
      let weak = (1...8).lazy.compactMap { count -> (count: Int, said: Int?)? in
        let history = SeriesHistory(nights(after: count, step: 0.6, seed: seed))
        return point(history, .weak).map { (count, history.nightsToConfirm[$0.index]) }
      }.first
      guard let weak else { continue }
      let needed = (1...30).first { more in
        let history = SeriesHistory(nights(after: weak.count + more, step: 0.6, seed: seed))
        return point(history, .confirmed) != nil
      }
      errors.append(abs((weak.said ?? 31) - (needed ?? 31)))
    }
    #expect(errors.count >= 20, "\(errors)")
    let median = errors.sorted()[errors.count / 2]
    #expect(median <= 1, "\(errors)")
  }

  @Test func `a change that is found needs one night more`() throws {
    let found = (UInt64(1)...40).compactMap { seed -> Int? in
      let history = SeriesHistory(nights(after: 3, step: 1.2, seed: seed))
      return point(history, .found).flatMap { history.nightsToConfirm[$0.index] }
    }
    #expect(found.count >= 30 && found.allSatisfy { $0 == 1 }, "\(found)")
  }

  @Test
  func `a confirmed change needs none, and one too small for a month of nights has no number`() {
    let confirmed = SeriesHistory(nights(after: 12, step: 1.2, seed: 4))
    #expect(point(confirmed, .confirmed) != nil && confirmed.nightsToConfirm.isEmpty)
    let detector = ChangeDetector()
    let some = nights(after: 3, step: 0.05, seed: 4)
    #expect(
      detector.nightsToConfirm(at: 50, from: 10, to: 10.05, scatter: 0.2, in: some, prior: nil)
        == nil)
  }

  @Test func `an alarm that waits says how long, and one that was accepted does not`() throws {
    let history = SeriesHistory(nights(after: 3, step: 1.2, seed: 4))
    let alarm = try #require(AlarmDecision([history.finding]).alarms.first)
    #expect(alarm.standing == .unconfirmed && alarm.nightsToConfirm == 1)
    let decision = BaselineDecision(
      .accepted, scope: SeriesScope(history.nightly.key), day: 60, who: "ada", when: "2025-03-01",
      why: "new amplifier")
    let accepted = SeriesHistory(history.nightly, decisions: [decision])
    let kept = try #require(AlarmDecision([accepted.finding]).alarms.first)
    #expect(kept.standing == .accepted && kept.nightsToConfirm == nil)
  }
}
