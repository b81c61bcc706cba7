// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import SeededRandom
import Testing

struct TrendTests {
  @Test func `a straight line has its slope, without doubt`() throws {
    let trend = try #require(Trend(of: series((0..<30).map { 5 + 0.1 * Double($0) })))
    #expect(abs(trend.perMonth - 3.04375) < 1e-9)
    #expect(trend.uncertainty < 1e-9)
    #expect(trend.significance < 1e-4)
  }

  // scipy.stats.theilslopes([1, 4, 2, 8, 5, 7, 11, 9, 10, 14])[0] and kendalltau's S = 35.
  @Test func `the slope is that of SciPy`() throws {
    let trend = try #require(Trend(of: series([1, 4, 2, 8, 5, 7, 11, 9, 10, 14])))
    #expect(abs(trend.perMonth / 30.4375 - 1.25) < 1e-12)
  }

  @Test func `bad nights do not turn it`() throws {
    var values = (0..<60).map { 5 + 0.1 * Double($0) }
    for night in stride(from: 3, to: 60, by: 6) { values[night] = 500 }
    let trend = try #require(Trend(of: series(values)))
    #expect(abs(trend.perMonth - 3.04375) < 0.3)
  }

  @Test func `missing nights count as time`() throws {
    let days = (0..<20).map { 3 * $0 }
    let trend = try #require(Trend(of: series((0..<20).map { Double(3 * $0) }, days: days)))
    #expect(abs(trend.perMonth - 30.4375) < 1e-9)
  }

  @Test func `too few nights have no trend, and nights before the start do not count`() throws {
    #expect(Trend(of: series([1, 2, 3, 4, 5, 6, 7])) == nil)
    let late = try #require(Trend(of: series([99, 98, 97] + (0..<10).map(Double.init)), from: 3))
    #expect(abs(late.perMonth - 30.4375) < 1e-9)
    #expect(late.count == 10)
  }

  @Test func `the uncertainty covers, also where nights are correlated`() throws {
    var random = SeededRandom(seed: 31)
    var inside = 0
    var alarms = 0
    for _ in 0..<60 {
      var last = random.gaussian()
      let values = (0..<100).map { _ in
        defer { last = 0.5 * last + 0.75.squareRoot() * random.gaussian() }
        return last
      }
      let trend = try #require(Trend(of: series(values)))
      if abs(trend.perMonth) <= 2 * trend.uncertainty { inside += 1 }
      if trend.significance < 0.01 { alarms += 1 }
    }
    #expect(inside >= 51, "\(inside) of 60 within two sigmas, \(random)")
    #expect(alarms <= 3, "\(alarms) of 60 at 1 %, \(random)")
  }
}
