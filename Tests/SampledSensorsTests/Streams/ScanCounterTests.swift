// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

@testable import SampledSensors

struct ScanCounterTests {
  private func numbers(_ stamps: [Int64], rate: Double = 1000) -> [Int] {
    var counter = ScanCounter(sampleRate: rate)
    return stamps.flatMap { counter.note(ScanLayout.Scan(values: [], timestamp: $0)) }
      .map(\.index)
  }

  @Test func `a clock that is off by percents loses nothing`() {
    for period in [900_000, 1_000_000, 1_020_000, 1_100_000] as [Int64] {
      let found = numbers((0..<5000).map { 7_000_000_000 + $0 * period })
      #expect(found == Array(0..<4997), "period \(period)")
    }
  }

  @Test(arguments: 0..<60) func `what is missing is counted, and what is late is not missing`(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let period = 1e6 * Double.random(in: 0.92...1.08, using: &random)
    var truth: [Int] = []
    var stamps: [Int64] = []
    var index = 0
    var quiet = 64
    for _ in 0..<2000 {
      var late = Double.random(in: 0..<0.15, using: &random)
      if quiet == 0, random.chance(0.02) {
        index += random.integer(1...80)
        quiet = 12
      } else if quiet == 0, random.chance(0.05) {
        // One sample late by up to four: the three after it are on time.
        late = Double.random(in: 0..<4, using: &random)
        quiet = 6
      } else {
        quiet = max(0, quiet - 1)
      }
      truth.append(index)
      stamps.append(1_000_000_000_000 + Int64((Double(index) + late) * period))
      index += 1
    }
    let found = numbers(stamps)
    #expect(found == Array(truth.prefix(found.count)), "\(random): period \(period)")
    #expect(found.count == truth.count - 3)
  }

  @Test func `no stamp stops the counter`() {
    let wild: [Int64] = [0, .max, .min, -1, 5, .max, 0, 1]
    let found = numbers((0..<8).flatMap { _ in wild })
    #expect(found.count == 61)
    for (before, after) in zip(found, found.dropFirst()) { #expect(after > before) }
  }

  @Test func `a scan without a stamp has no number`() {
    var counter = ScanCounter(sampleRate: 1000)
    #expect(counter.note(ScanLayout.Scan(values: [1], timestamp: nil)).isEmpty)
  }
}
