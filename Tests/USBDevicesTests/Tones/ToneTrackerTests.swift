// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import SeededRandom
import Testing
import Units

@testable import USBDevices

struct ToneTrackerTests {
  private func tone(
    rate: Double = 48_000, frames: Int, form: ToneTracker.Form = .wave, _ wave: (Double) -> Double
  ) -> DriveTone {
    let tracker = ToneTracker(rate: SampleRate(hertz: rate), form: form)
    let samples = (-tracker.lag..<(frames + tracker.lag)).map { Float(wave(Double($0) / rate)) }
    return tracker.tone(of: samples.span)
  }

  @Test func `a steady tone gives its amplitude and frequency in any part of a period`() {
    var random = SeededRandom(seed: 20_261)
    for _ in 0..<200 {
      let hertz = 65 * exp2(random.uniform() * log2(500.0 / 65))
      let amplitude = 0.01 + 0.98 * random.uniform()
      let turn = random.uniform()
      let frames = 48 + Int(random.uniform() * 700)
      let found = tone(frames: frames) { amplitude * sin(2 * .pi * (hertz * $0 + turn)) }
      #expect(
        abs(found.amplitude / amplitude - 1) < 2e-3 && abs(found.frequency / hertz - 1) < 1e-3,
        "\(hertz) Hz, \(amplitude), \(turn) turns, \(frames) frames: \(found)")
    }
  }

  @Test(arguments: [8000.0, 44_100, 48_000, 192_000])
  func `the rate does not matter`(rate: Double) {
    let found = tone(rate: rate, frames: Int(rate * 0.005)) { 0.5 * sin(2 * .pi * 230 * $0 + 1) }
    #expect(abs(found.amplitude - 0.5) < 1e-3)
    #expect(abs(found.frequency - 230) < 0.3)
  }

  @Test func `an envelope is followed to its root mean square`() {
    // 0.2 to 0.6 within 5 ms: mean of squares 0.1733, its root 0.4163.
    let found = tone(frames: 240) { (0.2 + 80 * $0) * sin(2 * .pi * 175 * $0) }
    #expect(abs(found.amplitude - 0.4163) < 0.02, "\(found)")
    #expect(abs(found.frequency - 175) < 5, "\(found)")
  }

  @Test func `silence is silent and what is no number too`() {
    #expect(tone(frames: 100) { _ in 0 } == .silent)
    #expect(tone(frames: 100) { _ in .nan }.amplitude == 0)
    #expect(tone(frames: 100) { _ in 1e-7 } == .silent)
  }

  @Test func `what is no tone counts by its highest sample`() {
    #expect(tone(frames: 100) { _ in 0.25 } == DriveTone(frequency: 20, amplitude: 0.25))
    let ramp = tone(frames: 240) { 10 * $0 }
    #expect(ramp.amplitude <= 0.06 && ramp.frequency <= 40, "\(ramp)")
  }

  @Test func `nothing goes above full scale`() {
    #expect(tone(frames: 100) { 3 * sin(2 * .pi * 175 * $0) }.amplitude == 1)
  }

  @Test func `the drive of a motor is its strength`() {
    #expect(tone(frames: 100, form: .level) { _ in 0.5 }.amplitude == 0.5)
    #expect(tone(frames: 100, form: .level) { _ in -0.5 }.amplitude == 0)
  }
}
