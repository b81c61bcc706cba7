// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing
import Units

@testable import Reporting

@Suite struct AxisScaleTests {
  @Test(arguments: [
    (0.9, 1.0), (1.0, 1.0), (1.1, 2), (2.1, 5), (5.1, 10), (0.011, 0.02), (0.0499, 0.05),
    (4321, 5000),
  ])
  func `a step is the next of 1, 2 and 5 times a power of ten`(length: Double, step: Double) {
    #expect(AxisScale.step(atLeast: length) == step)
  }

  @Test func `ticks lie in the range, one step apart, at most as many as asked`() {
    for seed in UInt64(1)...500 {
      var random = SeededRandom(seed: seed)
      let size = Double.random(in: 1e-6...1e6, using: &random)
      let low = Double.random(in: -size...size, using: &random)
      let high = low + Double.random(in: 1e-3...1, using: &random) * size
      let scale = AxisScale(low...high, count: 10)
      let slack = (high - low) * 1e-6
      #expect(scale.ticks.count <= 11, "seed \(seed): \(low)...\(high)")
      #expect(!scale.ticks.isEmpty, "seed \(seed): \(low)...\(high)")
      for tick in scale.ticks {
        #expect(tick >= low - slack && tick <= high + slack, "seed \(seed): \(tick)")
      }
      let labels = scale.ticks.map(scale.label)
      #expect(Set(labels).count == labels.count, "seed \(seed): \(labels) repeat themselves")
    }
  }

  @Test func `a quantity from 0 to 1 has the axis from 0 to 1`() {
    let scale = AxisScale.vertical(0.2, 0.4, unit: .one)
    #expect(scale.ticks.map(scale.label) == ["0.0", "0.5", "1.0"])
  }

  @Test func `what swings both ways lies even about zero`() {
    let scale = AxisScale.vertical(-3, 12, unit: .metrePerSecondSquared)
    #expect(scale.ticks == [-10, 0, 10])
    #expect(scale.range.lowerBound == -scale.range.upperBound)
    #expect(scale.range.contains(12))
  }

  @Test func `an axis holds zero even where the data do not`() {
    let scale = AxisScale.vertical(90, 110, unit: .hertz)
    #expect(scale.ticks.first == 0)
    #expect(scale.range.contains(110))
  }

  @Test func `silence has an axis too`() {
    #expect(AxisScale.vertical(0, 0, unit: .volt).ticks == [-1, 0, 1])
  }
}
