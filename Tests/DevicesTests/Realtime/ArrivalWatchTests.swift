// SPDX-License-Identifier: Apache-2.0

import Devices
import SeededRandom
import Testing

/// A source's rate by its arrivals, on a clock of the test's own.
struct ArrivalWatchTests {
  /// Arrivals as a busy machine sees them: late by up to a period, held up for milliseconds now and then, several
  /// periods at once after that, and of a server that gives some at a time.
  private struct Arrivals {
    let period: Int
    /// How many periods the source gives at once.
    let batch: Int
    var random: SeededRandom
    /// When the next batch is due, and how long nobody comes to look.
    var due = 0.0
    var heldUntil = 0.0
    var nextHalt = 1.0
    var now = 0.0
    var longest = 0.0

    init(period: Int, batch: Int, seed: UInt64) {
      (self.period, self.batch) = (period, batch)
      random = SeededRandom(seed: seed)
    }

    /// The next arrival of a source that gives so many frames a second.
    mutating func next(rate: Double) -> (count: Int, time: Double) {
      let seconds = Double(period * batch) / rate
      due += seconds
      if due > nextHalt {
        heldUntil = due + random.uniform(0.003...0.025)
        nextHalt = due + random.uniform(0.05...8)
      }
      var count = period * batch
      var time = max(now, due + random.uniform(0...0.5) * Double(period) / rate)
      if time < heldUntil {
        // All that has come meanwhile is there at its end.
        time = heldUntil
        while due + seconds <= time {
          due += seconds
          count += period * batch
        }
      }
      longest = max(longest, time - now)
      now = time
      return (count, time)
    }
  }

  @Test(arguments: [64, 256, 512], [1, 4])
  func `an hour of a clock that is 1000 ppm off, late looks and bursts are no other rate`(
    period: Int, batch: Int
  ) {
    for (seed, ppm) in [(1, -1_000.0), (2, 1_000)] as [(UInt64, Double)] {
      var arrivals = Arrivals(period: period, batch: batch, seed: seed)
      var watch = ArrivalWatch(rate: 48_000)
      var alarms = 0
      while arrivals.now < 1_800 {
        let (count, time) = arrivals.next(rate: 48_000 * (1 + ppm * 1e-6))
        if watch.take(count, at: time) != nil { alarms += 1 }
      }
      #expect(alarms == 0, "\(arrivals.random), \(ppm) ppm")
    }
  }

  @Test(arguments: [64, 256, 512], [44_100.0, 52_245, 24_000, 96_000])
  func `another rate is known in the time that is stated, and about which it is`(
    period: Int, other: Double
  ) throws {
    for seed in UInt64(0)..<20 {
      var arrivals = Arrivals(period: period, batch: 1, seed: seed)
      arrivals.nextHalt = .infinity
      var watch = ArrivalWatch(rate: 48_000)
      while arrivals.now < 5 {
        let (count, time) = arrivals.next(rate: 48_000)
        #expect(watch.take(count, at: time) == nil)
      }
      let changed = arrivals.now
      var found: Double?
      while found == nil, arrivals.now < 20 {
        let (count, time) = arrivals.next(rate: other)
        found = watch.take(count, at: time)
      }
      let deviation = abs(other / 48_000 - 1)
      let uneven = arrivals.longest
      // The last arrival may be late too; the change, and the look, lie between two looks.
      let due =
        max(other < 48_000 ? 1.3 : 0, (0.005 + 3 * uneven) / (deviation - 0.02))
        + 2 * (0.01 + uneven)
      let after = arrivals.now - changed
      #expect(after < due, "\(arrivals.random): \(after) s, \(due) s")
      let rate = try #require(found)
      #expect((rate - 48_000) * (other - 48_000) > 0, "\(arrivals.random): \(rate)")
    }
  }

  /// A virtual machine that gets half of a processor for a while gives half of the frames.
  @Test func `a source that is held up in small pieces for 0.4 s keeps its rate`() {
    var watch = ArrivalWatch(rate: 48_000)
    var time = 0.0
    for step in 0..<30_000 {
      time += 0.001
      let isHeldUp = step % 3_000 > 2_600
      if isHeldUp, step.isMultiple(of: 2) { continue }
      #expect(watch.take(48, at: time) == nil, "\(step)")
    }
  }

  @Test func `a source that loses a second, or catches it up, keeps its rate`() {
    var watch = ArrivalWatch(rate: 48_000)
    var time = 0.0
    for step in 0..<3_000 {
      time += step == 1_000 ? 1 : 0.005
      let late = step == 2_000 ? 48_000 : 0
      #expect(watch.take(240 + late, at: time) == nil, "\(step)")
    }
  }
}
