// SPDX-License-Identifier: Apache-2.0

import ForeignPlant
import Foundation
import Testing

private let obstacle = Comment(rawValue: ForeignPlant.obstacle ?? "")

/// The plants of calibration's table, f0, Q, ohm, rated volts RMS, N/A, and g peak on 100 g.
struct Row: CustomTestStringConvertible, Sendable {
  let name: String
  let f0, q, resistance, volts, forceFactor, acceleration: Double
  var testDescription: String { name }
  /// m/s2 for a volt at resonance: Bl Q / (R M).
  var gain: Double { forceFactor * q / (resistance * 0.1) }

  static let all = [
    Row("coinZ-170", 170, 9, 13.8, 2.5, 0.445, 1.05),
    Row("linX-170", 170, 9, 10, 2.5, 0.645, 2.09),
    Row("linX-145", 145, 10, 12, 3.0, 0.634, 2.29),
    Row("linX-150hiQ", 150, 12, 8.2, 2.0, 0.240, 1.01),
    Row("lin-230", 230, 12, 10, 2.3, 0.428, 1.70),
    Row("slim-240", 240, 15, 16, 1.2, 0.286, 0.46),
    Row("vcm-65", 65, 2.5, 8, 2.0, 1.89, 1.70),
    Row("vcm-pad", 65, 4, 8, 2.0, 2.36, 3.40),
  ]

  init(
    _ name: String, _ f0: Double, _ q: Double, _ resistance: Double, _ volts: Double,
    _ forceFactor: Double, _ acceleration: Double
  ) {
    self.name = name
    (self.f0, self.q, self.resistance, self.volts) = (f0, q, resistance, volts)
    (self.forceFactor, self.acceleration) = (forceFactor, acceleration)
  }
}

/// The foreign plant against closed forms that are written here once more.
@Suite(.disabled(if: ForeignPlant.obstacle != nil, obstacle))
struct LinearLimitTests {
  @Test(arguments: Row.all)
  func `a plant without inductance has the table's frequency, quality and gain`(_ row: Row) throws {
    let truth = try ForeignPlant(row.name, "inductance=0").truth()
    #expect(abs(try #require(truth.f0) / row.f0 - 1) < 1e-9)
    #expect(abs(try #require(truth.q) / row.q - 1) < 1e-7)
    #expect(abs(try #require(truth.gain) / row.gain - 1) < 1e-9)
    let rated = row.gain * row.volts * 2.0.squareRoot() / 9.80665
    #expect(abs(rated / row.acceleration - 1) < 0.02, "\(rated) g")
    #expect(truth.delay == truth.transport)
  }

  @Test(arguments: Row.all)
  func `a take has the response of a delayed resonator`(_ row: Row) throws {
    let transport = 0.4137e-3
    var plant = ForeignPlant(
      row.name, "inductance=0", "linear=1", "bandwidth=0", "transport=0.4137",
      "drive-delay=2.20131", "capture-delay=1.05")
    plant.parameters += ForeignPlant.quiet
    let volts = try plant.truth().fullScale
    let model = Resonator(f0: row.f0, q: row.q, gain: row.gain)
    for frequency in [50.0, 100, row.f0, 300, 500] {
      let drive = Tone.sine(frequency, amplitude: 0.02, seconds: 1.2)
      let columns = try plant.play(drive, capture: ["z", "reference"])
      let seconds = frequency == row.f0 ? 0.4 : 0.5
      let sent = Tone(drive, frequency, seconds: seconds)
      let z = Tone(columns[0], frequency, seconds: seconds)
      let reference = Tone(columns[1], frequency, seconds: seconds)
      let expected = model.response(at: frequency)
      let magnitude = z.amplitude / (volts * sent.amplitude)
      #expect(abs(magnitude / expected.magnitude - 1) < 1e-3, "\(frequency) Hz: \(magnitude)")
      let phaseDelay = transport - expected.phase / (2 * .pi * frequency)
      let delay = reference.delay(of: z, frequency, near: phaseDelay)
      #expect(abs(delay - phaseDelay) < 0.5e-6, "\(frequency) Hz: \(delay - phaseDelay) s")
      let electrical = sent.delay(of: reference, frequency, near: 3.25131e-3)
      #expect(abs(electrical - 3.25131e-3) < 0.5e-6, "\(frequency) Hz: \(electrical) s")
    }
  }

