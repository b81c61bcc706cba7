// SPDX-License-Identifier: Apache-2.0

import AHAP
import Glibc
import HapticRendering
import Perception
import SeededRandom
import Testing
import Units

/// A tap is A sin(2 pi f t) (1 + cos(pi t / T)) / 2 from its start, wherever that lies between frames.
struct TransientRenderTests {
  private func tap(
    from start: Double, length: Double, amplitude: Double, hertz: Double, frames: Int,
    rate: Double = 48_000
  ) -> [Double] {
    (0..<frames).map { frame in
      let age = Double(frame) / rate - start
      guard age >= 0, age < length else { return 0 }
      return amplitude * sin(2 * .pi * hertz * age) * (1 + cos(.pi * age / length)) / 2
    }
  }

  @Test func `a tap at any fraction of a frame is its formula`() {
    var random = SeededRandom(seed: 0x7a9)
    for _ in 0..<25 {
      let (start, i, s) = (random.uniform(0...0.05), random.uniform(), random.uniform())
      let drive = Rendered.drive(
        HapticPattern(events: [transient(at: start, intensity: i, sharpness: s)]),
        block: random.integer(1...500))
      let expected = tap(
        from: start, length: 22e-3, amplitude: i * i, hertz: 80 * pow(230 / 80, s),
        frames: drive.count)
      let worst = distance(drive, expected)
      #expect(worst < 1e-5, "\(worst) from \(start) s, \(random)")
    }
  }

  @Test(arguments: [(2e-3, 48_000.0), (0.25, 48_000), (22e-3, 8000), (22e-3, 192_000)])
  func `any length and rate hold the formula`(length: Double, rate: Double) {
    let configuration = RenderConfiguration(
      rate: SampleRate(hertz: rate), transientShape: TransientShape(length: length))
    let drive = Rendered.drive(
      HapticPattern(events: [transient(at: 0.01003, sharpness: 1)]), configuration)
    let expected = tap(
      from: 0.01003, length: length, amplitude: 1, hertz: 230, frames: drive.count, rate: rate)
    #expect(distance(drive, expected) < 1e-5)
  }

  @Test func `the law of intensity and the full scale set the amplitude`() {
    for (law, share) in [(IntensityLaw.square, 0.16), (.linear, 0.4)] {
      let configuration = RenderConfiguration(intensityLaw: law, fullScale: 0.5)
      let drive = Rendered.drive(
        HapticPattern(events: [transient(at: 0, intensity: 0.4, sharpness: 0)]), configuration)
      let expected = tap(
        from: 0, length: 22e-3, amplitude: 0.5 * share, hertz: 80, frames: drive.count)
      #expect(distance(drive, expected) < 1e-5)
    }
  }

  @Test func `taps that overlap add`() {
    let events = [transient(at: 0.01, sharpness: 0.2), transient(at: 0.0173, intensity: 0.5)]
    let both = Rendered.drive(HapticPattern(events: events))
    let first = tap(
      from: 0.01, length: 22e-3, amplitude: 1, hertz: 80 * pow(2.875, 0.2), frames: both.count)
    let second = tap(
      from: 0.0173, length: 22e-3, amplitude: 0.25, hertz: 80 * pow(2.875, 0.5), frames: both.count)
    #expect(distance(both, zip(first, second).map { $0 + $1 }) < 1e-5)
  }

  @Test func `envelope parameters leave a tap as it is`() {
    var event = transient(at: 0.01)
    let plain = Rendered.drive(HapticPattern(events: [event]))
    event.parameters.attackTime = 1
    event.parameters.decayTime = 1
    event.parameters.releaseTime = 1
    event.parameters.sustained = 0
    let pattern = HapticPattern(
      events: [event], parameters: [step(.hapticAttackTime, at: 0, 1)])
    #expect(Rendered.drive(pattern) == plain)
  }

  @Test func `a tap takes the intensity control at its start and no later`() {
    let pattern = HapticPattern(
      events: [transient(at: 0.1, intensity: 0.8, sharpness: 0)],
      curves: [curve(.hapticIntensity, at: 0.1, [(0, 0.5), (0.005, 0), (0.02, 1)])])
    let drive = Rendered.drive(pattern)
    let expected = tap(
      from: 0.1, length: 22e-3, amplitude: 0.16, hertz: 80, frames: drive.count)
    #expect(distance(drive, expected) < 1e-5)
  }

  @Test(arguments: [false, true])
  func `the sharpness control tunes taps only where it is asked to`(moves: Bool) {
    let pattern = HapticPattern(
      events: [transient(at: 0.1, sharpness: 0.5)],
      parameters: [step(.hapticSharpness, at: 0, 0.5)])
    let drive = Rendered.drive(
      pattern, RenderConfiguration(sharpnessControlMovesTransients: moves))
    let expected = tap(
      from: 0.1, length: 22e-3, amplitude: 1, hertz: moves ? 230 : 135.64659966250537,
      frames: drive.count)
    #expect(distance(drive, expected) < 1e-5)
  }

  @Test func `a level drive falls without a carrier`() {
    let drive = Rendered.drive(
      HapticPattern(events: [transient(at: 0.0101, intensity: 0.5)]),
      RenderConfiguration(waveform: .level))
    let expected = (0..<drive.count).map { frame -> Double in
      let age = Double(frame) / 48_000 - 0.0101
      return age >= 0 && age < 22e-3 ? 0.25 * (1 + cos(.pi * age / 22e-3)) / 2 : 0
    }
    #expect(distance(drive, expected) < 1e-5)
  }
}
