// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import SimulatedNights
import Testing

@testable import ChangeDetection

struct NewestNightsTests {
  private let detector = ChangeDetector()

  private func newest(
    _ values: [Double], uncertainty: Double = 0, prior: NoisePrior? = nil
  ) -> NewestNights {
    let nights = series(values, uncertainty: uncertainty)
    return detector.newest(
      in: nights, after: detector.changePoints(in: nights, prior: prior), prior: prior)
  }

  /// Nights of the transport's latency, in microseconds.
  private func transport(_ count: Int, _ level: Double, _ random: inout SeededRandom) -> [Double] {
    (0..<count).map { _ in level * (1 + 0.02 * random.gaussian()) }
  }

  private func sisters(_ random: inout SeededRandom) -> NoisePrior? {
    NoisePrior(
      sisters: (0..<5).map { series(transport(30, 300 + 50 * Double($0), &random)) })
  }

  @Test(arguments: [1, 2, 3, 5, 10, 20])
  func `a jump from 406 to 626 is suspected from its first night on`(before: Int) throws {
    for seed in UInt64(1)...20 {
      var random = SeededRandom(seed: seed)
      let prior = sisters(&random)
      let nights = transport(before, 406, &random) + transport(3, 626, &random)
      for count in 1...2 {
        let newest = newest(Array(nights.prefix(before + count)), prior: prior)
        let suspicion = try #require(newest.suspicion, "seed \(seed), night \(count)")
        #expect(suspicion.point.index == before && suspicion.point.lastDayBefore == before - 1)
        #expect(abs(suspicion.point.effect - 220) < 60)
        #expect((suspicion.nightsToConfirm == nil) == (before < 3))
      }
    }
  }

  @Test func `without sisters the readings' own uncertainty tells a first night's scatter`() {
    #expect(newest([406, 626], uncertainty: 4).suspicion?.point.index == 1)
    #expect(newest([406, 626], uncertainty: 40) == .steady)
    #expect(newest([406, 409], uncertainty: 4) == .steady)
  }

  @Test func `too few nights tell nothing, and how many are needed`() {
    #expect(newest([]) == .tooFew(nights: 4))
    #expect(newest([10]) == .tooFew(nights: 3))
    #expect(newest([10, 15, 10]) == .tooFew(nights: 1))
    #expect(newest([10], uncertainty: 0.1) == .tooFew(nights: 1))
    var random = SeededRandom(seed: 3)
    #expect(newest([406], prior: sisters(&random)) == .tooFew(nights: 1))
  }

  @Test func `one night off is suspected, and the next one that is not clears it`() throws {
    let nights = quietNights(60, seed: 21)
    let off = newest(nights + [11.4])
    let suspicion = try #require(off.suspicion)
    #expect(suspicion.point.index == 60 && suspicion.nightsToConfirm == 3)
    #expect(newest(nights + [11.4, 10.1]) == .steady)
    #expect(newest(nights) == .steady)
  }

  @Test func `what is found is suspected no more`() {
    let nights = quietNights(60, seed: 21) + quietNights(6, seed: 22).map { $0 + 1 }
    let states = (1...6).map { count -> String in
      let some = series(Array(nights.prefix(60 + count)))
      let points = detector.changePoints(in: some)
      let isSuspected = detector.newest(in: some, after: points).suspicion != nil
      return isSuspected ? "suspected" : points.last?.state.rawValue ?? "steady"
    }
    #expect(
      states == ["suspected", "suspected", "found", "confirmed", "confirmed", "confirmed"])
  }

  @Test func `the answer does not depend on the unit, the direction or the calendar`() throws {
    for seed in UInt64(50)..<70 {
      let nights = quietNights(40, seed: seed) + quietNights(2, seed: seed + 100).map { $0 + 0.9 }
      let later = series(nights, days: nights.indices.map { 7_000 + $0 })
      let answers = [
        newest(nights), newest(nights.map { 1000 * $0 }), newest(nights.map { 20 - $0 }),
        detector.newest(in: later, after: detector.changePoints(in: later)),
      ].map(\.suspicion)
      guard let suspicion = answers[0] else {
        #expect(answers.allSatisfy { $0 == nil }, "seed \(seed)")
        continue
      }
      let scaled = try #require(answers[1], "seed \(seed)")
      #expect(
        abs(scaled.point.significance - suspicion.point.significance) <= 1e-6
          * suspicion.point.significance)
      #expect(abs(scaled.point.uncertainty - 1000 * suspicion.point.uncertainty) < 1e-6)
      let mirrored = try #require(answers[2], "seed \(seed)")
      #expect(abs(mirrored.point.effect + suspicion.point.effect) < 1e-9)
      let same = try #require(answers[3], "seed \(seed)")
      #expect(
        same.point.day == 7_000 + suspicion.point.index
          && same.point.significance == suspicion.point.significance)
    }
  }

  @Test func `outliers as this series has had them are not suspected`() {
    var random = SeededRandom(seed: 4)
    let nights = (0..<100).map { $0 % 12 == 5 ? 12.0 : 10 + 0.2 * random.gaussian() }
    #expect(newest(nights + [12]) == .steady)
    #expect(newest(nights + [8]).suspicion?.point.index == 100)
    #expect(newest(nights + [30]).suspicion?.point.index == 100)
  }

  @Test func `a series that never moved needs many nights before one off tells anything`() {
    func off(after count: Int, nights: Int) -> Bool {
      newest([Double](repeating: 10, count: count) + [Double](repeating: 12, count: nights))
        .suspicion != nil
    }
    #expect(!off(after: 20, nights: 1) && off(after: 20, nights: 2))
    #expect(off(after: 365, nights: 1))
  }

  /// By Student's t alone 0.3 % of such nights are suspected at each look.
  @Test(arguments: [4, 8, 20, 60])
  func `quiet nights are suspected as seldom as the chance says`(before: Int) {
    let trials = 3_000
    let suspected = (0..<trials).count { trial in
      let nights = series(quietNights(before + 1, seed: 60_000 + UInt64(trial)))
      return detector.newest(in: nights, after: []).suspicion != nil
    }
    // Up to two looks an evening where nights are few, five where they are many.
    #expect(suspected <= 30, "\(suspected) of \(trials)")
  }

  @Test func `a quiet year is suspected twice at most on average`() {
    var episodes: [Int] = []
    let years = 8
    for year in 0..<years {
      let nights = quietNights(365, seed: 90_000 + UInt64(year))
      var last = -10
      for count in 1...365 {
        guard let index = newest(Array(nights.prefix(count))).suspicion?.point.index else {
          continue
        }
        if index > last + 3 { episodes.append(count) }
        last = index
      }
    }
    #expect(episodes.count <= 2 * years + 6, "\(episodes.count) in \(years) years")
  }

  /// What it says of the nights to come, held against nights that come.
  @Test func `the nights that are still needed are those that are needed`() throws {
    var (right, all) = (0, 0)
    for seed in UInt64(1)...40 {
      let nights =
        quietNights(50, seed: seed) + quietNights(12, seed: 1_000 + seed).map { $0 + 1 }
      guard let suspicion = newest(Array(nights.prefix(51))).suspicion else { continue }
      let needed = (1...11).first { more in
        detector.changePoints(in: series(Array(nights.prefix(51 + more))))
          .contains { $0.state == .confirmed }
      }
      all += 1
      let said = try #require(suspicion.nightsToConfirm)
      right += abs((needed ?? 12) - said) <= 1 ? 1 : 0
    }
    #expect(all >= 30 && Double(right) >= 0.8 * Double(all), "\(right) of \(all)")
  }
}
