// SPDX-License-Identifier: Apache-2.0

import AHAP
import Glibc
import HapticRendering
import Testing
import Units

/// The synthesized tone of `AudioContinuous`.
struct ToneRenderTests {
  @Test func `a synthesized tone follows its pitch`() {
    for (pitch, hertz) in [(-1.0, 110.0), (0, 220), (0.5, 311.1269837), (1, 440)] {
      let output = Rendered(HapticPattern(events: [tone(at: 0, for: 0.5, [.audioPitch: pitch])]))
      let measured = 48_000 * frequency(of: output.left.dropFirst(200).prefix(23_000))
      #expect(abs(measured - hertz) < 0.02, "\(measured) Hz")
    }
  }

  @Test func `its pitch is in the configuration`() {
    let output = Rendered(
      HapticPattern(events: [tone(at: 0, for: 0.5)]), RenderConfiguration(toneFrequency: 1000))
    let measured = 48_000 * frequency(of: output.left.dropFirst(200).prefix(23_000))
    #expect(abs(measured - 1000) < 0.05, "\(measured) Hz")
  }

  @Test func `a tone without brightness is a sine and a bright one has overtones`() {
    func overtone(_ brightness: Double) -> Double {
      let output = Rendered(
        HapticPattern(events: [tone(at: 0, for: 0.3, [.audioBrightness: brightness])]))
      let part = output.left[960..<13_000]
      return amplitude(of: part, at: 660 / 48_000.0) / amplitude(of: part, at: 220 / 48_000.0)
    }
    #expect(overtone(0) < 1e-4)
    #expect(overtone(1) > 0.1)
  }

  @Test func `a tone rises, holds, and is released past its duration`() {
    let output = Rendered(
      HapticPattern(events: [tone(at: 0.1, for: 0.2, [.releaseTime: 0.7, .audioBrightness: 0])]))
    #expect(output.left[..<4800].allSatisfy { $0 == 0 })
    #expect(abs((output.left[5000..<14_000].max() ?? 0) - 1) < 1e-3)
    #expect(output.left[14_500..<15_500].contains { abs($0) > 0.5 })
    #expect(output.left.count == Int(((0.3 + 1e-3 * pow(1000, 0.7)) * 48_000).rounded(.up)))
  }

  @Test(arguments: [(220.0, 0.0), (220, 1), (1731, 0.37), (3000, 1), (4999, 0.9)])
  func `a tone has partials and nothing else`(hertz: Double, pitch: Double) {
    let output = Rendered(
      HapticPattern(events: [tone(at: 0, for: 1, [.audioPitch: pitch])]),
      RenderConfiguration(toneFrequency: hertz))
    let part = output.left[4800..<28_800]
    let fundamental = hertz * exp2(pitch) / 48_000
    let strength = amplitude(of: part, at: fundamental)
    #expect(strength > 0.2)
    // Where partials above half the rate would fold to, and half way between the partials.
    for partial in 1...40 {
      let folded = (Double(partial) * fundamental).truncatingRemainder(dividingBy: 1)
      let alias = folded > 0.5 ? 1 - folded : folded
      let nearest = (alias / fundamental).rounded()
      let isPartial = nearest <= 8 && abs(alias - nearest * fundamental) < 40.0 / 48_000
      for place in [alias, (Double(partial) + 0.5) * fundamental]
      where place < 0.5 && (place != alias || !isPartial) {
        let level = 20 * log10(amplitude(of: part, at: place) / strength)
        #expect(level < -80, "\(level) dB at \(place * 48_000) Hz")
      }
    }
  }

  @Test func `a tone between frames begins at its phase`() {
    let start = 1200.25 / 48_000
    let output = Rendered(
      HapticPattern(events: [tone(at: start, for: 0.1, [.audioBrightness: 0])]))
    for frame in 1300..<5900 {
      let expected = sin(2 * .pi * 220 * (Double(frame) / 48_000 - start))
      #expect(abs(Double(output.left[frame]) - expected) < 1e-4, "frame \(frame)")
    }
  }

  @Test func `a tone far above the band makes no fault`() {
    let configuration = RenderConfiguration(
      rate: SampleRate(hertz: 8000), toneFrequency: 7000)
    let output = Rendered(
      HapticPattern(events: [tone(at: 0, for: 0.1, [.audioPitch: 1])]), configuration)
    #expect(output.left.allSatisfy { $0.isFinite && abs($0) <= 1 })
  }
}
