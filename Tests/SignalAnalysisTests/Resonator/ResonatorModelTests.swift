// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct ResonatorModelTests {
  private func model(
    delay: Double = 0, frequency: Double = 170, q: Double = 8, gain: Double = 10,
    correlation: Double = 0
  ) -> ResonatorModel {
    ResonatorModel(
      delay: Estimate(delay, uncertainty: 0), frequency: Estimate(frequency, uncertainty: 0.17),
      q: Estimate(q, uncertainty: 0.08), gain: Estimate(gain, uncertainty: 0),
      correlationOfFrequencyAndQ: correlation)
  }

  @Test func `the gain is that at resonance`() {
    #expect(abs(model().response(at: 170).magnitude - 10) < 1e-12)
  }

  @Test func `constant drive moves nothing and fast drive passes by g over Q`() {
    #expect(model().response(at: 0).magnitude == 0)
    #expect(abs(model().response(at: 1e6).magnitude - 10 / 8) < 1e-4)
  }

  @Test func `the half-power points are f0 over Q apart`() {
    let model = model(q: 20)
    // |s w0/Q / (s^2 + s w0/Q + w0^2)| is 1/sqrt(2) at f0 (sqrt(1 + 1/4Q^2) +- 1/2Q); here times f/f0.
    for side in [-1.0, 1] {
      let ratio = (1 + 1 / 1_600.0).squareRoot() + side / 40
      let level = model.response(at: 170 * ratio).magnitude / 10
      #expect(abs(level - ratio * 0.5.squareRoot()) < 1e-12)
    }
  }

  @Test func `rise and decay follow from f0 and Q with their uncertainty`() {
    let model = model(correlation: 0.5)
    let decay = 8 / (Double.pi * 170)
    #expect(abs(model.decayTime.value - decay) < 1e-15)
    #expect(abs(model.riseTime.value - 2.197224577 * decay) < 1e-10)
    // Relative: 0.01 of Q, 0.001 of f0, correlated by 0.5: sqrt(1e-4 + 1e-6 - 2 0.5 1e-5).
    let relative = (1e-4 + 1e-6 - 1e-5).squareRoot()
    #expect(abs(model.riseTime.relativeUncertainty - relative) < 1e-12)
  }

  @Test func `the prediction is what the plant does`() {
    let rate = SampleRate.standard
    let plant = Plant(delay: 2.345e-3, frequency: 170, q: 8, gain: 10)
    func drive(_ time: Double) -> Double { Sweep.probe.value(at: time - 0.01) }
    let truth = plant.respond(to: drive, count: 14_000, rate: rate.hertz).acceleration
    let samples = (0..<14_000).map { Float(drive(rate.seconds(Double($0)))) }
    let predicted = model(delay: 2.345e-3).predict(samples, rate: rate)
    #expect(predicted.count == 14_000)
    let rest = rms(zip(truth, predicted).map { $0 - $1 })
    #expect(rest < 1e-4 * rms(truth), "relative error \(rest / rms(truth))")
  }

  @Test func `a drive at the very end does not wrap to the beginning`() {
    var drive = [Float](repeating: 0, count: 1_000)
    for frame in 900..<1_000 { drive[frame] = Float(sin(0.0222 * Double(frame - 900))) }
    let predicted = model(delay: 0.01).predict(drive, rate: .standard)
    #expect(predicted[..<500].allSatisfy { abs($0) < 1e-3 })
  }

  @Test func `the known filter is half power at its corner`() {
    let filter = KnownFilter.butterworth(corner: 2_000)
    #expect(abs(filter.response(at: 2_000).power - 0.5) < 1e-12)
    #expect(filter.response(at: 0) == Complex(1))
    #expect(KnownFilter.none.response(at: 123) == Complex(1))
  }
}
