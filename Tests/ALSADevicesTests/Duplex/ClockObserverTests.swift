// SPDX-License-Identifier: Apache-2.0

import Devices
import SeededRandom
import Testing

@testable import ALSADevices

struct ClockObserverTests {
  /// Pairs of a clock that is so much faster than nominal, each late by some time of one sign.
  private func observe(
    ppm: Double, seconds: Double, lateness: Double, seed: UInt64, breaks: Int = 0
  ) -> ClockObserver {
    var observer = ClockObserver(rate: 48_000)
    var random = SeededRandom(seed: seed)
    let step = 48
    let count = Int(seconds * 1000)
    var offset = 0.0
    for index in 0..<count {
      if breaks > 0, index.isMultiple(of: count / (breaks + 1)), index > 0 {
        observer.breakLine()
        offset += random.uniform(-1e-3...1e-3)
      }
      let frame = index * step
      let time = Double(frame) / (48_000 * (1 + ppm * 1e-6)) + offset
      let late = lateness * random.uniform()
      observer.observe(frame: frame, time: Int64((time + late) * 1e9) + 77_000_000)
    }
    return observer
  }

  @Test(arguments: [0.0, 12, -31.5, 200])
  func `a drift is found within a tenth of a part per million in a minute`(ppm: Double) throws {
    for seed in UInt64(1)...5 {
      // Wake-ups up to 60 us late, as they are on an ordinary kernel.
      let rate = try #require(
        observe(ppm: ppm, seconds: 60, lateness: 60e-6, seed: seed).result())
      #expect(abs(rate.ppm - ppm) < 0.1, "seed \(seed)")
      #expect(abs(rate.ppm - ppm) < 5 * rate.uncertainty + 1e-4, "seed \(seed)")
      #expect(rate.uncertainty < 0.02, "seed \(seed)")
    }
  }

  @Test func `a stream that broke is one slope of several lines`() throws {
    let rate = try #require(
      observe(ppm: 25, seconds: 60, lateness: 20e-6, seed: 3, breaks: 6).result())
    #expect(abs(rate.ppm - 25) < 0.2)
  }

  @Test func `a few pairs are no rate`() {
    #expect(observe(ppm: 5, seconds: 0.15, lateness: 1e-6, seed: 1).result() == nil)
  }
}
