// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing

/// Excerpts of long signals whose delay is known.
struct ExcerptDelayTests {
  /// What a reference carries.
  enum Content: CaseIterable {
    /// 200 ms of noise between 100 and 4000 Hz in silence.
    case broadband
    /// A tone that goes on beyond either end of every excerpt.
    case tone
    /// Taps of 20 ms, one every 150 ms.
    case taps

    func signal(_ noise: inout Noise, count: Int) -> [Double] {
      let frequency = noise.uniform(80...300)
      switch self {
      case .tone:
        return (0..<count).map { 0.3 * sin(2 * .pi * frequency * Double($0) / 48_000) }
      case .taps:
        return (0..<count).map { frame in
          let time = Double(frame % 7200) / 48_000
          return 0.5 * exp(-time / 0.005) * sin(2 * .pi * frequency * time)
        }
      case .broadband:
        var transform = FourierTransform(length: FourierTransform.fastLength(atLeast: count))
        let white = (0..<transform.length).map { frame -> Double in
          let place = frame - count / 2
          return abs(place) < 4800 ? noise.gaussian() : 0
        }
        let hertz = 48_000 / Double(transform.length)
        let bins = transform.forward(white.span)
        let band = bins.indices.map {
          (100...4000).contains(Double($0) * hertz) ? bins[$0] : Complex(0)
        }
        return Array(transform.inverse(band).prefix(count))
      }
    }
  }

  private static let count = 14_000
  private static let excerpt = 1_800..<12_200

  private struct Trial {
    let found: ExcerptDelay.Found
    let truth: Double
  }

  /// One excerpt of a signal that is late by some 400 frames, at 20 dB of signal over noise.
  private func trial(
    _ content: Content, _ noise: inout Noise, decibels: Double = 20, doubt: Double = 5
  ) throws -> Trial {
    let signal = content.signal(&noise, count: Self.count)
    let truth = 400 + noise.uniform(-1...1) * doubt
    let gain = noise.uniform() < 0.5 ? -2.5 : 1.7
    let late = placed(signal, at: truth, of: Self.count, gain: gain)
    let sigma = rms(Array(late[Self.excerpt])) * pow(10, -decibels / 20)
    let recording = noise.added(to: late.map { $0 + 0.04 }, sigma: sigma)
    let excerpts = ExcerptDelay(signal: floats(signal), recording: recording, gain: gain)
    let found = try excerpts.delay(
      in: Self.excerpt, expected: Estimate(400, uncertainty: doubt))
    #expect(abs(found.gain / gain - 1) < 0.02)
    #expect(abs(found.signalToNoise - decibels) < 1)
    return Trial(found: found, truth: truth)
  }

  @Test func `at 20 dB the truth is inside two standard uncertainties, which are near the bound`()
    throws
  {
    var noise = Noise(seed: 0xacce)
    let trials = try Content.allCases.flatMap { content in
      try (0..<24).map { _ in try trial(content, &noise) }
    }
    let inside = trials.count { abs($0.found.delay - $0.truth) <= 2 * $0.found.uncertainty }
    // 95.4 % of many; of 72, two standard deviations of the count less.
    #expect(Double(inside) >= 0.904 * Double(trials.count), "\(inside), seed \(noise.seed)")
    let errors = trials.map { ($0.found.delay - $0.truth) / $0.found.cramerRaoBound }
    #expect((0.8...1.25).contains(rms(errors)), "\(rms(errors)), seed \(noise.seed)")
    for trial in trials {
      #expect(trial.found.uncertainty < 2 * trial.found.cramerRaoBound)
      #expect(Self.excerpt.contains(Int(trial.found.centre) + 400))
    }
  }

  @Test func `200 ms of broadband are timed to a microsecond, a tone as well as noise allows`()
    throws
  {
    var noise = Noise(seed: 0x0e5)
    for _ in 0..<8 {
      let broadband = try trial(.broadband, &noise)
      #expect(abs(broadband.found.delay - broadband.truth) < 0.048, "seed \(noise.seed)")
      // A tone's slope is w times its level: sigma / (w A sqrt(n / 2)), below 1/(0.0105 sqrt(100 n)).
      let tone = try trial(.tone, &noise)
      #expect(tone.found.uncertainty < 1.3 / (0.0105 * (100 * 10_400.0).squareRoot()))
    }
  }

  @Test func `no cycle of a steady tone is guessed`() throws {
    let signal = (0..<Self.count).map { 0.3 * sin(2 * .pi * 300 * Double($0) / 48_000) }
    var noise = Noise(seed: 0x511b)
    let recording = noise.added(to: placed(signal, at: 410, of: Self.count), sigma: 0.02)
    let excerpts = ExcerptDelay(signal: floats(signal), recording: recording, gain: 1)
    // A period has 160 frames: as many standard deviations away another one is out of the question.
    let found = try excerpts.delay(in: Self.excerpt, expected: Estimate(400, uncertainty: 20))
    #expect(abs(found.delay - 410) < 0.05)
    let error = #expect(throws: DelayError.self) {
      try excerpts.delay(in: Self.excerpt, expected: Estimate(400, uncertainty: 80))
    }
    #expect(error?.description.contains("160 frames apart") == true, "\(error?.description ?? "")")
  }

  @Test func `an envelope decides between cycles that the expectation leaves open`() throws {
    var noise = Noise(seed: 0xe7e)
    for _ in 0..<6 {
      let trial = try trial(.taps, &noise, doubt: 300)
      #expect(abs(trial.found.delay - trial.truth) < 0.5, "seed \(noise.seed)")
    }
  }

  @Test func `a swelling tone is found in its own period whatever part of a frame it is late by`()
    throws
  {
    // 160 / 9 frames a period: nine lobes, each with another part of a frame to the nearest whole shift.
    let signal = (0..<Self.count).map { frame in
      let place = (Double(frame) - 6_500) / 3_000
      return 0.5 * exp(-place * place / 2) * sin(2 * .pi * 2_700 * Double(frame) / 48_000)
    }
    for step in 0..<9 {
      let truth = 400 + Double(step) / 9
      let late = placed(signal, at: truth, of: Self.count, gain: 1.3)
      var noise = Noise(seed: UInt64(900 + step))
      let recording = noise.added(to: late, sigma: rms(Array(late[Self.excerpt])) / 100)
      let excerpts = ExcerptDelay(signal: floats(signal), recording: recording, gain: 1.3)
      let found = try excerpts.delay(
        in: Self.excerpt, expected: Estimate(400, uncertainty: 50))
      #expect(
        abs(found.delay - truth) < 5 * found.uncertainty,
        "seed \(900 + step): \(found.delay) ± \(found.uncertainty), and \(truth) is true")
    }
  }

  @Test func `silence, noise alone and a signal elsewhere are no delay`() throws {
    var noise = Noise(seed: 0x0f)
    let signal = Content.tone.signal(&noise, count: Self.count)
    let expected = Estimate(400, uncertainty: 5)
    func refusal(_ signal: [Double], _ recording: [Double]) -> String {
      let excerpts = ExcerptDelay(
        signal: floats(signal), recording: noise.added(to: recording, sigma: 0.02), gain: 1)
      do {
        _ = try excerpts.delay(in: Self.excerpt, expected: expected)
        return "found"
      } catch { return "\(error)" }
    }
    let silence = [Double](repeating: 0, count: Self.count)
    #expect(refusal(silence, signal).contains("the signal is silent there"))
    #expect(refusal(signal, silence).contains("not found"))
    #expect(refusal(signal, placed(signal, at: 400, of: Self.count, gain: 0.5)).contains("strong"))
  }
}
