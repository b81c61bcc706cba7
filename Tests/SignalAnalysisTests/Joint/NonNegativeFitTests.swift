// SPDX-License-Identifier: Apache-2.0

import Glibc
import SeededRandom
import SignalAnalysis
import Testing

struct NonNegativeFitTests {
  /// Bumps of 30 frames, every 25 frames, each with a strength and a delay of its own.
  private func bumps(_ gains: [Double], _ delays: [Double]) -> (
    courses: [NonNegativeFit.Course], samples: [Double]
  ) {
    func bump(_ place: Double) -> Double {
      place > 0 && place < 30 ? pow(sin(.pi * place / 30), 2) : 0
    }
    var random = SeededRandom(seed: 5)
    var samples = (0..<(100 + 25 * gains.count)).map { _ in 1e-3 * random.gaussian() }
    var courses: [NonNegativeFit.Course] = []
    for (index, gain) in gains.enumerated() {
      let first = 40 + 25 * index
      courses.append(.init(first: first, samples: (0..<30).map { bump(Double($0)) }))
      for frame in samples.indices {
        samples[frame] += gain * bump(Double(frame - first) - delays[index])
      }
    }
    return (courses, samples)
  }

  @Test func `courses that overlap are told apart, and none is negative`() {
    let gains = [1.0, 0.5, 1.6, 0, 1]
    let delays = [0.0, 1.3, -0.7, 0, 0.2]
    let (courses, samples) = bumps(gains, delays)
    var fit = NonNegativeFit(courses, reach: 10, noise: 1e-3)
    let parts = fit.fit(samples).parts
    for (index, part) in parts.enumerated() {
      #expect(part.gain.value >= 0)
      #expect(abs(part.gain.value - gains[index]) < 0.02, "\(index): \(part)")
      if gains[index] > 0 {
        #expect(abs(part.delay.value - delays[index]) < 0.1, "\(index): \(part)")
      }
    }
  }

  @Test func `a search finds what is further away than its own width`() {
    let gains = [1.0, 1, 0.6, 1, 1]
    let delays = [0.0, 0, 20.4, 0, 0]
    let (courses, samples) = bumps(gains, delays)
    var fit = NonNegativeFit(courses, reach: 25, noise: 1e-3)
    fit.search(samples)
    let parts = fit.fit(samples).parts
    for (index, part) in parts.enumerated() {
      #expect(abs(part.gain.value - gains[index]) < 0.05, "\(index): \(part)")
      #expect(abs(part.delay.value - delays[index]) < 0.4, "\(index): \(part)")
    }
  }

  @Test func `the sum of courses has the frames of all`() {
    let sum = NonNegativeFit.Course(sumOf: [
      .init(first: 3, samples: [1, 2]), .init(first: 4, samples: [10, 20, 30]),
    ])
    #expect(sum.first == 3 && sum.samples == [1, 12, 20, 30])
  }
}
