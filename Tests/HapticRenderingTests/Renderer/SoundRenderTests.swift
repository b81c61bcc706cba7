// SPDX-License-Identifier: Apache-2.0

import AHAP
import Glibc
import HapticRendering
import SeededRandom
import Testing
import Units

/// Sound files under volume, pan, pitch and brightness, on the clock of the haptics.
struct SoundRenderTests {
  private func noise(_ count: Int, seed: UInt64 = 0x50) -> [Float] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in Float(random.uniform(-1...1)) }
  }

  private func rendered(
    _ events: [HapticEvent], _ samples: [Float], _ steps: [DynamicParameter] = []
  ) -> Rendered {
    Rendered(HapticPattern(events: events, parameters: steps), sounds: bank(samples))
  }

  @Test func `without an envelope a file is copied to the bit`() {
    let samples = noise(2000)
    let output = rendered([sound(at: 0.25)], samples)
    #expect(output.left.count == 14_000)
    #expect(Array(output.left[12_000...]) == samples)
    #expect(output.right == output.left)
    #expect(output.left[..<12_000].allSatisfy { $0 == 0 })
    #expect(output.haptic.allSatisfy { $0 == 0 })
  }

  @Test func `two channels go left and right`() {
    var bank = SoundBank()
    let (left, right) = (noise(500, seed: 1), noise(500, seed: 2))
    bank.add(
      [left, right].map { Signal(samples: $0, rate: .standard, unit: .one) }, path: "sound.wav")
    let output = Rendered(HapticPattern(events: [sound(at: 0)]), sounds: bank)
    #expect(output.left == left)
    #expect(output.right == right)
  }

  @Test func `a start between frames delays the sound by the fraction`() {
    for fraction in [0.25, 0.5, 0.9] {
      let start = (1200 + fraction) / 48_000
      let output = rendered([sound(at: start)], sine(500, count: 4800))
      for frame in 1210..<5900 {
        let expected = sin(2 * .pi * 500 * (Double(frame) / 48_000 - start))
        #expect(abs(Double(output.left[frame]) - expected) < 1e-4, "frame \(frame), \(fraction)")
      }
    }
  }

  @Test func `a start between frames delays a sound at its own speed`() {
    let start = 1200.5 / 48_000
    let output = rendered([sound(at: start, [.audioPitch: 1])], sine(500, count: 9600))
    for frame in 1210..<5900 {
      let expected = sin(2 * .pi * 1000 * (Double(frame) / 48_000 - start))
      #expect(abs(Double(output.left[frame]) - expected) < 1e-3, "frame \(frame)")
    }
  }

  // p(t) = t: the phase is the integral of 2^t, (2^t - 1) / ln 2.
  @Test func `a pitch curve is followed frame by frame and ends the sound where it is played`() {
    let pattern = HapticPattern(
      events: [sound(at: 0)], curves: [curve(.audioPitch, at: 0, [(0, 0), (1, 1)])])
    let output = Rendered(pattern, sounds: bank(sine(300, count: 48_000)))
    let length = log2(1 + M_LN2)
    #expect(output.left.count == Int((length * 48_000).rounded(.up)))
    for frame in 100..<(output.left.count - 100) {
      let time = Double(frame) / 48_000
      let expected = sin(2 * .pi * 300 * (exp2(time) - 1) / M_LN2)
      // The speed is taken at each frame's beginning: half a frame times its growth.
      #expect(abs(Double(output.left[frame]) - expected) < 0.025, "frame \(frame)")
    }
  }

  @Test func `an impulse and a tap at one time come in one frame`() {
    var impulse = [Float](repeating: 0, count: 100)
    impulse[0] = 1
    for start in [0, 0.01, 0.25] {
      let output = Rendered(
        HapticPattern(events: [sound(at: start), transient(at: start)]),
        RenderConfiguration(waveform: .level), sounds: bank(impulse))
      let frame = Int((start * 48_000).rounded())
      #expect(output.left.firstIndex { $0 == 1 } == frame)
      #expect(output.haptic.firstIndex { $0 != 0 } == frame)
    }
  }

  @Test func `with its envelope a file that stops loud ends without a click`() {
    let ones = [Float](repeating: 1, count: 4800)
    let ramped = rendered([sound(at: 0, envelope: true)], ones)
    #expect(ramped.left.count == 4800)
    let steps = zip(ramped.left, ramped.left.dropFirst() + [0]).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < 1.01 / 48)
    #expect(ramped.left[100..<4700].allSatisfy { $0 == 1 })
    let plain = rendered([sound(at: 0)], ones)
    #expect(plain.left.last == 1)
  }

  @Test func `a loop has no seam`() {
    // 480 frames hold ten periods of 1 kHz: looped they are one long sine, at any speed.
    let samples = sine(1000, count: 480)
    for pitch in [0, 0.5, -0.3, 1] {
      let output = rendered([sound(at: 0, for: 0.5, loops: true, [.audioPitch: pitch])], samples)
      let speed = exp2(pitch)
      for frame in 0..<24_000 {
        let expected = sin(2 * .pi * 1000 * speed * Double(frame) / 48_000)
        #expect(abs(Double(output.left[frame]) - expected) < 2e-3, "frame \(frame), \(pitch)")
      }
    }
  }

  // A one-pole low-pass at 200 Hz 100^b: 3 dB down where its corner is, up to some kHz.
  @Test(arguments: [0, 0.25, 0.5])
  func `the corner of brightness is where the law has it`(brightness: Double) {
    let corner = 200 * pow(100, brightness)
    let samples = sine(corner, count: 48_000)
    let output = rendered([sound(at: 0, [.audioBrightness: brightness])], samples)
    let gain = rootMeanSquare(output.left[9600..<48_000]) / rootMeanSquare(samples[9600...])
    #expect(abs(20 * log10(gain) + 3.01) < 0.5, "\(20 * log10(gain)) dB at \(corner) Hz")
  }

  @Test func `volume scales and its control multiplies`() {
    let samples = noise(480)
    let half = rendered([sound(at: 0, [.audioVolume: 0.5])], samples)
    #expect(half.left == samples.map { $0 * 0.5 })
    let both = rendered(
      [sound(at: 0, [.audioVolume: 0.5])], samples, [step(.audioVolume, at: 0, 0.25)])
    #expect(both.left == samples.map { $0 * 0.125 })
    let none = rendered([sound(at: 0)], samples, [step(.audioVolume, at: 0, 0)])
    #expect(none.left.allSatisfy { $0 == 0 })
  }

  @Test func `a volume curve is followed frame by frame`() {
    let pattern = HapticPattern(
      events: [sound(at: 0)], curves: [curve(.audioVolume, at: 0, [(0, 1), (0.1, 0)])])
    let output = Rendered(pattern, sounds: bank([Float](repeating: 1, count: 4800)))
    for frame in stride(from: 0, to: 4800, by: 7) {
      #expect(abs(output.left[frame] - (1 - Float(frame) / 4800)) < 1e-5)
    }
  }

  @Test func `pan silences the far side and its control adds`() {
    let samples = noise(480)
    let right = rendered([sound(at: 0, [.audioPan: 1])], samples)
    #expect(right.left.allSatisfy { $0 == 0 })
    #expect(right.right == samples)
    let left = rendered([sound(at: 0)], samples, [step(.audioPan, at: 0, -1)])
    #expect(left.left == samples)
    #expect(left.right.allSatisfy { $0 == 0 })
    let middle = rendered(
      [sound(at: 0, [.audioPan: 0.75])], samples, [step(.audioPan, at: 0, -0.75)])
    #expect(middle.left == samples && middle.right == samples)
    let beyond = rendered([sound(at: 0, [.audioPan: 0.8])], samples, [step(.audioPan, at: 0, 0.8)])
    #expect(beyond.right == samples && beyond.left.allSatisfy { $0 == 0 })
  }

  @Test func `an octave of pitch doubles the rate and halves the length`() {
    let samples = sine(440, count: 24_000)
    for (pitch, hertz, frames) in [(1.0, 880.0, 12_000), (-1, 220, 48_000), (0, 440, 24_000)] {
      let output = rendered([sound(at: 0, [.audioPitch: pitch])], samples)
      #expect(output.left.count == frames)
      let measured = 48_000 * frequency(of: output.left.dropLast(100))
      #expect(abs(measured - hertz) < 0.05, "\(measured) Hz")
    }
  }

  @Test func `pitch and its control add and stay within an octave`() {
    let samples = sine(440, count: 24_000)
    for (own, control, octaves) in [(0.25, 0.25, 0.5), (0.8, 0.8, 1), (-0.5, -1, -1)] {
      let output = rendered(
        [sound(at: 0, for: 0.2, [.audioPitch: own])], samples, [step(.audioPitch, at: 0, control)])
      let measured = 48_000 * frequency(of: output.left.dropLast(200))
      #expect(abs(measured - 440 * exp2(octaves)) < 0.2, "\(measured) Hz")
    }
  }

  @Test func `brightness dulls the treble and leaves the bass`() {
    func gain(_ hertz: Double, _ brightness: Double) -> Double {
      let samples = sine(hertz, count: 9600)
      let output = rendered([sound(at: 0, [.audioBrightness: brightness])], samples)
      return rootMeanSquare(output.left.dropFirst(4800)) / rootMeanSquare(samples.dropFirst(4800))
    }
    #expect(gain(50, 0) > 0.9)
    #expect(gain(8000, 0) < 0.05)
    let gains = [0, 0.25, 0.5, 0.75, 1].map { gain(4000, $0) }
    #expect(zip(gains, gains.dropFirst()).allSatisfy { $0 < $1 }, "\(gains)")
    #expect(abs(gains[4] - 1) < 1e-6)
  }

  @Test func `brightness and its control add and are limited`() {
    let samples = noise(960)
    let added = rendered(
      [sound(at: 0, [.audioBrightness: 0.25])], samples, [step(.audioBrightness, at: 0, 0.5)])
    let plain = rendered([sound(at: 0, [.audioBrightness: 0.75])], samples)
    #expect(added.left == plain.left)
    let beyond = rendered(
      [sound(at: 0, [.audioBrightness: 0.75])], samples, [step(.audioBrightness, at: 0, 1)])
    #expect(beyond.left == samples)
  }

  @Test func `a duration cuts a file short or pads it with silence`() {
    let samples = noise(4800)
    let short = rendered([sound(at: 0, for: 0.05)], samples)
    #expect(short.left == Array(samples.prefix(2400)))
    let long = rendered([sound(at: 0, for: 0.2)], samples)
    #expect(long.left == samples + [Float](repeating: 0, count: 4800))
    let zero = rendered([sound(at: 0, for: 0)], samples)
    #expect(zero.left == samples)
  }

  @Test func `a loop repeats the file for the event's duration`() {
    let samples = noise(480)
    let output = rendered([sound(at: 0, for: 0.1, loops: true)], samples)
    #expect(output.left.count == 4800)
    #expect(output.left == (0..<4800).map { samples[$0 % 480] })
  }

  @Test(arguments: [1, 2, 3])
  func `a loop of very few samples goes on`(count: Int) {
    let samples = [Float](repeating: 0.5, count: count)
    for pitch in [-1, 0, 0.3, 1] {
      let output = rendered([sound(at: 0, for: 0.05, loops: true, [.audioPitch: pitch])], samples)
      #expect(output.left.allSatisfy { abs($0 - 0.5) < 1e-6 }, "pitch \(pitch)")
    }
  }

  @Test func `a file without samples and a file that is missing are silent`() {
    let pattern = HapticPattern(events: [
      sound(at: 0, for: 0.05, loops: true), sound("none.wav", at: 0, for: 0.1),
    ])
    let output = Rendered(pattern, sounds: bank([]))
    #expect(output.left.allSatisfy { $0 == 0 } && output.right.allSatisfy { $0 == 0 })
  }

  @Test func `the envelope ramps a sound in and out`() {
    let ones = [Float](repeating: 1, count: 9600)
    let plain = rendered([sound(at: 0, for: 0.1, envelope: true)], ones)
    #expect(plain.left[0] == 0)
    #expect(abs(plain.left[24] - 0.5) < 1e-4)
    #expect(plain.left[48..<4800].allSatisfy { $0 == 1 })
    #expect(abs(plain.left[4824] - 0.5) < 1e-4)
    let shaped = rendered(
      [sound(at: 0, for: 0.1, envelope: true, [.attackTime: 0.5, .releaseTime: 0.5])], ones)
    #expect(abs(shaped.left[759] - 0.5) < 1e-3)
    #expect(abs(shaped.left[4800 + 759] - 0.5) < 1e-3)
    let cut = rendered([sound(at: 0, for: 0.1, [.attackTime: 0.5, .releaseTime: 0.5])], ones)
    #expect(cut.left == [Float](repeating: 1, count: 4800))
  }

  @Test func `sound and vibration start at one frame`() {
    var random = SeededRandom(seed: 0x5f)
    for _ in 0..<40 {
      let start = random.uniform(0...0.05)
      let output = Rendered(
        HapticPattern(events: [sound(at: start), transient(at: start)]),
        RenderConfiguration(waveform: .level), sounds: bank([Float](repeating: 1, count: 100)))
      let felt = output.haptic.firstIndex { $0 != 0 }
      #expect(felt == output.left.firstIndex { $0 != 0 }, "\(start) s, \(random)")
      #expect(felt == Int((start * 48_000).rounded(.up)))
    }
  }

  @Test(arguments: 0..<6)
  func `haptic controls never touch sound and audio controls never touch the drive`(index: Int) {
    var random = SeededRandom(seed: 0x5a0 + UInt64(index))
    let pattern = random.pattern(length: 0.2)
    var sounds = bank(noise(4800), path: "mono.wav")
    sounds.add([Signal(samples: noise(700), rate: .standard, unit: .one)], path: "stereo.wav")
    let all = Rendered(pattern, sounds: sounds)
    func without(_ domain: ParameterDomain) -> Rendered {
      var less = pattern
      less.parameters.removeAll { $0.id.domain == domain }
      less.curves.removeAll { $0.id.domain == domain }
      return Rendered(less, sounds: sounds)
    }
    func same(_ a: [Float], _ b: [Float]) -> Bool {
      // The pattern may be longer or shorter without the controls; what is there must be the same.
      let count = min(a.count, b.count)
      return a.prefix(count).elementsEqual(b.prefix(count))
    }
    let audioOnly = without(.haptic)
    #expect(same(audioOnly.left, all.left) && same(audioOnly.right, all.right), "\(random)")
    #expect(same(without(.audio).haptic, all.haptic), "\(random)")
  }

  @Test func `a sound at another rate is a programmer's error`() async {
    await #expect(processExitsWith: .failure) {
      var bank = SoundBank()
      let rate = SampleRate(hertz: 44_100)
      bank.add([Signal(samples: [0, 1], rate: rate, unit: .one)], path: "sound.wav")
      _ = Rendered(HapticPattern(events: [sound(at: 0)]), sounds: bank)
    }
  }
}
