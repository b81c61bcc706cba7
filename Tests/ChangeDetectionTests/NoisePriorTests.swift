// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import SimulatedNights
import Testing
import Units

@testable import ChangeDetection

/// Reference numbers by References/prior.py (SciPy).
struct NoisePriorTests {
  private let detector = ChangeDetector()

  private func sister(_ values: [Double], _ pattern: Int, rig: String = "bench") -> NightlySeries {
    series(values, key: SeriesKey(rig: rig, pattern: "\(pattern)", reading: "latency.onset"))
  }

  @Test(arguments: [
    (0.1, -10.423754940411076, 101.43329915079275), (0.5, -1.9635100260214235, 4.93480220054468),
    (1.0, -0.5772156649015329, 1.6449340668482266), (2.5, 0.7031566406452432, 0.4903577561002349),
    (7.9, 2.002238487563571, 0.13493078345663442), (8.0, 2.0156414779556098, 0.13313701469403144),
    (60.0, 4.085988081383538, 0.01680632711763539),
  ])
  func `polygamma functions are SciPy's, and the inverse leads back`(
    x: Double, digamma: Double, trigamma: Double
  ) {
    #expect(abs(Polygamma.digamma(x) - digamma) < 1e-9 * abs(digamma))
    #expect(abs(Polygamma.trigamma(x) - trigamma) < 1e-9 * trigamma)
    #expect(abs(Polygamma.inverseTrigamma(Polygamma.trigamma(x)) - x) < 1e-9 * x)
  }

