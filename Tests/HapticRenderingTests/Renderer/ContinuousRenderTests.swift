// SPDX-License-Identifier: Apache-2.0

import AHAP
import Glibc
import HapticRendering
import Perception
import SeededRandom
import Testing
import Units

struct ContinuousRenderTests {
  /// The gain of the shortest attack and release, 1 ms each.
  private func gain(_ age: Double, duration: Double) -> Double {
    age < 0 || age >= duration + 1e-3
      ? 0 : age < 1e-3 ? age / 1e-3 : age < duration ? 1 : (duration + 1e-3 - age) / 1e-3
  }

  @Test func `a steady vibration is the sine of its frequency times its time`() {
    var random = SeededRandom(seed: 0xc0a)
    for _ in 0..<8 {
      let (start, i, s) = (random.uniform(0...0.02), random.uniform(0.2...1), random.uniform())
      let drive = Rendered.drive(
        HapticPattern(events: [continuous(at: start, for: 0.5, intensity: i, sharpness: s)]))
      let hertz = 80 * pow(230 / 80, s)
      let expected = (0..<drive.count).map { frame -> Double in
        let age = Double(frame) / 48_000 - start
        let strength = i * gain(age, duration: 0.5)
        return strength * strength * sin(2 * .pi * hertz * age)
      }
      let worst = distance(drive, expected)
      #expect(worst < 2e-5, "\(worst) at sharpness \(s), \(random)")
    }
  }

  // The phase step is a whole number of 2^-32 turns: half of one, 30 s long, is 1e-3 rad at most.
  @Test func `a vibration of thirty seconds keeps its phase`() {
    let configuration = RenderConfiguration()
    let pattern = HapticPattern(events: [continuous(at: 0, for: 30, sharpness: 0.3)])
    var renderer = HapticRenderer(
      timeline: Timeline(pattern, configuration: configuration), configuration: configuration)
    var buffer = [Float](repeating: 0, count: 48_000)
    for _ in 0..<30 {
      var span = buffer.mutableSpan
      renderer.render(haptic: &span)
    }
    let hertz = 80 * pow(230 / 80, 0.3)
    let expected = (0..<48_000).map { sin(2 * .pi * hertz * (29 + Double($0) / 48_000)) }
    #expect(distance(buffer, expected) < 1.2e-3)
  }

  // f(t) = 80 (230/80)^(0.2 + 0.6 t): the phase is 2 pi (f(t) - f(0)) / (0.6 ln(230/80)).
  @Test func `a sharpness curve bends the phase by the integral of its frequency`() {
    let pattern = HapticPattern(
      events: [continuous(at: 0, for: 1, sharpness: 0.2)],
      curves: [curve(.hapticSharpness, at: 0, [(0, 0), (1, 0.6)])])
    let drive = Rendered.drive(pattern)
    let expected = (0..<drive.count).map { frame -> Double in
      let time = Double(frame) / 48_000
      let strength = gain(time, duration: 1)
      let rate = 0.6 * log(230.0 / 80)
      let first = 80 * pow(230 / 80, 0.2)
      return strength * strength * sin(2 * .pi * first * (exp(rate * min(1, time)) - 1) / rate)
    }
    // Frequency is taken at each frame's beginning: (f(1) - f(0)) / 2 rate of a turn, 0.006 rad.
    let worst = distance(Array(drive.prefix(48_000)), Array(expected.prefix(48_000)))
    #expect(worst < 0.01, "\(worst)")
  }

  @Test(
    arguments: [
      (SharpnessLaw.log80To230, 0.0, 80.0), (.log80To230, 0.5, 135.64659966),
      (.log80To230, 1, 230), (.linear80To230, 0.5, 155), (.mpeg65To300, 0, 65),
      (.mpeg65To300, 0.5, 182.5), (.mpeg65To300, 1, 300), (.aosp, 0, 46), (.aosp, 0.35, 98),
      (.aosp, 0.7, 150), (.aosp, 0.85, 225), (.aosp, 1, 300),
    ])
  func `the rendered tone has the frequency of its law`(
    law: SharpnessLaw, sharpness: Double, hertz: Double
  ) {
    let configuration = RenderConfiguration(sharpnessLaw: law)
    let plain = HapticPattern(events: [continuous(at: 0, for: 0.5, sharpness: sharpness)])
    let measured = 48_000 * frequency(of: Rendered.drive(plain, configuration).prefix(24_000))
    #expect(abs(measured - hertz) < 2e-3, "\(measured) Hz")
    // The same frequency by way of the control, half of it from the event.
    let moved = HapticPattern(
      events: [continuous(at: 0, for: 0.5, sharpness: sharpness / 2)],
      parameters: [step(.hapticSharpness, at: 0, sharpness / 2)])
    let bent = 48_000 * frequency(of: Rendered.drive(moved, configuration).prefix(24_000))
    #expect(abs(bent - hertz) < 2e-3, "\(bent) Hz")
  }

