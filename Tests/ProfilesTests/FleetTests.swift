// SPDX-License-Identifier: Apache-2.0

import Glibc
import Perception
import Profiles
import Testing

struct FleetTargetingTests {
  @Test func `the level is what the weakest holds at its best`() throws {
    let strong = try SampleProfiles.lra(id: "strong", gain: 9)
    let weak = try SampleProfiles.lra(id: "weak", f0: 200, gain: 2)
    let fleet = try FleetTargeting([strong, weak])
    // 2 m/s2 per V at 2.5 Vrms at 200 Hz.
    let expected = PerceptionContour.aosp16.sensationLevel(
      acceleration: 2 * 2.5 * 2.0.squareRoot(), at: 200)
    #expect(abs(fleet.referenceLevel - expected) < 0.15, "\(fleet.referenceLevel) dB")
    #expect(fleet.weakest == "weak")
    #expect(fleet.members.map(\.id) == ["strong", "weak"])
    #expect(abs(fleet.members[1].loss) < 1e-9)
    #expect(fleet.members[0].loss > 12)
    #expect(fleet.members.allSatisfy { $0.reachedPoints > 0 && $0.reachedPoints <= 25 })
  }

  @Test func `a level that is asked for is taken and the losses follow`() throws {
    let profile = try SampleProfiles.lra()
    let fleet = try FleetTargeting([profile], reference: 20)
    #expect(fleet.referenceLevel == 20)
    let highest = try #require(profile.highestLevel)
    #expect(abs(fleet.members[0].loss - (highest.level - 20)) < 1e-9)
  }

  @Test func `without a fleet the level is 30 dB or what the actuator holds`() throws {
    let strong = try SampleProfiles.lra(gain: 9)
    let weak = try SampleProfiles.lra(gain: 1)
    #expect(strong.unfleetedReferenceLevel == 30)
    let held = try #require(weak.highestLevel).level
    #expect(weak.unfleetedReferenceLevel == held)
    #expect(held < 30)
  }

  @Test func `a new target keeps the fit and drops what was verified under the old`() throws {
    var profile = try SampleProfiles.lra()
    profile.verification = ProfileVerification(grid: [])
    let other = profile.retargeted(to: 24)
    #expect(other.laws.referenceLevel == 24)
    #expect(other.verification == nil)
    #expect(other.model == profile.model && other.feedForward == profile.feedForward)
    #expect(profile.retargeted(to: 30) == profile)
  }

  @Test func `a fleet that cannot be is refused with the reason`() throws {
    let one = try SampleProfiles.lra(id: "one")
    #expect(throws: FleetTargeting.Refusal.empty) { try FleetTargeting([]) }
    #expect(throws: FleetTargeting.Refusal.twice(id: "one")) { try FleetTargeting([one, one]) }
    let other = try SampleProfiles.lra(id: "two", laws: ProfileLaws(intensity: .sone))
    let laws = try #require(throws: FleetTargeting.Refusal.self) {
      _ = try FleetTargeting([one, other])
    }
    #expect(laws.description.contains("'one' and 'two'"))
    let faint = try SampleProfiles.lra(id: "faint", gain: 0.01)
    let weak = try #require(throws: FleetTargeting.Refusal.self) {
      _ = try FleetTargeting([one, faint])
    }
    #expect(weak.description.contains("'faint' holds no more than"))
    #expect(throws: FleetTargeting.Refusal.referenceTooLow(reference: 5, floor: 10)) {
      try FleetTargeting([one], reference: 5)
    }
  }

  @Test func `a level that none of the fleet holds is refused with what each lacks`() throws {
    let one = try SampleProfiles.lra(id: "one", gain: 5)
    let two = try SampleProfiles.lra(id: "two", gain: 2.5)
    let refusal = try #require(throws: FleetTargeting.Refusal.self) {
      _ = try FleetTargeting([one, two], reference: 60)
    }
    for (id, profile) in [("one", one), ("two", two)] {
      let held = try #require(profile.highestLevel).level
      let words =
        "'\(id)' holds \((held * 10).rounded() / 10) dB, \(((60 - held) * 10).rounded() / 10) dB less"
      #expect(refusal.description.contains(words), "\(refusal)")
    }
    // One of two is enough, and the other is said to fall short.
    let held = try #require(one.highestLevel).level
    let fleet = try FleetTargeting([one, two], reference: held - 1)
    #expect(fleet.members.map(\.isReached) == [true, false])
  }
}

struct PairConsistencyTests {
  private func wide(_ id: String, gain: Double = 40) throws -> CalibrationProfile {
    try SampleProfiles.lra(id: id, q: 1, gain: gain).retargeted(to: 25)
  }

  @Test func `two actuators that reach everything feel the same`() throws {
    let pair = PairConsistency(try wide("one"), try wide("two", gain: 70))
    #expect(pair.commonPoints == 25)
    #expect(pair.basis == .predicted)
    #expect(try #require(pair.level).greatest < 1e-9)
    #expect(try #require(pair.frequency).greatest < 0.08)
  }

