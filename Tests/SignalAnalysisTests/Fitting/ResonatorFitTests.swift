// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

/// The fit against plants that are integrated in the time domain.
struct ResonatorFitTests {
  private let rate = SampleRate.standard
  private let count = 24_000

  /// The probe, beginning after 20 ms of silence.
  private func drive(_ time: Double) -> Double { 2 * Sweep.probe.value(at: time - 0.02) }

  private var driveSamples: [Float] {
    (0..<count).map { Float(drive(rate.seconds(Double($0)))) }
  }

  @Test(arguments: [4.0, 9, 16], [65.0, 120, 170, 240])
  func `without noise the plant is recovered`(q: Double, frequency: Double) throws {
    for (delay, gain) in [(0.05e-3, 12.0), (1.337e-3, -8), (20e-3, 30)] {
      let plant = Plant(delay: delay, frequency: frequency, q: q, gain: gain)
      let response = plant.respond(to: drive, count: count, rate: rate.hertz).acceleration
      let model = try ResonatorFit().fit(
        drive: driveSamples, response: floats(response), rate: rate, noise: 0)
      let context = "Q \(q), f0 \(frequency), delay \(delay), gain \(gain): \(model)"
      #expect(abs(model.delay.value - delay) < 5e-6, "\(context)")
      #expect(abs(model.frequency.value / frequency - 1) < 0.003, "\(context)")
      #expect(abs(model.q.value / q - 1) < 0.05, "\(context)")
      #expect(abs(model.gain.value / gain - 1) < 0.01, "\(context)")
      #expect(try #require(model.quality).misfit < 0.05, "\(context)")
    }
  }

