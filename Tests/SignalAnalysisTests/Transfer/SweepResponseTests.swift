// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

/// The deconvolution of sweeps against systems whose response is known in closed form.
struct SweepResponseTests {
  private let rate = SampleRate(hertz: 8_000)

  private func drive(
    _ direction: SynchronizedSweep.Direction = .up, amplitude: Double = 0.5
  ) -> (sweep: SynchronizedSweep, samples: [Double]) {
    let sweep = SynchronizedSweep(duration: 2, amplitude: amplitude, direction: direction)
    return (sweep, padded(sweep.samples(at: rate), rate: rate))
  }

  @Test(arguments: SynchronizedSweep.Direction.allCases)
  func `a resonator is seen as it is`(direction: SynchronizedSweep.Direction) throws {
    let (sweep, samples) = drive(direction)
    let plant = Modes(delay: 3.3e-3, modes: [(150, 10, 12)])
    let output = plant.respond(to: samples, rate: rate)
    let found = try SweepResponse.measure(
      sweep, input: floats(samples), output: floats(output), rate: rate)
    for frequency in [60.0, 120, 150, 155, 300, 700] {
      let truth = plant.response(at: frequency)
      let value = try #require(found.linear.response(at: frequency))
      let error = (value - truth).magnitude / truth.magnitude
      // Without a correction the gate's edges and the interpolation cost some tenths of a percent.
      #expect(error < 0.01, "\(frequency) Hz: off by \(error)")
    }
    #expect(abs(found.linear.delay - 3.3e-3) < 2e-3)
  }

  @Test(arguments: SynchronizedSweep.Direction.allCases)
  func `the harmonics of a polynomial are those of trigonometry`(
    direction: SynchronizedSweep.Direction
  ) throws {
    // y = x + 0.2 x^2, 2 ms later, + 0.3 x^3: with x = A sin p, A = 0.5,
    // sin^2 = (1 - cos 2p) / 2 and sin^3 = (3 sin p - sin 3p) / 4.
    let (sweep, samples) = drive(direction)
    let late = 16
    let output = samples.indices.map { index in
      let (x, before) = (samples[index], index < late ? 0 : samples[index - late])
      return x + 0.2 * before * before + 0.3 * x * x * x
    }
    let found = try SweepResponse.measure(
      sweep, input: floats(samples), output: floats(output), rate: rate)
    for frequency in [150.0, 300, 600] {
      let linear = try #require(found.linear.response(at: frequency))
      #expect((linear - Complex(1 + 0.75 * 0.3 * 0.25)).magnitude < 0.003, "\(linear)")
      let second = try #require(found.harmonics[0].transfer.response(at: frequency))
      let truth =
        Complex(0, -0.2 * 0.5 / 2) * Complex(angle: -2 * .pi * frequency * 2e-3)
      #expect((second - truth).magnitude < 0.001, "\(frequency) Hz: \(second), not \(truth)")
      let third = try #require(found.harmonics[1].transfer.response(at: frequency))
      #expect((third - Complex(-0.3 * 0.25 / 4)).magnitude < 0.0005, "\(third)")
    }
    let distortion = try #require(found.distortion(at: 200))
    let truth = (0.05 * 0.05 + 0.01875 * 0.01875).squareRoot() / 1.05625
    #expect(abs(distortion.value / truth - 1) < 0.02, "\(distortion), not \(truth)")
    #expect(found.distortion(at: 600) == nil)
    #expect(found.harmonics.map(\.order) == [2, 3, 4, 5])
  }

  @Test func `what is common to both signals falls out`() throws {
    let (sweep, samples) = drive()
    let plant = Modes(delay: 1e-3, modes: [(170, 8, 20)])
    let output = plant.respond(to: samples, rate: rate)
    let plain = try SweepResponse.measure(
      sweep, input: floats(samples), output: floats(output), rate: rate)
    // Half as loud on both wires, 40 ms later, and the sensor shows gravity.
    let silence = [Double](repeating: 0, count: 320)
    let late = try SweepResponse.measure(
      sweep, input: floats(silence + samples.map { 0.5 * $0 }),
      output: floats(silence.map { $0 + 9.8 } + output.map { 0.5 * $0 + 9.8 }), rate: rate)
    for frequency in [100.0, 170, 500] {
      let one = try #require(plain.linear.response(at: frequency))
      let other = try #require(late.linear.response(at: frequency))
      #expect((one - other).magnitude < 2e-3 * one.magnitude)
    }
  }

  @Test func `the correction takes off what a short gate cut away`() throws {
    let (sweep, samples) = drive()
    let plant = Modes(delay: 1e-3, modes: [(150, 30, 12)])
    let output = plant.respond(to: samples, rate: rate)
    let blurred = try SweepResponse.measure(
      sweep, input: floats(samples), output: floats(output), rate: rate, tail: 0.08)
    let model = ModalModel(
      delay: Estimate(1e-3, uncertainty: 0),
      modes: [
        .init(
          frequency: Estimate(150, uncertainty: 0), q: Estimate(30, uncertainty: 0),
          gain: Estimate(12, uncertainty: 0))
      ])
    let truth = plant.response(at: 150)
    func error(_ response: SweepResponse) throws -> Double {
      let transfer = response.linear
      let nearest = try #require(
        transfer.frequencies.indices.min {
          abs(transfer.frequencies[$0] - 150) < abs(transfer.frequencies[$1] - 150)
        })
      let exact = plant.response(at: transfer.frequencies[nearest])
      return (transfer.response[nearest] - exact).magnitude / truth.magnitude
    }
    #expect(try error(blurred) > 0.1)
    #expect(try error(blurred.corrected(by: model)) < 1e-4)
  }

  @Test func `the stated uncertainty is the scatter`() throws {
    let (sweep, samples) = drive()
    let plant = Modes(delay: 2e-3, modes: [(170, 8, 20)])
    let clean = plant.respond(to: samples, rate: rate)
    var noise = Noise(seed: 5)
    var squares = 0.0
    var count = 0.0
    for _ in 0..<20 {
      let output = noise.added(to: clean, sigma: 0.1)
      let found = try SweepResponse.measure(
        sweep, input: floats(samples), output: output, rate: rate
      ).linear
      for index in found.frequencies.indices
      where (40...900).contains(found.frequencies[index]) {
        let error = found.response[index] - plant.response(at: found.frequencies[index])
        squares += error.power / (2 * found.uncertainty[index] * found.uncertainty[index])
        count += 1
      }
    }
    // On the safe side, by what few numbers know of the noise and by the soft edges of the gate.
    #expect((0.75...1.05).contains(squares / count), "seed 5: chi-square \(squares / count)")
  }

  @Test func `a record without the sweep, without input or with broken samples is refused`() {
    let (sweep, samples) = drive()
    let good = floats(samples)
    #expect(
      throws: TransferError.tooShort(
        frames: 800, needed: Int((8_000 * sweep.duration).rounded(.up)))
    ) {
      try SweepResponse.measure(
        sweep, input: Array(good[..<800]), output: Array(good[..<800]), rate: rate)
    }
    #expect(throws: TransferError.noInput) {
      try SweepResponse.measure(
        sweep, input: [Float](repeating: 0, count: good.count), output: good, rate: rate)
    }
    var broken = good
    broken[77] = .nan
    #expect(throws: TransferError.notFinite) {
      try SweepResponse.measure(sweep, input: good, output: broken, rate: rate)
    }
  }
}
