// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct DelayEstimatorTests {
  private let template = Sweep.marker.samples(at: .standard)
  private var estimator: DelayEstimator { DelayEstimator(template: template) }

  @Test func `gain and correlation carry the polarity`() throws {
    let recording = placed(template, at: 1_234.25, of: 20_000, gain: -0.3).map { Float($0 + 0.2) }
    let estimate = try estimator.estimate(in: recording)
    #expect(abs(estimate.delay - 1_234.25) < 1e-3)
    #expect(abs(estimate.gain + 0.3) < 1e-4)
    #expect(estimate.correlation < -0.98)
  }

  @Test func `the search keeps to the lags asked for`() throws {
    let first = placed(template, at: 1_000, of: 20_000)
    let second = placed(template, at: 9_000.5, of: 20_000, gain: 0.5)
    let recording = zip(first, second).map { Float($0 + $1) }
    let early = try estimator.estimate(in: recording, lags: 0...5_000)
    let late = try estimator.estimate(in: recording, lags: 6_000...12_000)
    #expect(abs(early.delay - 1_000) < 1e-3)
    #expect(abs(late.delay - 9_000.5) < 1e-3)
    #expect(abs(late.gain - 0.5) < 1e-3)
  }

  @Test func `a range of one lag is enough where the waveform stands`() throws {
    let recording = floats(placed(template, at: 800.3, of: 4_000))
    let estimate = try estimator.estimate(in: recording, lags: 800...800)
    #expect(abs(estimate.delay - 800.3) < 1e-3)
  }

  @Test func `a loud foreign signal does not hide a quiet waveform`() throws {
    var recording = placed(template, at: 30_000.125, of: 48_000, gain: 0.1)
    for frame in 5_000..<20_000 { recording[frame] += sin(0.03 * Double(frame)) }
    let estimate = try estimator.estimate(in: floats(recording))
    #expect(abs(estimate.delay - 30_000.125) < 1e-3)
  }

  @Test func `noise alone is not found`() throws {
    var noise = Noise(seed: 22)
    let recording = noise.added(to: [Double](repeating: 0, count: 48_000), sigma: 0.1)
    #expect(throws: DelayError.self) { try estimator.estimate(in: recording) }
  }

  @Test func `silence is not found`() throws {
    let recording = [Float](repeating: 0.25, count: 10_000)
    let error = #expect(throws: DelayError.self) { try estimator.estimate(in: recording) }
    #expect(try #require(error).description.contains("not found"))
  }

  @Test func `a recording shorter than the waveform is not found`() {
    #expect(throws: DelayError.self) { try estimator.estimate(in: [0, 1, 0]) }
  }

  @Test func `a waveform beyond the lags asked for is not found at their edge`() {
    let recording = floats(placed(template, at: 1_010, of: 5_000))
    #expect(throws: DelayError.self) { try estimator.estimate(in: recording, lags: 0...1_004) }
  }

  @Test func `a sample that is not a number is named`() {
    var recording = floats(placed(template, at: 800, of: 5_000))
    recording[900] = .nan
    #expect(throws: DelayError.notFinite(frame: 900)) { try estimator.estimate(in: recording) }
  }

  @Test func `the same recording gives the same bits`() throws {
    var noise = Noise(seed: 23)
    let recording = noise.added(to: placed(template, at: 700.7, of: 9_000), sigma: 0.1)
    #expect(try estimator.estimate(in: recording) == estimator.estimate(in: recording))
  }

  @Test func `many threads plan at the same time`() async throws {
    let recording = floats(placed(template, at: 700.7, of: 9_000))
    let estimator = estimator
    let expected = try estimator.estimate(in: recording)
    try await withThrowingTaskGroup(of: DelayEstimate.self) { group in
      for _ in 0..<32 { group.addTask { try estimator.estimate(in: recording) } }
      for try await estimate in group { #expect(estimate == expected) }
    }
  }
}
