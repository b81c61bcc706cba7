// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing

@testable import ALSADevices

struct StreamTallyTests {
  private func setup(hasStamps: Bool = true) -> DuplexSetup {
    DuplexSetup(
      rate: 48_000, periodFrames: 48, bufferFrames: 192, isLockStep: false, isLinked: false,
      hasStamps: hasStamps)
  }

  @Test func `lateness of wake-ups falls into bins by powers of two microseconds`() throws {
    var tally = StreamTally(setup: setup())
    tally.woke(at: 5_000_000, due: 1_000_000)
    // Late by 0, 0.9, 1, 3, 100, 1000 and 5,000,000 us; early by 3 us is in time.
    for late in [0, 900, 1000, 3000, 100_000, 1_000_000, 5_000_000_000, -3000] as [Int64] {
      tally.woke(at: 10_000_000_000 + late, due: 10_000_000_000)
    }
    let jitter = try #require(tally.statistics(clipped: 0, isThreaded: true).jitter)
    #expect(jitter.total == 8)
    #expect(jitter.counts[0] == 3)
    #expect(jitter.counts[1] == 1)
    #expect(jitter.counts[2] == 1)
    #expect(jitter.counts[7] == 1)
    #expect(jitter.counts[10] == 1)
    #expect(jitter.counts[23] == 1)
    #expect(jitter.largest == 5)
  }

  @Test func `a start and a break are no lateness`() throws {
    var tally = StreamTally(setup: setup())
    tally.woke(at: 1_000_000, due: 0)
    tally.broke(at: 900_000_000)
    tally.woke(at: 950_000_000, due: 0)
    #expect(try #require(tally.statistics(clipped: 0, isThreaded: true).jitter).total == 0)
  }

  @Test func `a restart is as sure as the looks at both sides, and a frame`() throws {
    var tally = StreamTally(setup: setup())
    #expect(tally.statistics(clipped: 0, isThreaded: true).restartUncertainty == nil)
    tally.restarted(doubt: 79_167, and: 0)
    tally.restarted(doubt: 0, and: 0)
    // A frame is 20.8333 us: half-widths of 100 and 20.8333 us, each evenly likely.
    let sigma = try #require(
      tally.statistics(clipped: 0, isThreaded: true).restartUncertainty)
    #expect(abs(sigma - 58.974e-6) < 1e-9, "\(sigma)")
  }

  @Test func `a few impossible stamps are passed over, many end the belief in them`() {
    var tally = StreamTally(setup: setup())
    tally.began(at: 1000)
    #expect(tally.note(.capture, position: 48, stamp: 2000, now: 3000) == 2000)
    #expect(tally.note(.capture, position: 96, stamp: 0, now: 4000) == 4000)
    #expect(tally.note(.capture, position: 96, stamp: 1999, now: 4000) == 4000)
    #expect(tally.note(.capture, position: 96, stamp: 4500, now: 4000) == 4000)
    #expect(tally.note(.capture, position: 96, stamp: 3900, now: 4000) == 3900)
    #expect(tally.statistics(clipped: 0, isThreaded: true).timestamps == .kernel)
    for _ in 0..<5 { _ = tally.note(.capture, position: 144, stamp: 500, now: 5000) }
    #expect(tally.note(.capture, position: 144, stamp: 4900, now: 5000) == 5000)
    #expect(
      tally.statistics(clipped: 0, isThreaded: true).timestamps
        == .program(reason: "8 of the card's time stamps were impossible"))
  }
}
