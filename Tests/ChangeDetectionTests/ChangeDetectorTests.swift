// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import SimulatedNights
import Testing
import Units

@testable import ChangeDetection

struct ChangeDetectorTests {
  private let detector = ChangeDetector()

  private func confirmed(_ values: [Double], unit: MeasurementUnit = .second) -> [Int] {
    detector.changePoints(in: series(values, unit: unit)).filter { $0.state == .confirmed }
      .map(\.index)
  }

  @Test(arguments: 0...7)
  func `few nights say nothing`(count: Int) {
    let values = (0..<count).map { $0 < count / 2 ? 10.0 : 20.0 }
    #expect(detector.changePoints(in: series(values)).isEmpty)
  }

  @Test func `a clear step is found on its night, with both levels`() throws {
    var values = quietNights(90, seed: 1)
    for night in 50..<90 { values[night] += 1 }
    let points = detector.changePoints(in: series(values))
    let point = try #require(points.first)
    #expect(points.count == 1)
    #expect(point.index == 50)
    #expect(point.lastDayBefore == 49)
    #expect(point.state == .confirmed)
    #expect(abs(point.before - 10) < 0.15)
    #expect(abs(point.after - 11) < 0.15)
    #expect(abs(point.effect - 1) < 4 * point.uncertainty)
  }

  @Test func `nights that are all equal have no change`() {
    #expect(confirmed(.init(repeating: 3, count: 200)).isEmpty)
    #expect(confirmed(.init(repeating: 0, count: 200)).isEmpty)
  }

  @Test func `a step between two constants is found`() {
    let values = [Double](repeating: 3, count: 40) + [Double](repeating: 4, count: 10)
    #expect(confirmed(values) == [40])
  }

  @Test func `rounding of the last bits is no change`() {
    let values = (0..<60).map { $0 < 40 ? 0.1 + 0.2 : 0.3 }
    #expect(confirmed(values).isEmpty)
  }

  @Test(arguments: [0.0, -10])
  func `levels of zero and below are held to what they scatter`(level: Double) {
    var values = quietNights(120, seed: 2).map { $0 - 10 + level }
    #expect(confirmed(values).isEmpty)
    for night in 70..<120 { values[night] -= 1 }
    #expect(confirmed(values) == [70])
  }

  @Test func `values rounded to their scatter make no alarm, and a step of three units does`() {
    var values = quietNights(150, seed: 3).map { (5 * $0).rounded() / 5 }
    #expect(confirmed(values).isEmpty)
    for night in 100..<150 { values[night] += 0.6 }
    #expect(confirmed(values) == [100])
  }

  @Test func `one or two bad nights are no change, whatever their size`() {
    for bad in [60...60, 60...61, 99...99, 98...99, 0...1] {
      var values = quietNights(100, seed: 4)
      for night in bad { values[night] += 50 }
      #expect(detector.changePoints(in: series(values)).isEmpty, "bad nights \(bad)")
    }
  }

  @Test func `where a tenth of the nights are bad, three bad ones are no change and six are`() {
    var values = quietNights(120, seed: 13)
    for night in stride(from: 4, to: 110, by: 9) { values[night] += 1.6 }
    for (last, expected) in [(3, []), (6, [114])] {
      var nights = Array(values.prefix(114 + last))
      for night in 114..<nights.count { nights[night] += 1.6 }
      #expect(confirmed(nights) == expected, "the last \(last) nights are high")
    }
  }

  @Test func `a step of three deviations shows after twenty nights as well`() {
    let delays = (0..<40).map { seed -> Int in
      var random = SeededRandom(seed: 900 + UInt64(seed))
      let nights = SimulatedNoise.gaussian.nights(60, using: &random)
      let values = nights.enumerated().map { 100 + $1 + ($0 < 20 ? 0 : 3) }
      return (3...40).first { count in
        confirmed(Array(values.prefix(20 + count))).contains { abs($0 - 20) <= 5 }
      } ?? 41
    }
    #expect(delays.sorted()[20] <= 5, "\(delays)")
    #expect(delays.count { $0 > 15 } <= 4, "\(delays)")
  }

  @Test func `where no night is bad, four nights of a new level are enough`() {
    var values = quietNights(118, seed: 13)
    for night in 114..<118 { values[night] += 1.6 }
    #expect(confirmed(values) == [114])
  }