  @Test func `narrow resonances far apart have too little in common to tell`() throws {
    let pair = PairConsistency(
      try SampleProfiles.lra(id: "one", f0: 90, q: 30),
      try SampleProfiles.lra(id: "two", f0: 230, q: 30))
    #expect(pair.commonPoints < PairConsistency.fewestPoints)
    #expect(!pair.isMeasured && pair.level == nil)
  }

  @Test func `resonators with few points of the grid in common are compared on what both reach`()
    throws
  {
    let one = try SampleProfiles.lra(id: "one", f0: 150).retargeted(to: 25)
    let two = try SampleProfiles.lra(id: "two", f0: 200, gain: 2).retargeted(to: 25)
    let pair = PairConsistency(one, two)
    #expect(pair.commonPoints < PairConsistency.fewestPoints, "\(pair.commonPoints)")
    guard case .region(let band) = pair.place else {
      Issue.record("compared on the grid")
      return
    }
    #expect(band.lowerBound > 100 && band.upperBound <= 230.001 && band.contains(190), "\(band)")
    #expect(try #require(pair.level).greatest < 0.6)
    // Each may be moved by a quarter of a JND and still count as inside.
    #expect(try #require(pair.frequency).greatest < 0.085)
    // 8 dB of gain and two slopes apart.
    #expect(try #require(pair.uncalibrated) > 5)
  }

  @Test func `the uncertainty of a pair is that of both budgets`() throws {
    let pair = PairConsistency(try wide("one"), try wide("two"))
    let single = 2 * hypot(0.005, 0.003)
    #expect(abs(pair.uncertainty - 20 * log10(1 + single * 2.0.squareRoot())) < 1e-12)
  }

  @Test func `measured grids are compared where both have them`() throws {
    func measured(_ id: String, offset: Double) throws -> CalibrationProfile {
      var profile = try wide(id)
      profile.verification = ProfileVerification(
        grid: FeltGrid(predicting: profile).points.map { point in
          .init(
            intensity: point.intensity, sharpness: point.sharpness, targetLevel: point.level,
            targetFrequency: point.frequency, level: point.level + offset,
            frequency: point.frequency * (1 + offset / 100), uncertainty: 0.1, isInside: true)
        })
      return profile
    }
    let pair = PairConsistency(
      try measured("one", offset: 0.5), try measured("two", offset: -0.25))
    #expect(pair.basis == .measured)
    #expect(abs(try #require(pair.level).rms - 0.75) < 1e-9)
    #expect(abs(try #require(pair.frequency).rms - (1.005 / 0.9975 - 1)) < 1e-9)
  }

  @Test func `a rotating mass is judged on the curve that it can reach`() throws {
    // 25 points of the curve, from 80 Hz and 10 dB above threshold on.
    let motor = try SampleProfiles.erm(laws: ProfileLaws(referenceLevel: 30))
    let other = try SampleProfiles.lra(id: "wide", q: 1, gain: 90)
    let pair = PairConsistency(motor, other)
    #expect(pair.commonPoints >= PairConsistency.fewestPoints, "\(pair.commonPoints)")
    #expect(try #require(pair.level).rms < 0.3)
    #expect(try #require(pair.frequency).rms < 0.02)
  }

  @Test func `a fleet is as good as its worst pair`() throws {
    let one = try SampleProfiles.lra(id: "one", f0: 150).retargeted(to: 25)
    let two = try SampleProfiles.lra(id: "two", f0: 200, gain: 2).retargeted(to: 25)
    let far = try SampleProfiles.lra(id: "far", f0: 90, q: 30)
    let pairs = [PairConsistency(one, two), PairConsistency(one, one), PairConsistency(two, far)]
    let fleet = FleetConsistency(pairs)
    #expect(fleet.pairs == 3 && fleet.measuredPairs == 2)
    #expect(fleet.level == pairs[0].level?.rms && fleet.meetsGoal == true)
    #expect(fleet.frequency == pairs[0].frequency?.greatest)
    let none = FleetConsistency([pairs[2]])
    #expect(none.level == nil && none.meetsGoal == nil)
  }

  @Test func `a fleet has every pair once`() throws {
    let fleet = [try wide("a"), try wide("b"), try wide("c")]
    #expect(
      PairConsistency.all(fleet).map { $0.first + $0.second } == ["ab", "ac", "bc"])
  }

  @Test func `95 percent of twenty errors is the second greatest but one`() throws {
    let spread = try #require(ProfileVerification.Spread(of: (1...20).map { -Double($0) }))
    #expect(spread.percentile95 == 19)
    #expect(spread.greatest == 20)
    #expect(ProfileVerification.Spread(of: []) == nil)
  }
}
