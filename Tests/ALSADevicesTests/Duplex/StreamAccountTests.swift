import Devices
import Testing

@testable import ALSADevices

struct StreamAccountTests {
  private func setup(hasStamps: Bool = true) -> DuplexSetup {
    DuplexSetup(
      rate: 48_000, periodFrames: 48, bufferFrames: 192, isLockStep: false, isLinked: false,
      hasStamps: hasStamps)
  }

  @Test func `deviations of wake-ups fall into bins by powers of two microseconds`() throws {
    var account = StreamAccount(setup: setup())
    var time: Int64 = 5_000_000
    account.woke(at: time)
    // Off by 0, 0.9, 1, 3, 100, 1000 and 5,000,000 us from a period of 1 ms.
    for off in [0, 900, 1000, -3000, 100_000, -1_000_000, 5_000_000_000] as [Int64] {
      time += 1_000_000 + off
      account.woke(at: time)
    }
    let jitter = try #require(account.statistics(clipped: 0, isThreaded: true).jitter)
    #expect(jitter.total == 7)
    #expect(jitter.counts[0] == 2)
    #expect(jitter.counts[1] == 1)
    #expect(jitter.counts[2] == 1)
    #expect(jitter.counts[7] == 1)
    #expect(jitter.counts[10] == 1)
    #expect(jitter.counts[23] == 1)
    #expect(jitter.largest == 5)
  }

  @Test func `a break is no jitter`() throws {
    var account = StreamAccount(setup: setup())
    account.woke(at: 1_000_000)
    account.broke(at: 900_000_000)
    account.woke(at: 950_000_000)
    #expect(try #require(account.statistics(clipped: 0, isThreaded: true).jitter).total == 0)
  }

  @Test func `a few impossible stamps are passed over, many end the belief in them`() {
    var account = StreamAccount(setup: setup())
    account.began(at: 1000)
    #expect(account.note(.capture, position: 48, stamp: 2000, now: 3000) == 2000)
    #expect(account.note(.capture, position: 96, stamp: 0, now: 4000) == 4000)
    #expect(account.note(.capture, position: 96, stamp: 1999, now: 4000) == 4000)
    #expect(account.note(.capture, position: 96, stamp: 4500, now: 4000) == 4000)
    #expect(account.note(.capture, position: 96, stamp: 3900, now: 4000) == 3900)
    #expect(account.statistics(clipped: 0, isThreaded: true).timestamps == .kernel)
    for _ in 0..<5 { _ = account.note(.capture, position: 144, stamp: 500, now: 5000) }
    #expect(account.note(.capture, position: 144, stamp: 4900, now: 5000) == 5000)
    #expect(
      account.statistics(clipped: 0, isThreaded: true).timestamps
        == .program(reason: "8 of the card's time stamps were impossible"))
  }
}