  @Test func `in noise the stated uncertainty covers the truth`() throws {
    let plant = Plant(delay: 3.21e-3, frequency: 172, q: 9, gain: 20)
    let response = plant.respond(to: drive, count: count, rate: rate.hertz).acceleration
    let clean = try ResonatorFit().fit(
      drive: driveSamples, response: floats(response), rate: rate, noise: 0)
    var noise = Noise(seed: 41)
    let sigma = 0.1 * rms(response)
    var covered = [0, 0, 0, 0]
    var reduced = 0.0
    let trials = 60
    for _ in 0..<trials {
      let model = try ResonatorFit().fit(
        drive: driveSamples, response: noise.added(to: response, sigma: sigma), rate: rate,
        noise: sigma)
      reduced += try #require(model.quality).reducedChiSquare / Double(trials)
      #expect(abs(model.delay.value - 3.21e-3) < 5e-6)
      #expect(abs(model.frequency.value / 172 - 1) < 0.003)
      let pairs = [
        (model.delay, 3.21e-3), (model.frequency, 172.0), (model.q, 9.0), (model.gain, 20.0),
      ]
      for (index, pair) in pairs.enumerated()
      where abs(pair.0.value - pair.1) < 2 * pair.0.uncertainty { covered[index] += 1 }
    }
    #expect(
      covered.allSatisfy { $0 >= 52 },
      "seed 41: \(covered) of \(trials) within two uncertainties; without noise \(clean)")
    #expect(abs(reduced - 1) < 0.05, "seed 41: reduced chi-square \(reduced)")
  }

  @Test func `at 0 dB the fit still finds the right cycle`() throws {
    let plant = Plant(delay: 7e-3, frequency: 150, q: 12, gain: 15)
    let response = plant.respond(to: drive, count: count, rate: rate.hertz).acceleration
    var noise = Noise(seed: 42)
    for _ in 0..<10 {
      let sigma = rms(response)
      let model = try ResonatorFit().fit(
        drive: driveSamples, response: noise.added(to: response, sigma: sigma), rate: rate,
        noise: sigma)
      #expect(abs(model.delay.value - 7e-3) < 5 * model.delay.uncertainty, "seed 42: \(model)")
      #expect(model.delay.uncertainty < 50e-6, "seed 42: \(model)")
    }
  }

  @Test func `a known filter does not count as delay`() throws {
    let plant = Plant(delay: 2e-3, frequency: 170, q: 8, gain: 10)
    let motion = plant.respond(to: drive, count: 16 * count, rate: 16 * rate.hertz, oversampling: 1)
    // A Butterworth low-pass of 1 kHz, integrated at 16 times the rate (trapezoid, 0.2 us of lag).
    let w = 2 * Double.pi * 1_000
    let step = 1 / (16 * rate.hertz)
    var (y, v) = (0.0, 0.0)
    var filtered: [Double] = []
    for (index, value) in motion.acceleration.enumerated() {
      if index.isMultiple(of: 16) { filtered.append(y) }
      let next = motion.acceleration[min(index + 1, motion.acceleration.count - 1)]
      func pull(_ y: Double, _ v: Double, _ u: Double) -> Double {
        w * w * (u - y) - 2.0.squareRoot() * w * v
      }
      let (a1, v1) = (pull(y, v, value), v)
      let v2 = v + step * a1
      let a2 = pull(y + step * v1, v2, next)
      y += step / 2 * (v1 + v2)
      v += step / 2 * (a1 + a2)
    }
    let fit = ResonatorFit(knownFilter: .butterworth(corner: 1_000))
    let model = try fit.fit(
      drive: driveSamples, response: floats(filtered), rate: rate, noise: 0)
    #expect(abs(model.delay.value - 2e-3) < 5e-6, "\(model)")
    #expect(abs(model.gain.value / 10 - 1) < 0.01)
    let blind = try ResonatorFit().fit(
      drive: driveSamples, response: floats(filtered), rate: rate, noise: 0)
    // sqrt(2) / w0 = 225 us is the filter's delay at low frequencies.
    #expect(abs(blind.delay.value - 2.225e-3) < 50e-6, "\(blind)")
  }

  @Test(arguments: [4.0, 9, 16])
  func `a stiffness that grows by 5 percent moves the delay by less than 30 microseconds`(
    q: Double
  ) throws {
    let linear = Plant(delay: 4e-3, frequency: 170, q: q, gain: 20)
    let reach = linear.respond(to: drive, count: count, rate: rate.hertz).largestDeflection
    var hard = linear
    hard.hardening = 0.05
    hard.scale = reach
    let response = hard.respond(to: drive, count: count, rate: rate.hertz).acceleration
    let model = try ResonatorFit().fit(
      drive: driveSamples, response: floats(response), rate: rate, noise: 0)
    #expect(abs(model.delay.value - 4e-3) < 30e-6, "\(model)")
  }

  @Test func `a dead response is refused`() {
    var noise = Noise(seed: 43)
    let silence = [Double](repeating: 0, count: count)
    for stated in [0.1, 0.02] {
      let response = noise.added(to: silence, sigma: 0.1)
      #expect(throws: ResonatorFitError.deadResponse) {
        try ResonatorFit().fit(
          drive: driveSamples, response: response, rate: rate, noise: stated)
      }
    }
    #expect(throws: ResonatorFitError.deadResponse) {
      try ResonatorFit().fit(
        drive: driveSamples, response: floats(silence), rate: rate, noise: 0)
    }
  }

  @Test func `a silent drive is refused`() {
    let silence = [Float](repeating: 0, count: count)
    #expect(throws: ResonatorFitError.noDrive) {
      try ResonatorFit().fit(drive: silence, response: driveSamples, rate: rate, noise: 0.1)
    }
  }

  @Test func `two resonators are not one`() throws {
    let low = Plant(delay: 1e-3, frequency: 90, q: 12, gain: 10)
      .respond(to: drive, count: count, rate: rate.hertz).acceleration
    let high = Plant(delay: 1e-3, frequency: 260, q: 12, gain: 10)
      .respond(to: drive, count: count, rate: rate.hertz).acceleration
    let response = floats(zip(low, high).map { $0 + $1 })
    let error = #expect(throws: ResonatorFitError.self) {
      try ResonatorFit().fit(drive: driveSamples, response: response, rate: rate, noise: 1e-3)
    }
    guard case .doesNotFit(let model)? = error else {
      Issue.record("\(String(describing: error)) instead of a fit refused")
      return
    }
    #expect(try #require(model.quality).misfit > 0.3)
  }

  @Test func `a response that is not finite is refused`() {
    var response = driveSamples
    response[100] = .infinity
    #expect(throws: ResonatorFitError.notFinite) {
      try ResonatorFit().fit(drive: driveSamples, response: response, rate: rate, noise: 0.1)
    }
  }
}
