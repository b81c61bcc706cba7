// SPDX-License-Identifier: Apache-2.0

import Actuators
import Profiles
import SeededRandom
import Testing

struct DriveExcessTests {
  private let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 3.6, slope: 4_000)

  @Test func `a tone asks for two pi times its frequency and amplitude a second`() {
    let demand = DriveDemand.tone(amplitude: 2, frequency: 100)
    #expect(demand.peakVolts == 2)
    #expect(abs(demand.slope - 1256.637_061_435_917) < 1e-9)
    #expect(abs(demand.effectiveVolts - 1.414_213_562_373_095) < 1e-12)
  }

  @Test func `a steady voltage is its own effective value and rises once`() {
    let demand = DriveDemand.level(2, riseTime: 1e-3)
    #expect(demand == DriveDemand(peakVolts: 2, slope: 2_000, effectiveVolts: 2))
  }

  @Test func `what keeps every limit exceeds none`() {
    #expect(limits.excess(of: .tone(amplitude: 2.7, frequency: 230)) == nil)
    #expect(limits.excess(of: .tone(amplitude: 0, frequency: 230)) == nil)
  }

  @Test func `the safe full scale keeps peak and continuous to the bit or nearly`() {
    var random = SeededRandom(seed: 0x11717)
    for _ in 0..<2_000 {
      let limits = DriveLimits(
        continuousVolts: random.uniform(0.01...10), peakVolts: random.uniform(0.01...10))
      for isTone in [true, false] {
        let volts = limits.safeFullScale(
          fullScaleVolts: random.uniform(0.01...10), isTone: isTone)
        let demand: DriveDemand =
          isTone ? .tone(amplitude: volts, frequency: 230) : .level(volts, riseTime: 1e-3)
        #expect(limits.excess(of: demand) == nil, "\(limits), \(volts) V, tone: \(isTone)")
      }
    }
  }

  @Test(
    arguments: [
      (DriveDemand(peakVolts: 3.7, slope: 0, effectiveVolts: 0), "peak", 3.6, 3.7),
      (DriveDemand(peakVolts: 0, slope: 5_000, effectiveVolts: 0), "slope", 4_000, 5_000),
      (DriveDemand(peakVolts: 0, slope: 0, effectiveVolts: 2.6), "continuous", 2.5, 2.6),
    ] as [(DriveDemand, String, Double, Double)])
  func `each limit is told with what it allows and what is asked`(
    demand: DriveDemand, limit: String, allowed: Double, asked: Double
  ) throws {
    let excess = try #require(limits.excess(of: demand))
    #expect(excess.limit.rawValue == limit)
    #expect(excess.allowed == allowed)
    #expect(excess.asked == asked)
    #expect(excess.ratio == asked / allowed)
  }

  @Test func `of several the one furthest beyond is told`() throws {
    let excess = try #require(
      limits.excess(of: DriveDemand(peakVolts: 4, slope: 40_000, effectiveVolts: 5)))
    #expect(excess.limit == .slope)
  }

  @Test func `an amplitude lower by the ratio keeps the limits`() throws {
    var random = SeededRandom(seed: 0xD21FE)
    for _ in 0..<2_000 {
      let amplitude = random.uniform(0.1...20)
      let frequency = random.uniform(50...500)
      guard let excess = limits.excess(of: .tone(amplitude: amplitude, frequency: frequency))
      else { continue }
      let lower = amplitude / excess.ratio
      #expect(
        limits.excess(of: .tone(amplitude: lower, frequency: frequency)) == nil,
        "\(amplitude) V at \(frequency) Hz")
      #expect(
        limits.excess(of: .tone(amplitude: 1.001 * lower, frequency: frequency)) != nil,
        "\(amplitude) V at \(frequency) Hz")
    }
  }

  @Test func `without a slope limit any slope will do`() {
    let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 3.6)
    #expect(
      limits.excess(of: DriveDemand(peakVolts: 1, slope: .infinity, effectiveVolts: 1)) == nil)
  }

  @Test func `what is no number keeps no limit`() {
    #expect(
      limits.excess(of: DriveDemand(peakVolts: .nan, slope: 0, effectiveVolts: 0))?.limit == .peak)
  }
}