  @Test(arguments: [4.0, 5, 6, 8])
  func `a night that leaps, and neighbours that follow because they are alike, are no change`(
    leap: Double
  ) {
    var told: [UInt64] = []
    for seed in UInt64(0)..<30 {
      var random = SeededRandom(seed: 700 + seed)
      var nights = SimulatedNoise.correlated.nights(110, using: &random)
      var excess = leap * 0.866
      for night in 80..<110 {
        nights[night] += excess
        excess *= 0.5
      }
      let values = nights.map { 10 + 0.2 * $0 }
      let isTold = (81...100).contains { count in
        confirmed(Array(values.prefix(count))).contains { abs($0 - 80) <= 3 }
      }
      if isTold { told.append(seed) }
    }
    #expect(told.count <= 2, "of 30 years those of the seeds 700 + \(told)")
  }

  @Test func `a change smaller than matters is passed over, however sure`() {
    var random = SeededRandom(seed: 5)
    let values = (0..<120).map { 10 + 0.001 * random.gaussian() + ($0 < 60 ? 0 : 0.05) }
    #expect(confirmed(values).isEmpty)
    var fine = detector
    fine.settings.minimum = MinimumEffect(relative: 0.001)
    #expect(fine.changePoints(in: series(values)).map(\.index) == [60])
  }

  @Test func `a change within three measurement sigmas is passed over`() {
    var values = quietNights(80, seed: 6)
    for night in 40..<80 { values[night] += 1 }
    #expect(detector.changePoints(in: series(values, uncertainty: 0.2)).map(\.index) == [40])
    // 1.2533 * 2 / sqrt(40) on either side: three sigmas are 1.7.
    #expect(detector.changePoints(in: series(values, uncertainty: 2)).isEmpty)
  }

  @Test func `decibels are held to decibels and not to a share`() {
    var random = SeededRandom(seed: 7)
    let values = (0..<100).map { 0.02 * random.gaussian() + ($0 < 50 ? -1 : -0.93) }
    #expect(confirmed(values, unit: .decibel).isEmpty)
    #expect(confirmed(values, unit: .second) == [50])
  }

  @Test func `missing nights change nothing but the days`() throws {
    var values = quietNights(90, seed: 8)
    for night in 50..<90 { values[night] += 1 }
    let days = (0..<90).map { $0 < 50 ? 2 * $0 : 40 + 2 * $0 }
    let point = try #require(detector.changePoints(in: series(values, days: days)).first)
    #expect(point.index == 50)
    #expect(point.day == 140)
    #expect(point.lastDayBefore == 98)
  }

  @Test func `a weekly pattern is taken off before a step is looked for`() {
    var values = quietNights(140, seed: 9).enumerated().map { $1 + ($0 % 7 < 2 ? 0.8 : 0) }
    #expect(confirmed(values).isEmpty)
    for night in 100..<140 { values[night] += 0.8 }
    #expect(confirmed(values) == [100])
  }

  @Test func `steps one above the other are a stair and no drift`() {
    var random = SeededRandom(seed: 15)
    let nights = SimulatedNoise.gaussian.nights(365, using: &random)
    let stair = nights.enumerated().map { 100 + $1 + 2.5 * Double($0 / 73) }
    let found = confirmed(stair)
    for step in [73, 146, 219, 292] {
      #expect(found.contains { abs($0 - step) <= 5 }, "\(found)")
    }
  }

  @Test func `a slow drift is no row of steps`() {
    let values = quietNights(200, seed: 10).enumerated().map { $1 + 0.004 * Double($0) }
    #expect(confirmed(values).isEmpty)
  }

  @Test(arguments: [SimulatedNoise.gaussian, .correlated, .wandering, .drift])
  func `scale, shift and sign of the values change nothing but the levels`(
    noise: SimulatedNoise
  ) {
    var random = SeededRandom(seed: 11)
    var loose = detector
    loose.settings.minimum = MinimumEffect(relative: 0)
    for _ in 0..<10 {
      var values = noise.nights(120, using: &random)
      let step = random.integer(30...118)
      for night in step..<120 { values[night] += 4 }
      let points = loose.changePoints(in: series(values))
      for (scale, shift) in [(1024.0, 0.0), (-1, 0), (3e-6, 0), (-1e7, 3e8)] {
        let others = loose.changePoints(in: series(values.map { shift + scale * $0 }))
        #expect(others.map(\.index) == points.map(\.index), "step at \(step), \(random)")
        #expect(others.map(\.state) == points.map(\.state), "step at \(step), \(random)")
        for (other, point) in zip(others, points) {
          #expect(abs(other.significance - point.significance) < 1e-5 * point.significance)
          #expect(abs(other.effect - scale * point.effect) < 1e-6 * abs(other.effect))
          #expect(
            abs(other.uncertainty - abs(scale) * point.uncertainty) < 1e-6 * other.uncertainty)
        }
      }
    }
  }

  @Test func `the same nights give the same answer`() {
    let nights = series(quietNights(200, seed: 12).map { $0 * $0 })
    #expect(detector.changePoints(in: nights) == detector.changePoints(in: nights))
  }
}
