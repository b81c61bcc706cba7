// SPDX-License-Identifier: Apache-2.0

import Calibration
import Glibc
import SeededRandom
import Testing
import Units

@Suite struct SensorTests {
  private func still(_ mean: Double, _ random: inout SeededRandom) -> [Float] {
    (0..<4_000).map { _ in Float(mean + 0.02 * random.gaussian()) }
  }

  @Test func `a flip finds scale and offset within their uncertainty`() throws {
    for seed in 0..<40 {
      var random = SeededRandom(seed: UInt64(seed))
      let (scale, offset) = (random.uniform(0.8...1.2), random.uniform(-0.5...0.5))
      let g = SensorFlip.standardGravity
      let found = try SensorFlip.evaluate([
        .init(axis: "z", isUp: true, samples: still(scale * g + offset, &random)),
        .init(axis: "z", isUp: false, samples: still(-scale * g + offset, &random)),
      ])
      #expect(abs(found[0].factor * scale - 1) <= 2 * found[0].factorUncertainty, "\(random)")
      #expect(abs(found[0].offset - offset) <= 4 * found[0].offsetUncertainty, "\(random)")
    }
  }

  @Test func `an axis that was recorded one way up only is refused`() {
    var random = SeededRandom(seed: 1)
    let samples = still(9.8, &random)
    #expect(throws: CalibrationRefusal.self) {
      try SensorFlip.evaluate([.init(axis: "x", isUp: true, samples: samples)])
    }
  }

  @Test func `up and down mixed up is told`() throws {
    var random = SeededRandom(seed: 2)
    let (up, down) = (still(-9.8, &random), still(9.8, &random))
    let error = #expect(throws: CalibrationRefusal.self) {
      try SensorFlip.evaluate([
        .init(axis: "x", isUp: true, samples: up), .init(axis: "x", isUp: false, samples: down),
      ])
    }
    #expect(error?.code == .sensorPolarity)
  }

  @Test func `a comparison finds scale and delay`() throws {
    var random = SeededRandom(seed: 3)
    let rate = SampleRate(hertz: 16_000)
    func motion(_ time: Double) -> Double {
      time < 0 || time > 2 ? 0 : 5 * sin(2 * .pi * (20 * time + 245 * time * time))
    }
    let reference = (0..<36_000).map {
      Float(motion(Double($0) / 16_000 - 0.1) + 0.002 * random.gaussian())
    }
    let sensor = (0..<36_000).map {
      Float(0.93 * motion(Double($0) / 16_000 - 0.1004) + 0.01 * random.gaussian())
    }
    let found = try SensorComparison.evaluate(
      sensor: sensor, reference: reference, rate: rate, referenceUncertainty: 0.005)
    #expect(abs(found.factor * 0.93 - 1) <= 2 * found.factorUncertainty)
    #expect(abs(found.delay - 0.0004) < 3e-6)
    #expect(found.coherence > 0.99)
  }

  @Test func `two sensors on different masses are refused`() {
    var random = SeededRandom(seed: 4)
    let a = (0..<16_000).map { _ in Float(random.gaussian()) }
    let b = (0..<16_000).map { _ in Float(random.gaussian()) }
    let error = #expect(throws: CalibrationRefusal.self) {
      try SensorComparison.evaluate(
        sensor: a, reference: b, rate: SampleRate(hertz: 16_000), referenceUncertainty: 0.005)
    }
    #expect(error?.code == .sensorComparison)
  }
}
