// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct EnvelopeTests {
  @Test func `a steady tone has its amplitude as envelope`() {
    let samples = (0..<24_000).map { Float(0.8 * sin(2 * .pi * 170 * Double($0) / 48_000)) }
    let envelope = Envelope.hilbert(samples, rate: .standard)
    #expect(envelope.count == samples.count)
    let worst = envelope[6_000..<18_000].map { abs($0 - 0.8) }.max() ?? 1
    #expect(worst < 2e-3, "\(worst)")
  }

  @Test func `the envelope of a decaying tone decays at its time and is not late`() {
    // A Gaussian of 20 ms around frame 12,000 on 200 Hz.
    let samples = (0..<24_000).map { frame -> Float in
      let t = (Double(frame) - 12_000) / 48_000
      return Float(exp(-t * t / (2 * 0.02 * 0.02)) * cos(2 * .pi * 200 * t + 0.7))
    }
    let envelope = Envelope.hilbert(samples, rate: .standard)
    for offset in [-1_500, -480, 0, 480, 1_500] {
      let t = Double(offset) / 48_000
      let expected = exp(-t * t / (2 * 0.02 * 0.02))
      #expect(abs(envelope[12_000 + offset] - expected) < 1e-3, "at \(offset)")
    }
  }

  @Test func `what a resonance does is undone, its ringing and another phase's with it`() {
    // Two bursts on a resonator of 150 Hz and Q 10 by its equation of motion; the second begins in the ring of
    // the first, at another phase.
    let (rate, w, q) = (48_000.0, 2 * Double.pi * 150, 10.0)
    var (x, s) = (0.0, 0.0)
    let samples = (0..<24_000).map { frame -> Float in
      let t = Double(frame) / rate
      let isFirst = t >= 0.1 && t < 0.15
      let isSecond = t >= 0.17 && t < 0.22
      let force =
        isFirst ? sin(2 * .pi * 160 * t) : isSecond ? 0.5 * sin(2 * .pi * 160 * t + 2) : 0
      let pull = force - w / q * s - w * w * x
      s += pull / rate
      x += s / rate
      return Float(pull)
    }
    let resonance = Resonance(frequency: 150, q: 10)
    let found = Envelope.hilbert(
      samples, rate: .standard, band: 40...400, undoing: resonance)
    // Of unit acceleration at resonance a force of 1 makes q.
    for (time, expected) in [(0.06, 0.0), (0.125, 10), (0.16, 0), (0.195, 5), (0.235, 0)] {
      let value = found[Int(time * rate)]
      #expect(abs(value - expected) < 0.6, "\(time) s: \(value), not \(expected)")
    }
    #expect(abs(resonance.response(at: 150).magnitude - 1) < 1e-12)
  }

  @Test func `what lies outside the band is not in the envelope`() {
    let samples = (0..<48_000).map { frame -> Float in
      let t = Double(frame) / 48_000
      return Float(9.81 + sin(2 * .pi * 4_000 * t) + 0.5 * sin(2 * .pi * 100 * t))
    }
    let envelope = Envelope.hilbert(samples, rate: .standard)
    let worst = envelope[16_000..<32_000].map { abs($0 - 0.5) }.max() ?? 1
    #expect(worst < 0.02, "\(worst)")
  }

  @Test func `the band-pass passes its band, stops what is far, and does not turn the phase`() {
    let filter = BandPass(20...1_000)
    #expect(filter.response(at: 20) == 1 && filter.response(at: 1_000) == 1)
    #expect(filter.response(at: 10) == 0 && filter.response(at: 1_250) == 0)
    #expect(abs(filter.response(at: 15) - 0.5) < 1e-12)
    let samples = (0..<24_000).map { Float(sin(2 * .pi * 300 * Double($0) / 48_000)) }
    let filtered = filter.apply(to: samples, rate: .standard)
    let worst = (6_000..<18_000).map { abs(filtered[$0] - Double(samples[$0])) }.max() ?? 1
    #expect(worst < 2e-3, "\(worst)")
  }

  @Test func `the moving rms of a constant is the constant, up to the ends`() {
    let values = Envelope.movingRMS([Float](repeating: -2, count: 50), frames: 9)
    #expect(values.count == 50)
    #expect(values.allSatisfy { abs($0 - 2) < 1e-12 })
  }

  @Test func `the moving rms of an impulse is a box around it`() {
    var samples = [Float](repeating: 0, count: 21)
    samples[10] = 3
    let values = Envelope.movingRMS(samples, frames: 5)
    for (index, value) in values.enumerated() {
      let expected = abs(index - 10) <= 2 ? 3 / 5.0.squareRoot() : 0
      #expect(abs(value - expected) < 1e-12, "at \(index)")
    }
  }
}