  @Test func `inductance, source and warmth are in the truth as they are in a take`() throws {
    var plant = ForeignPlant(
      "vcm-65", "linear=1", "bandwidth=0", "inductance=0.2", "source=0.5", "temperature=60")
    plant.parameters += ForeignPlant.quiet
    let truth = try plant.truth()
    // 8 ohm, 37 K above the reference at 0.39 %/K, and the source's half ohm.
    let warmed: Double = 8 * 1.1443 + 0.5
    #expect(abs(try #require(truth.resistance) - warmed) < 1e-9)
    let frequencies = [40.0, 65, 100, 200, 400]
    let closed = try plant.response(at: frequencies)
    // One pole of the coil beside the pair: the model's delay is that pole's.
    let model = Resonator(
      f0: try #require(truth.f0), q: try #require(truth.q), gain: try #require(truth.gain))
    for (frequency, exact) in zip(frequencies, closed) {
      let drive = Tone.sine(frequency, amplitude: 0.05, seconds: 0.8)
      let z = Tone(try plant.play(drive, capture: ["z"])[0], frequency)
      let magnitude = z.amplitude / (0.05 * truth.fullScale)
      #expect(abs(magnitude / exact.magnitude - 1) < 1e-4, "\(frequency) Hz: \(magnitude)")
      let fitted = model.response(at: frequency)
      let turn = 2 * Double.pi
      let phase = fitted.phase - turn * frequency * truth.delay - exact.phase
      #expect(abs(magnitude / fitted.magnitude - 1) < 3e-3, "\(frequency) Hz: \(magnitude)")
      #expect(abs(phase - turn * (phase / turn).rounded()) < 2e-3, "\(frequency) Hz: \(phase)")
    }
  }

  @Test func `the ringing dies away with the quality of the truth`() throws {
    var plant = ForeignPlant("linX-145", "linear=1", "bandwidth=0")
    plant.parameters += ForeignPlant.quiet
    let truth = try plant.truth()
    let (f0, q) = (try #require(truth.f0), try #require(truth.q))
    var drive = Tone.sine(145, amplitude: 0.2, seconds: 0.4)
    drive += [Double](repeating: 0, count: 12_000)
    let z = try plant.play(drive, capture: ["z"])[0]
    // Peaks between samples by a parabola, from 20 ms after the drive's end on.
    var peaks: [(time: Double, height: Double)] = []
    for frame in (19_200 + 960)..<(z.count - 1)
    where z[frame] > z[frame - 1] && z[frame] >= z[frame + 1] && peaks.count < 12 {
      let (a, b, c) = (z[frame - 1], z[frame], z[frame + 1])
      let shift = 0.5 * (a - c) / (a - 2 * b + c)
      peaks.append(((Double(frame) + shift) / 48_000, b - 0.25 * (a - c) * shift))
    }
    let (first, last) = (try #require(peaks.first), try #require(peaks.last))
    let decrement = log(first.height / last.height) / Double(peaks.count - 1)
    let measured = Double.pi / decrement
    // The decrement is 2 pi zeta / sqrt(1 - zeta^2) with zeta = 1 / 2Q, exactly.
    let expected = (q * q - 0.25).squareRoot()
    #expect(abs(measured / expected - 1) < 2e-3, "\(measured)")
    let period = (last.time - first.time) / Double(peaks.count - 1)
    let damped = f0 * (1 - 0.25 / (q * q)).squareRoot()
    #expect(abs(period * damped - 1) < 2e-4, "\(1 / period) Hz")
  }

  @Test func `two modes are the sum of their parts`() throws {
    let plant = ForeignPlant("dual-160/320", "transport=0", "inductance=0")
    let modes = try #require(try plant.truth().modes)
    try #require(modes.count == 2)
    #expect(abs(modes[0].f0 / 160 - 1) < 1e-3)
    #expect(abs(modes[1].f0 / 320 - 1) < 1e-3)
    for exact in try plant.response(at: [50, 160, 210, 320, 500]) {
      var (real, imaginary) = (0.0, 0.0)
      for mode in modes {
        let part = Resonator(f0: mode.f0, q: mode.q, gain: mode.gain)
          .response(at: exact.frequency)
        real += part.magnitude * cos(part.phase)
        imaginary += part.magnitude * sin(part.phase)
      }
      let sum = (real * real + imaginary * imaginary).squareRoot()
      #expect(abs(sum / exact.magnitude - 1) < 0.02, "\(exact.frequency) Hz: \(sum)")
    }
  }

  @Test func `a piezo's acceleration grows with the square of frequency`() throws {
    let response = try ForeignPlant("piezo-7G").response(at: [20, 40, 200])
    #expect(abs(response[1].magnitude / response[0].magnitude - 4) < 0.01)
    // 32.5 um at 120 V, w^2 x.
    let w = 2 * Double.pi * 200
    #expect(abs(response[2].magnitude * 120 / (w * w * 32.5e-6) - 1) < 0.03)
  }
}