  @Test(arguments: [
    ([0.2], [9.0], 0.1743378167503287, 2.8525102404301577),
    (
      [0.2, 0.2, 0.2, 0.2], [30.0, 30, 30, 30], 0.18609251309825128, 5.9350806042872195
    ),
    (
      [0.1, 0.25, 0.18, 0.3, 0.22], [4.0, 20, 8, 60, 100], 0.18353206368175512,
      4.512980272693939
    ),
    ([0.01, 1.0, 0.1], [100.0, 100, 100], 0.03414264078221596, 0.6331217489176539),
  ])
  func `scale and worth are those of the closed form`(
    deviations: [Double], freedoms: [Double], scale: Double, freedom: Double
  ) throws {
    // In decibels, which never go with the level.
    let prior = try #require(
      NoisePrior(
        scatters: zip(deviations, freedoms).map { .init(level: 5, deviation: $0, freedom: $1) },
        unit: .decibel))
    #expect(!prior.isRelative)
    #expect(abs(prior.deviation - scale) < 1e-8 * scale)
    #expect(abs(prior.freedom - freedom) < 1e-8 * freedom)
  }

  /// Variances drawn from a known distribution: 0.2^2 times d0 over chi-square of d0 degrees.
  @Test(arguments: [4, 12]) func `the distribution that variances were drawn from is found`(
    freedom: Int
  ) throws {
    var random = SeededRandom(seed: 31)
    let sisters = (0..<200).map { pattern in
      let chiSquare = (0..<freedom).reduce(0.0) { sum, _ in
        let z = random.gaussian()
        return sum + z * z
      }
      let deviation = 0.2 * (Double(freedom) / chiSquare).squareRoot()
      return sister((0..<60).map { _ in 10 + deviation * random.gaussian() }, pattern)
    }
    let prior = try #require(NoisePrior(sisters: sisters))
    #expect(abs(prior.deviation(at: 10) - 0.2) < 0.02, "\(prior.deviation(at: 10))")
    #expect(prior.freedom > 0.6 * Double(freedom) && prior.freedom < 1.5 * Double(freedom))
  }

  @Test func `scatter goes with the level where that is what makes sisters alike`() throws {
    var random = SeededRandom(seed: 32)
    let levels = [1.0, 3, 10, 30, 100]
    let noise = levels.map { _ in (0..<40).map { _ in random.gaussian() } }
    let shares = levels.indices.map { at in
      sister(noise[at].map { levels[at] * (1 + 0.02 * $0) }, at)
    }
    let relative = try #require(NoisePrior(sisters: shares))
    #expect(relative.isRelative && abs(relative.deviation - 0.02) < 0.005)
    let same = levels.indices.map { at in sister(noise[at].map { levels[at] + 0.02 * $0 }, at) }
    let absolute = try #require(NoisePrior(sisters: same))
    #expect(!absolute.isRelative && abs(absolute.deviation - 0.02) < 0.005)
    #expect(abs(relative.freedom - absolute.freedom) < 0.5)
  }

  @Test func `the more sisters agree, the more their word is worth`() throws {
    let alike = try [1, 3, 10, 30].map { count in
      try #require(
        NoisePrior(sisters: (0..<count).map { sister(quietNights(365, seed: UInt64($0)), $0) })
      ).freedom
    }
    #expect(alike == alike.sorted() && alike[0] < 4 && alike[3] > 20, "\(alike)")
  }

  @Test func `nothing is known by sisters of few nights, or of equal ones`() {
    #expect(NoisePrior(sisters: []) == nil)
    #expect(NoisePrior(sisters: [sister([10, 11], 1)]) == nil)
    #expect(NoisePrior(sisters: [sister([10, 10, 10, 10], 1)]) == nil)
  }

  @Test func `each series is told by the others of its rig, reading and unit`() throws {
    let quiet = (0..<3).map { sister(quietNights(60, seed: UInt64($0)), $0) }
    let loud = sister(quietNights(60, seed: 9).map { 10 * $0 - 90 }, 3)
    let elsewhere = sister(quietNights(60, seed: 5), 4, rig: "other")
    let priors = NoisePrior.ofEach(quiet + [loud, elsewhere])
    #expect(priors.count == 4 && priors[elsewhere.key] == nil)
    #expect(priors[loud.key] == NoisePrior(sisters: quiet))
    #expect(priors[quiet[0].key] == NoisePrior(sisters: [quiet[1], quiet[2], loud]))
  }

  /// 3 deviations after twenty nights, by nights that a prior knows and by itself.
  @Test func `sisters make a young series' step known earlier`() {
    var told = (alone: 0, known: 0)
    for seed in 0..<60 {
      var random = SeededRandom(seed: 7_000 + UInt64(seed))
      let sisters = (0..<10).map { pattern in
        let deviation = 0.2 * (1 + 0.2 * random.gaussian())
        return sister((0..<100).map { _ in 10 + deviation * random.gaussian() }, pattern)
      }
      let values = (0..<24).map { 10 + 0.2 * random.gaussian() + ($0 < 20 ? 0 : 0.6) }
      let prior = NoisePrior(sisters: sisters)
      func isTold(_ prior: NoisePrior?) -> Bool {
        detector.changePoints(in: series(values), prior: prior).contains { $0.state == .confirmed }
      }
      told.alone += isTold(nil) ? 1 : 0
      told.known += isTold(prior) ? 1 : 0
    }
    #expect(told.known >= told.alone + 5 && told.known >= 36, "\(told) of 60")
  }

  @Test func `sisters that wander keep a young series from crying wolf`() {
    var alarms = (alone: 0, known: 0)
    for seed in 0..<40 {
      var random = SeededRandom(seed: 8_000 + UInt64(seed))
      let all = (0..<6).map { pattern in
        sister(
          SimulatedNoise.stronglyCorrelated.nights(200, using: &random).map { 10 + 0.2 * $0 },
          pattern)
      }
      let young = series(Array(all[5].values.prefix(40)))
      func count(_ prior: NoisePrior?) -> Int {
        detector.changePoints(in: young, prior: prior).count { $0.state == .confirmed }
      }
      alarms.alone += count(nil)
      alarms.known += count(NoisePrior(sisters: Array(all[..<5])))
    }
    #expect(alarms.known <= alarms.alone / 2, "\(alarms) in 40 series of forty nights")
  }
}