  @Test(arguments: [SharpnessLaw.log80To230, .linear80To230, .aosp])
  func `sharpness with its control stays between the ends of the law`(law: SharpnessLaw) {
    for (offset, hertz) in [(-1.0, law.frequency(of: 0)), (1, law.frequency(of: 1))] {
      let pattern = HapticPattern(
        events: [continuous(at: 0, for: 0.5, sharpness: 0.5)],
        parameters: [step(.hapticSharpness, at: 0, offset)])
      let drive = Rendered.drive(pattern, RenderConfiguration(sharpnessLaw: law))
      let measured = 48_000 * frequency(of: drive.prefix(24_000))
      #expect(abs(measured - hertz) < 2e-3, "\(measured) Hz")
    }
  }

  @Test(arguments: IntensityLaw.allCases)
  func `the level of a vibration follows its law`(law: IntensityLaw) {
    let drive = Rendered.drive(
      HapticPattern(
        events: [continuous(at: 0, for: 1)],
        curves: [curve(.hapticIntensity, at: 0, [(0, 0), (1, 1)])]),
      RenderConfiguration(waveform: .level, intensityLaw: law, fullScale: 0.8))
    // Beyond the attack, in single precision and, for two laws, through a table of 4096 steps.
    for frame in 48..<48_000 {
      let expected = 0.8 * law.share(of: Double(frame) / 48_000)
      #expect(abs(Double(drive[frame]) - expected) < 2e-6, "frame \(frame)")
    }
    let silent = Rendered.drive(
      HapticPattern(events: [continuous(at: 0, for: 0.1, intensity: 0)]),
      RenderConfiguration(waveform: .level, intensityLaw: law))
    #expect(silent.allSatisfy { $0 == 0 })
  }

  @Test func `a jump of sharpness is no jump of the drive`() {
    let pattern = HapticPattern(
      events: [continuous(at: 0, for: 0.3, sharpness: 0.5)],
      parameters: [step(.hapticSharpness, at: 0.1, 0.5), step(.hapticSharpness, at: 0.2, -0.5)])
    let drive = Rendered.drive(pattern)
    let steepest = zip(drive, drive.dropFirst()).map { abs($1 - $0) }.max() ?? .infinity
    // 230 Hz at amplitude 1, and the drop of the shortest release.
    #expect(Double(steepest) < 2 * .pi * 230 / 48_000 + 2.0 / 48, "\(steepest)")
  }

  @Test func `jumps of a tenth of a millisecond arrive within a frame`() {
    // Flat at 0.2, then at 1, then at 0.2: in 0.1 ms each.
    let points = [(0, 0.2), (0.1, 0.2), (0.1001, 1), (0.2, 1), (0.2001, 0.2)]
    let drive = Rendered.drive(
      HapticPattern(
        events: [continuous(at: 0, for: 0.3)], curves: [curve(.hapticIntensity, at: 0, points)]),
      RenderConfiguration(waveform: .level))
    #expect(abs(drive[4800] - 0.04) < 1e-5)
    #expect(abs(drive[4806] - 1) < 1e-5)
    #expect(abs(drive[9599] - 1) < 1e-5)
    #expect(abs(drive[9606] - 0.04) < 1e-5)
  }

  // Recharge in its old form, steps, and in its new one, a curve.
  @Test func `a sawtooth of steps and one of a curve meet at the teeth`() {
    let steps = (0..<24).map {
      step(.hapticIntensity, at: 0.02 * Double($0), 0.3 + 0.1 * Double($0 % 8))
    }
    let points = (0..<3).flatMap { tooth -> [(Double, Double)] in
      let start = 0.16 * Double(tooth)
      return [(start + (tooth == 0 ? 0 : 1e-4), 0.3), (start + 0.14, 1), (start + 0.16, 1)]
    }
    let event = continuous(at: 0, for: 0.48)
    let configuration = RenderConfiguration(waveform: .level)
    let stepped = Rendered.drive(HapticPattern(events: [event], parameters: steps), configuration)
    let curved = Rendered.drive(
      HapticPattern(events: [event], curves: [curve(.hapticIntensity, at: 0, points)]),
      configuration)
    for index in 0..<24 {
      let frame = 960 * index + 60
      #expect(abs(stepped[frame].squareRoot() - Float(0.3 + 0.1 * Double(index % 8))) < 1e-4)
      #expect(abs(stepped[frame].squareRoot() - curved[frame].squareRoot()) < 0.01, "\(index)")
    }
  }

