// SPDX-License-Identifier: Apache-2.0

import AHAP
import SeededRandom
import Testing

@testable import Composing

struct LineReducerTests {
  @Test func `a line passes every sample within its tolerance`() {
    for seed in 0..<200 {
      var random = SeededRandom(seed: UInt64(seed))
      var (samples, reducer) = ([(ParameterCurve.Point, Double)](), LineReducer())
      var (time, value) = (0.0, 0.5)
      for _ in 0..<random.integer(1...300) {
        let tolerance = random.uniform(0.001...0.1)
        samples.append((.init(time: time, value: value), tolerance))
        reducer.add(samples[samples.count - 1].0, tolerance: tolerance)
        time += random.uniform(0.001...0.01)
        value += random.chance(0.1) ? random.uniform(-0.5...0.5) : random.uniform(-0.02...0.02)
      }
      let points = reducer.finished()
      #expect(points.first?.time == samples[0].0.time && points.last?.time == samples.last?.0.time)
      var next = 1
      for (sample, tolerance) in samples {
        while next < points.count - 1, points[next].time < sample.time { next += 1 }
        guard next < points.count else { continue }
        let (from, to) = (points[next - 1], points[next])
        let line =
          from.value + (to.value - from.value) * (sample.time - from.time) / (to.time - from.time)
        #expect(abs(line - sample.value) <= tolerance + 1e-9, "\(random) at \(sample.time)")
      }
    }
  }

  @Test func `a straight line is two points, a corner three`() {
    var reducer = LineReducer()
    for step in 0...100 {
      let time = Double(step) / 100
      reducer.add(.init(time: time, value: time), tolerance: 1e-6)
    }
    #expect(reducer.finished().count == 2)
    for step in 1...100 {
      let time = Double(step) / 100
      reducer.add(.init(time: 1 + time, value: 1 - time), tolerance: 1e-6)
    }
    #expect(reducer.finished().count == 3)
  }
}
