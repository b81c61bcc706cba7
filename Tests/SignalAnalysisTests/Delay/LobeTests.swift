// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Units

@testable import SignalAnalysis

/// Waveforms whose correlation has many lobes nearly as high as the true one.
struct LobeTests {
  private let rate = 48_000.0

  /// Eight partials of 440 Hz for some seconds, each with its own phase, sampled from a time of their own.
  private func tone(seconds: Double, late: Double, count: Int) -> [Double] {
    (0..<count).map { frame in
      let time = (Double(frame) - late) / rate
      guard time > 0, time < seconds else { return 0 }
      let edge = min(time, seconds - time) / 0.01
      let fade = edge < 1 ? 0.5 - 0.5 * cos(.pi * edge) : 1
      return (1...8).reduce(0) { sum, partial in
        let phase = Double(partial * partial)
        return sum + 0.1 * fade * sin(2 * .pi * 440 * Double(partial) * time + phase)
      }
    }
  }

  @Test func `a long tone is found in its own period whatever part of a frame it is late by`()
    throws
  {
    let seconds = 4.0
    let count = Int(seconds * rate)
    let estimator = DelayEstimator(template: tone(seconds: seconds, late: 0, count: count))
    for step in [0, 4, 5, 6, 8] {
      let truth = 1_100 + Double(step) / 12
      var noise = Noise(seed: UInt64(600 + step))
      let recording = noise.added(
        to: tone(seconds: seconds, late: truth, count: count + 2_400), sigma: 0.003)
      let found = try estimator.estimate(in: recording)
      #expect(
        abs(found.delay - truth) < 6 * found.uncertainty,
        "seed \(600 + step): \(found.delay) ± \(found.uncertainty), and \(truth) is true")
    }
  }

  @Test func `a long tone is found at the edge of the delays asked for`() throws {
    let seconds = 4.0
    let count = Int(seconds * rate)
    let estimator = DelayEstimator(template: tone(seconds: seconds, late: 0, count: count))
    for truth in [1_100.5] {
      let recording = tone(seconds: seconds, late: truth, count: count + 4_800)
      for lags in [1_099...2_300, 0...1_102] {
        let found = try estimator.estimate(in: floats(recording), lags: lags)
        #expect(abs(found.delay - truth) < 0.01, "\(found.delay) in \(lags), \(truth) is true")
      }
    }
  }

  @Test func `a tone that goes on for ever has no delay`() throws {
    let estimator = DelayEstimator(template: tone(seconds: 1, late: 0, count: 48_000))
    let recording = floats(tone(seconds: 9, late: -96_000, count: 60_000))
    #expect(throws: DelayError.self) { try estimator.estimate(in: recording) }
  }

  @Test(arguments: [0.02, 0.2, 1.0, 2.0, 2.7])
  func `the height between two lags is the band-limited one`(frequency: Double) {
    for step in -8...8 {
      let centre = 200 + Double(step) / 16
      let sums = (0..<400).map { lag in
        let distance = Double(lag) - centre
        return exp(-distance * distance / 1_800) * cos(frequency * distance)
      }
      let lags = 0...399
      var tops = LobeTops(template: [0, 1, -1, 0], sums: sums, recording: [], lags: lags)
      let height = tops.rise(at: 200) * sums[200]
      #expect(
        abs(height - 1) < LobeTops.accuracy, "\(frequency) rad, \(centre): a height of \(height)")
    }
  }
}