  @Test func `an event that is not sustained ends with its decay`() {
    let drive = Rendered.drive(
      HapticPattern(events: [
        continuous(at: 0, for: 1, [.sustained: 0, .attackTime: 0.5, .decayTime: 0.5])
      ]), RenderConfiguration(waveform: .level))
    // 31.6 ms up, 31.6 ms down, and nothing for the rest of the second.
    #expect(abs(drive[1518] - 1) < 2e-3)
    #expect(abs(drive[759] - 0.25) < 1e-3)
    #expect(drive[3036...].allSatisfy { $0 == 0 })
    #expect(drive.count == 48_000)
  }

  @Test func `a release goes on past the duration and then is over`() {
    let pattern = HapticPattern(events: [continuous(at: 0, for: 0.25, [.releaseTime: 0.75])])
    let release = 1e-3 * pow(1000, 0.75)
    let drive = Rendered.drive(pattern, RenderConfiguration(waveform: .level), extraFrames: 100)
    #expect(drive.count == Int(((0.25 + release) * 48_000).rounded(.up)) + 100)
    #expect(drive[11_999] == 1)
    let middle = Int((0.25 + release / 2) * 48_000)
    #expect(abs(drive[middle] - 0.25) < 1e-3)
    #expect(drive.suffix(100).allSatisfy { $0 == 0 })
    #expect(drive[drive.count - 110] > 0)
  }

  @Test func `an attack longer than the duration never arrives`() {
    let drive = Rendered.drive(
      HapticPattern(events: [continuous(at: 0, for: 0.25, [.attackTime: 1, .releaseTime: 0.5])]),
      RenderConfiguration(waveform: .level, intensityLaw: .linear))
    #expect(abs((drive.max() ?? 0) - 0.25) < 1e-3)
    #expect(abs(drive[6000] - 0.125) < 1e-4)
    #expect(abs(drive[12_000] - 0.25) < 1e-4)
  }

  @Test func `a level drive is the strength itself, never below zero`() {
    var random = SeededRandom(seed: 0xe4)
    let pattern = random.pattern(length: 0.2, hapticOnly: true)
    let drive = Rendered.drive(pattern, RenderConfiguration(waveform: .level))
    #expect(drive.allSatisfy { $0 >= -1e-6 })
    let steady = Rendered.drive(
      HapticPattern(events: [continuous(at: 0, for: 0.2, intensity: 0.5, sharpness: 1)]),
      RenderConfiguration(waveform: .level, fullScale: 0.8))
    #expect(steady[100..<9600].allSatisfy { abs($0 - 0.2) < 1e-6 })
  }

  @Test func `a vibration under a slow curve has no energy above 2 kHz`() {
    let pattern = HapticPattern(
      events: [continuous(at: 0, for: 0.6, sharpness: 0.7)],
      curves: [curve(.hapticIntensity, at: 0, [(0, 0.2), (0.6, 1)])])
    let middle = Rendered.drive(pattern)[4800..<24_000]
    let carrier = 80 * pow(230 / 80, 0.7) / 48_000
    let strength = amplitude(of: middle, at: carrier)
    #expect(strength > 0.2)
    for hertz in [2000.0, 2717, 5000, 9973, 15_000, 23_000] {
      let spurious = amplitude(of: middle, at: hertz / 48_000) / strength
      #expect(20 * log10(spurious) < -120, "\(20 * log10(spurious)) dB at \(hertz) Hz")
    }
    for harmonic in 2...8 {
      let spurious = amplitude(of: middle, at: carrier * Double(harmonic)) / strength
      #expect(20 * log10(spurious) < -120, "\(20 * log10(spurious)) dB, harmonic \(harmonic)")
    }
  }

  @Test func `a control point beyond all time is never reached`() {
    let pattern = HapticPattern(
      events: [continuous(at: 0, for: 0.1)],
      curves: [curve(.hapticIntensity, at: 0, [(0, 0.5), (1e250, 1)])])
    let drive = Rendered.drive(pattern, RenderConfiguration(waveform: .level))
    #expect(drive[100..<4800].allSatisfy { $0 == 0.25 })
  }

  @Test func `a rate too low for the tone is rendered without a fault`() {
    let pattern = HapticPattern(
      events: [transient(at: 0, sharpness: 1), continuous(at: 0, for: 1, sharpness: 1)],
      curves: [curve(.hapticSharpness, at: 0, [(0, -1), (1, 1)])])
    let drive = Rendered.drive(pattern, RenderConfiguration(rate: SampleRate(hertz: 300)))
    #expect(drive.allSatisfy { $0.isFinite && abs($0) <= 2.001 })
  }
}
