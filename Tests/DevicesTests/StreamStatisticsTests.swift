// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing

struct StreamStatisticsTests {
  @Test(arguments: [
    // scipy.stats.chi2.ppf(0.95, 2 * (n + 1)) / 2
    (0, 2.995732273553991), (1, 4.743864518390661), (5, 10.513034908741334),
    (50, 63.286986806379136), (1000, 1054.181402604655),
    // By Wilson and Hilferty.
    (1 << 20, 1050261.9),
  ])
  func `a count bounds its mean from above`(count: Int, bound: Double) {
    #expect(abs(PoissonBound.upper(count: count) - bound) < 1e-3 * bound)
  }

  @Test(arguments: [
    Scheduling.fifo(priority: 75), .ordinary(reason: ""), .ordinary(reason: "a (b) c)"),
  ])
  func `a scheduling is known again by its description`(scheduling: Scheduling) {
    #expect(Scheduling(scheduling.description) == scheduling)
  }

  @Test(arguments: [MemoryLock.locked, .refused(reason: ""), .refused(reason: "(at most) 8 bytes")])
  func `a memory lock is known again by its description`(lock: MemoryLock) {
    #expect(MemoryLock(lock.description) == lock)
  }

  @Test(arguments: [
    "", "memory", "memory locked ", "memory not locked (", "SCHED_FIFO at priority ",
    "SCHED_FIFO at priority high", "ordinary scheduling (", "ordinary scheduling",
  ])
  func `a text that is no description is none`(text: String) {
    #expect(Scheduling(text) == nil)
    #expect(MemoryLock(text) == nil)
  }

  @Test func `no xrun in two hours leaves one and a half an hour possible`() throws {
    var statistics = StreamStatistics()
    #expect(statistics.xrunsPerHourBound == nil)
    statistics.duration = 7200
    let bound = try #require(statistics.xrunsPerHourBound)
    #expect(abs(bound - 1.4979) < 1e-3)
  }

  @Test func `drift is the difference of two rates, with both uncertainties`() throws {
    var statistics = StreamStatistics()
    #expect(statistics.drift == nil)
    statistics.driveRate = .init(ppm: -4, uncertainty: 0.3, pairCount: 90)
    statistics.captureRate = .init(ppm: 8, uncertainty: 0.4, pairCount: 80)
    let drift = try #require(statistics.drift)
    #expect(drift.ppm == 12)
    #expect(abs(drift.uncertainty - 0.5) < 1e-12)
    #expect(drift.pairCount == 80)
  }

  @Test func `a share of deviations stays within a bin's end`() throws {
    var counts = [Int](repeating: 0, count: JitterHistogram.binCount)
    (counts[0], counts[5], counts[10]) = (90, 9, 1)
    let jitter = JitterHistogram(counts: counts, largest: 700e-6)
    #expect(jitter.total == 100)
    #expect(jitter.bound(ofShare: 0.9) == 1e-6)
    #expect(jitter.bound(ofShare: 0.99) == 32e-6)
    #expect(jitter.bound(ofShare: 1) == 700e-6)
    let none = JitterHistogram(counts: [Int](repeating: 0, count: 24), largest: 0)
    #expect(none.bound(ofShare: 0.5) == nil)
  }

  @Test func `a lock that was refused says what to set`() {
    let refusal = MemoryLock.refused(reason: "give the user 'memlock unlimited'")
    #expect("\(refusal)" == "memory not locked (give the user 'memlock unlimited')")
    #expect("\(MemoryLock.locked)" == "memory locked")
  }
}
