// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import SeededRandom
import Testing
import Units

/// Spreads of made-up takes, whose truth is known.
struct StartJitterTests {
  private static let rate = SampleRate.standard
  /// Seconds between the markers of the made-up takes.
  private static let span = 2.0

  /// One take: its opening, its electrical delay, its drift in ppm.
  private typealias Start = (opening: Int, delay: Double, drift: Double)

  private static func jitter(of starts: [Start], markers: [Int]? = [2400, 98_400]) -> StartJitter {
    let takes = starts.enumerated().map { place, start in
      RunRecord.Take(
        number: place + 1, drive: nil, driveChannels: [], response: nil, responseChannels: [],
        patternFrame: 0, rejected: [], opening: start.opening, markers: markers)
    }
    let readings = starts.enumerated().flatMap { place, start in
      [
        Reading(.latencyElectrical, pattern: "a", take: place + 1, value: start.delay),
        Reading(.drift, pattern: "a", take: place + 1, value: start.drift),
      ]
    }
    let pattern = RunRecord.Pattern(
      name: "a", file: "a.ahap", duration: 1, events: 1, diagnostics: [], takes: takes)
    return StartJitter([pattern], readings, rate: rate)
  }

  @Test func `three sources of scatter come back apart`() throws {
    var random = SeededRandom(seed: 0x5ca7)
    let (opening, start, marker, drift) = (40e-6, 10e-6, 2e-6, 12.0)
    var starts: [Start] = []
    for number in 1...300 {
      let offset = opening * random.gaussian()
      for _ in 0..<10 {
        // Two markers, each off by its own; the first one's error is the delay's.
        let (first, second) = (marker * random.gaussian(), marker * random.gaussian())
        starts.append(
          (
            number, 8e-3 + offset + start * random.gaussian() + first,
            drift + 1e6 * (second - first) / Self.span
          ))
      }
    }
    let jitter = Self.jitter(of: starts)
    let all = try #require(jitter.fromStartToStart.value)
    let truth = (opening * opening + start * start + marker * marker).squareRoot()
    #expect(abs(all / truth - 1) < 0.15, "\(all) s for \(truth) s")
    let stream = try #require(jitter.apart[0].value)
    #expect(abs(stream / marker - 1) < 0.05, "\(stream) s for \(marker) s")
    let restarts = try #require(jitter.apart[1].value)
    // The mean of ten starts still holds a tenth of their variance.
    let means = (opening * opening + (start * start + marker * marker) / 10).squareRoot()
    #expect(abs(restarts / means - 1) < 0.15, "\(restarts) s for \(means) s")
    #expect(jitter.apart.map(\.name.kind) == [.latencyJitterStream, .latencyJitterRestarts])
    #expect(jitter.apart.map(\.count) == [3000, 300])
    #expect(jitter.apart[1].note?.contains("median absolute deviation") == true)
  }

  @Test func `a drift that all takes share is no jitter`() throws {
    let jitter = Self.jitter(of: (0..<5).map { _ in (1, 8e-3, 55.5) })
    #expect(try #require(jitter.apart[0].value) < 1e-12)
  }

  @Test(arguments: [1, 2])
  func `fewer than three openings have no spread, and it is said`(count: Int) {
    let jitter = Self.jitter(of: (0..<6).map { ($0 % count + 1, 8e-3, 0) })
    #expect(jitter.fromStartToStart.value != nil)
    #expect(jitter.apart[1].value == nil)
    #expect(jitter.apart[1].verdict == .notMeasured)
    #expect(
      jitter.apart[1].note?.contains("a spread needs three ('restarts: 2' in the plan)") == true)
  }

  @Test func `two takes have no spread at all`() {
    let jitter = Self.jitter(of: [(1, 8e-3, 0), (2, 8e-3, 0)])
    let all = [jitter.fromStartToStart] + jitter.apart
    #expect(all.allSatisfy { $0.value == nil && $0.note != nil })
  }

  @Test func `without markers nothing tells a stream's own jitter`() {
    let jitter = Self.jitter(of: (0..<5).map { ($0 + 1, 8e-3, 0) }, markers: nil)
    #expect(jitter.apart[0].value == nil)
    #expect(jitter.apart[1].value != nil)
  }
}
