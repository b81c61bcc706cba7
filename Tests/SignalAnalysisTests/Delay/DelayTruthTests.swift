// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

/// The estimator against waveforms whose place is known.
struct DelayTruthTests {
  /// Errors in frames and bounds over many places, at one ratio of signal to noise.
  private func errors(
    _ sweep: Sweep, decibels: Double?, trials: Int, seed: UInt64
  ) throws -> (errors: [Double], estimates: [DelayEstimate]) {
    let template = sweep.samples(at: .standard)
    let estimator = DelayEstimator(template: template)
    var noise = Noise(seed: seed)
    var errors: [Double] = []
    var estimates: [DelayEstimate] = []
    for _ in 0..<trials {
      let truth = noise.uniform(300...1_500)
      let clean = placed(template, at: truth, of: template.count + 2_000)
      let sigma = decibels.map { rms(template) * pow(10, -$0 / 20) } ?? 0
      let estimate = try estimator.estimate(in: noise.added(to: clean, sigma: sigma))
      errors.append(estimate.delay - truth)
      estimates.append(estimate)
    }
    return (errors, estimates)
  }

  @Test(arguments: [Sweep.marker, .probe])
  func `without noise the delay is exact to a thousandth of a frame`(sweep: Sweep) throws {
    let (errors, _) = try errors(sweep, decibels: nil, trials: 40, seed: 11)
    let worst = errors.map(abs).max() ?? .infinity
    #expect(worst < 1e-3, "seed 11: worst error \(worst) frames")
  }

  @Test(arguments: [Sweep.marker, .probe], [40.0, 20, 0])
  func `in white noise the spread meets the Cramer-Rao bound`(
    sweep: Sweep, decibels: Double
  ) throws {
    let trials = 50
    let (errors, estimates) = try errors(sweep, decibels: decibels, trials: trials, seed: 12)
    let template = sweep.samples(at: .standard)
    // The bound from the definition: sigma^2 / sum of s'^2, the slope by central differences.
    let sigma = rms(template) * pow(10, -decibels / 20)
    var slopes = 0.0
    var transform = FourierTransform(length: FourierTransform.fastLength(atLeast: template.count))
    for (index, bin) in transform.forward(template.span).enumerated() {
      let frequency = 2 * Double.pi * Double(index) / Double(transform.length)
      slopes += 2 / Double(transform.length) * frequency * frequency * bin.power
    }
    let bound = sigma / slopes.squareRoot()
    let spread = rms(errors)
    let bias = errors.reduce(0, +) / Double(trials)
    let context = "seed 12, \(decibels) dB: spread \(spread), bound \(bound), bias \(bias) frames"
    // The standard deviation of a spread from 50 trials is 10 %.
    #expect(spread < 1.35 * bound && spread > 0.65 * bound, "\(context)")
    #expect(abs(bias) < 4 * bound / Double(trials).squareRoot() + 1e-4, "\(context)")
    for estimate in estimates {
      #expect(abs(estimate.cramerRaoBound / bound - 1) < 0.1, "\(context)")
      #expect(estimate.uncertainty >= estimate.cramerRaoBound)
      #expect(abs(estimate.signalToNoise - decibels) < 1, "\(context)")
    }
    let covered = zip(errors, estimates).count { abs($0) < 2 * $1.uncertainty }
    #expect(covered >= 43, "\(context): \(covered) of \(trials) within two uncertainties")
  }

  @Test func `at 40 dB the bias is below 0_02 microseconds`() throws {
    let (errors, _) = try errors(.marker, decibels: 40, trials: 200, seed: 13)
    let bias = SampleRate.standard.seconds(errors.reduce(0, +) / 200)
    #expect(abs(bias) < 0.02e-6, "seed 13: bias \(1e6 * bias) us")
  }

  @Test func `a waveform sampled late by part of a frame is found there`() throws {
    // Not moved by a transform: the continuous sweep is sampled at other times.
    let sweep = Sweep.marker
    let estimator = DelayEstimator(template: sweep.samples(at: .standard))
    for share in [0.1, 0.25, 0.5, 0.77] {
      let recording = (0..<4_000).map { frame in
        Float(sweep.value(at: (Double(frame) - 700 - share) / 48_000))
      }
      let estimate = try estimator.estimate(in: recording)
      #expect(abs(estimate.delay - 700 - share) < 0.01, "share \(share): \(estimate.delay)")
    }
  }

  @Test func `noise in the band of the waveform raises the uncertainty above the bound`() throws {
    let template = Sweep.probe.samples(at: .standard)
    let estimator = DelayEstimator(template: template)
    var noise = Noise(seed: 14)
    var (errors, uncertainties) = ([Double](), [Double]())
    for _ in 0..<60 {
      let truth = noise.uniform(300...900)
      let clean = placed(template, at: truth, of: template.count + 1_500)
      // A one-pole low-pass at 200 Hz makes the noise red.
      var state = 0.0
      let red = clean.map { value in
        state += 0.026 * (0.5 * noise.gaussian() - state)
        return Float(value + state)
      }
      let estimate = try estimator.estimate(in: red)
      #expect(estimate.uncertainty > 1.5 * estimate.cramerRaoBound)
      errors.append(estimate.delay - truth)
      uncertainties.append(estimate.uncertainty)
    }
    let ratio = rms(errors) / rms(uncertainties)
    #expect(ratio < 1.4 && ratio > 0.6, "seed 14: spread over stated uncertainty \(ratio)")
  }
}
