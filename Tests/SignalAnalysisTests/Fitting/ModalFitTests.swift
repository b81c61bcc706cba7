// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

/// The fit of modes against systems of known modes, through a sweep.
struct ModalFitTests {
  private let rate = SampleRate(hertz: 8_000)
  private let sweep = SynchronizedSweep(duration: 2, amplitude: 1)

  private var drive: [Double] { padded(sweep.samples(at: rate), rate: rate) }

  private func response(_ plant: Modes) throws -> SweepResponse {
    let drive = drive
    return try SweepResponse.measure(
      sweep, input: floats(drive), output: floats(plant.respond(to: drive, rate: rate)),
      rate: rate)
  }

  @Test(arguments: [4.0, 9, 16, 30], [65.0, 150, 240])
  func `without noise one mode is exact`(q: Double, frequency: Double) throws {
    for (delay, gain) in [(0.05e-3, 12.0), (21e-3, -8)] {
      let plant = Modes(delay: delay, modes: [(frequency, q, gain)])
      let model = try ModalFit().fit(try response(plant))
      let context = "Q \(q), f0 \(frequency), delay \(delay): \(model)"
      #expect(model.modes.count == 1, "\(context)")
      #expect(abs(model.mode.frequency.value / frequency - 1) < 1e-5, "\(context)")
      #expect(abs(model.mode.q.value / q - 1) < 1e-3, "\(context)")
      #expect(abs(model.mode.gain.value / gain - 1) < 1e-3, "\(context)")
      #expect(abs(model.delay.value - delay) < 1e-7, "\(context)")
    }
  }

  @Test(arguments: [(1.0, 8.0, 8.0), (-1, 8, 8), (0.2, 12, 6), (3, 5, 15)])
  func `two modes are found as two`(ratio: Double, low: Double, high: Double) throws {
    let plant = Modes(
      delay: 2.5e-3, modes: [(160, low, 10), (320, high, 10 * ratio)])
    let model = try ModalFit().fit(try response(plant))
    #expect(model.modes.count == 2)
    let modes = model.modes.sorted { $0.frequency.value < $1.frequency.value }
    let expected = [(160.0, low, 10.0), (320, high, 10 * ratio)]
    for (mode, truth) in zip(modes, expected) {
      #expect(abs(mode.frequency.value / truth.0 - 1) < 1e-4, "\(mode)")
      #expect(abs(mode.q.value / truth.1 - 1) < 2e-3, "\(mode)")
      #expect(abs(mode.gain.value / truth.2 - 1) < 2e-3, "\(mode)")
    }
    #expect(abs(model.delay.value - 2.5e-3) < 1e-6)
    #expect(abs(model.mode.gain.value) >= abs(model.modes[1].gain.value))
    #expect((model.response(at: 200) - plant.response(at: 200)).magnitude < 0.02)
  }

  @Test func `at 40 dB a two-second sweep is as exact as wanted`() throws {
    var noise = Noise(seed: 31)
    let drive = drive
    for _ in 0..<10 {
      let (f0, q) = (noise.uniform(60...250), noise.uniform(4...15))
      let plant = Modes(delay: 3.2e-3, modes: [(f0, q, 15)])
      let clean = plant.respond(to: drive, rate: rate)
      let output = noise.added(to: clean, sigma: 0.01 * rms(clean))
      let model = try ModalFit().fit(
        try SweepResponse.measure(sweep, input: floats(drive), output: output, rate: rate))
      let context = "seed 31, f0 \(f0), Q \(q): \(model)"
      #expect(abs(model.mode.frequency.value / f0 - 1) < 0.0005, "\(context)")
      #expect(abs(model.mode.q.value / q - 1) < 0.01, "\(context)")
      #expect(abs(model.mode.gain.value / 15 - 1) < 0.002, "\(context)")
      #expect(abs(model.delay.value - 3.2e-3) < 3e-6, "\(context)")
    }
  }

  @Test func `a known filter counts neither as delay nor as gain`() throws {
    let filter = KnownFilter.butterworth(corner: 1_200)
    let plant = Modes(delay: 2e-3, modes: [(170, 8, 10)])
    let frequencies = (10..<400).map { 2.5 * Double($0) }
    let measured = TransferFunction(
      spacing: 2.5, frequencies: frequencies,
      response: frequencies.map { plant.response(at: $0) * filter.response(at: $0) },
      uncertainty: frequencies.map { _ in 1e-4 }, delay: 2e-3)
    let model = try ModalFit(knownFilter: filter).fit(measured)
    #expect(abs(model.delay.value - 2e-3) < 1e-8)
    #expect(abs(model.mode.gain.value - 10) < 1e-4)
    let single = try ResonatorFit(knownFilter: filter).fit(measured)
    #expect(abs(single.frequency.value - 170) < 1e-3)
    #expect(abs(single.delay.value - 2e-3) < 1e-8)
  }

  @Test func `a resonance above the sweep is named as such`() throws {
    let low = SynchronizedSweep(band: 20...200, duration: 2)
    let drive = padded(low.samples(at: rate), rate: rate)
    let plant = Modes(delay: 1e-3, modes: [(320, 6, 10)])
    let response = try SweepResponse.measure(
      low, input: floats(drive), output: floats(plant.respond(to: drive, rate: rate)),
      rate: rate)
    let error = #expect(throws: ModalFitError.self) { try ModalFit().fit(response) }
    guard case .outsideBand(let model, let band)? = error else {
      Issue.record("\(String(describing: error)) instead of a resonance outside")
      return
    }
    #expect(abs(model.mode.frequency.value / 320 - 1) < 0.05)
    #expect(band.upperBound <= 200)
    #expect(error?.description.contains("outside") == true)
    let believed = try ModalFit(frequencies: 20...1_000).fit(response)
    #expect(abs(believed.mode.frequency.value / 320 - 1) < 0.01)
  }

  @Test func `noise alone is a dead response`() throws {
    var noise = Noise(seed: 32)
    let drive = drive
    for _ in 0..<5 {
      let output = noise.added(to: drive.map { _ in 0 }, sigma: 1)
      let response = try SweepResponse.measure(
        sweep, input: floats(drive), output: output, rate: rate)
      let error = #expect(throws: ModalFitError.self, "seed 32") {
        try ModalFit().fit(response)
      }
      #expect(
        error == .deadResponse || error.map(Self.isRefusal) == true,
        "seed 32: \(error.map(\.description) ?? "")")
    }
  }

  private static func isRefusal(_ error: ModalFitError) -> Bool {
    if case .doesNotFit = error { return true }
    return false
  }

  @Test(arguments: [5.0, 10, 20])
  func `a stiffness that grows is not a second mode`(q: Double) throws {
    let rate = SampleRate(hertz: 4_000)
    let linear = Plant(delay: 4e-3, frequency: 170, q: q, gain: 20)
    let short = SynchronizedSweep(band: 50...500, duration: 1)
    let count = 7_000
    func drive(_ time: Double) -> Double { short.value(at: time - 0.1) }
    let samples = (0..<count).map { Float(drive(rate.seconds(Double($0)))) }
    var hard = linear
    hard.hardening = 0.05
    hard.scale = linear.respond(to: drive, count: count, rate: rate.hertz).largestDeflection
    let output = hard.respond(to: drive, count: count, rate: rate.hertz).acceleration
    let model = try ModalFit().fit(
      try SweepResponse.measure(short, input: samples, output: floats(output), rate: rate))
    #expect(model.modes.count == 1, "\(model)")
    #expect((1...1.05).contains(model.mode.frequency.value / 170), "\(model)")
  }
}
