// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import SignalAnalysis
import Testing
import Units

/// By how much one signal's rises come after another's, of signals that share nothing else.
struct RiseDelayTests {
  private let rate = SampleRate(hertz: 48_000)

  /// Bursts of noise, and what follows them as other noise, `delay` samples later and let fall slowly.
  private func pair(delay: Int, seed: UInt64) -> (first: [Float], second: [Float]) {
    var random = SeededRandom(seed: seed)
    let count = 192_000
    var first = [Float](repeating: 0, count: count)
    var second = [Float](repeating: 0, count: count + 16_800)
    var place = 2_000
    while place < count - 8_000 {
      let (level, length) = (random.uniform(0.1...1), Int(random.uniform(2_000...6_000)))
      for index in 0..<length { first[place + index] = Float(random.uniform(-level...level)) }
      for index in 0..<(length + 3_000) where place + delay + index >= 0 {
        let fall = index < length ? 1 : 1 - Double(index - length) / 3_000
        second[place + delay + index] = Float(random.uniform(-level...level) * fall)
      }
      place += length + Int(random.uniform(5_000...12_000))
    }
    return (first, second)
  }

  @Test(arguments: [-480, 0, 7, 179, 2_400, 9_600])
  func `the delay is found within its uncertainty and a tenth of a millisecond`(delay: Int) throws {
    for seed: UInt64 in 1...3 {
      let (first, second) = pair(delay: delay, seed: seed)
      let found = try RiseDelay.find(of: second, after: first, rate: rate, in: -0.02...0.35)
      let error = abs(found.delay.value - Double(delay) / 48_000)
      #expect(error < 1e-4 + 3 * found.delay.uncertainty, "\(found) of \(delay)")
      #expect(error < 3e-4)
      #expect(found.correlation > 0.8)
    }
  }

  @Test func `where nothing rises, or nothing is in common, there is none`() {
    var random = SeededRandom(seed: 4)
    let silence = [Float](repeating: 0, count: 192_000)
    #expect(throws: RiseDelay.Failure.isSteady) {
      try RiseDelay.find(of: silence, after: silence, rate: rate, in: 0...0.3)
    }
    let noise = (0..<192_000).map { _ in Float(random.uniform(-1...1)) }
    let other = (0..<192_000).map { _ in Float(random.uniform(-1...1)) }
    #expect(throws: RiseDelay.Failure.self) {
      try RiseDelay.find(of: other, after: noise, rate: rate, in: 0...0.3)
    }
  }
}
