// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import SignalAnalysis

/// The joint fit beside scipy.optimize.least_squares, which starts from the same place and knows no bands, no
/// search, and no priors on gains and delays.
struct JointFitReferenceTests {
  @Test func `the worked example comes out as printed, and as SciPy has it`() {
    typealias Example = JointFitReference.Example
    let fixed = JointFit.Resonance(period: 8, prior: (1e-6, 1e-6)) { _, _, _ in Complex(1) }
    var fit = JointFit(
      [0, 8].enumerated().map {
        JointFit.Piece(event: $0, first: $1, samples: Example.template)
      },
      eventCount: 2, resonance: fixed, reach: 10, noise: 0.1, leastMisfit: 0.01)
    let found = fit.fit(Example.samples).parts.flatMap { [$0.gain, $0.delay] }
    // docs/MEASUREMENT.md, "The joint fit by hand".
    for (found, printed) in zip(found, [0.803, 0.392, 1.256, -0.297]) {
      #expect(abs(found.value - printed) < 0.0006, "\(found)")
    }
    for (found, printed) in zip(found, [0.0073, 0.0083, 0.0088, 0.0064]) {
      #expect(abs(found.uncertainty - printed) < 0.0002, "\(found)")
    }
    for (place, found) in found.enumerated() {
      let (value, spread) = (Example.values[place], Example.uncertainties[place])
      // The slope is a difference of neighbours here, and exact there: at eight frames a period that shows.
      #expect(abs(found.value - value) < 0.03 * spread, "\(place): \(found), SciPy \(value)")
      #expect(abs(found.uncertainty / spread - 1) < 0.02, "\(place): \(found), SciPy \(spread)")
    }
  }

  private static let rate = 6_000.0
  private static let frequency = 170.0
  private static let q = 9.0

  /// A resonator's response at cycles a frame, ln f0 and ln Q moved.
  private static func response(_ frequency: Double, _ lnF0: Double, _ lnQ: Double) -> Complex {
    let r = frequency * rate / (Self.frequency * exp(lnF0))
    return Complex(-r * r) / Complex(1 - r * r, r / (q * exp(lnQ)))
  }

  /// A Hann-weighted burst of 10 ms through the resonator, until 1e-6 of it is left: SciPy's waveforms have no ends.
  private static func tap(_ frequency: Double) -> [Double] {
    let radius = exp(-.pi * Self.frequency / (q * rate))
    let angle = 2 * .pi * Self.frequency / rate * (1 - 0.25 / (q * q)).squareRoot()
    var drive = [Double](repeating: 0, count: 1_400)
    for frame in 0..<60 {
      let weight = sin(.pi * Double(frame) / 60)
      drive[frame] = sin(2 * .pi * frequency * Double(frame) / rate) * weight * weight
    }
    var motion = drive
    for frame in drive.indices {
      func at(_ values: [Double], _ back: Int) -> Double { frame < back ? 0 : values[frame - back] }
      motion[frame] =
        drive[frame] - 2 * at(drive, 1) + at(drive, 2) + 2 * radius * cos(angle) * at(motion, 1)
        - radius * radius * at(motion, 2)
    }
    return motion
  }

  /// Thirty taps of 80 to 230 Hz, 10 to 30 ms apart, each of another strength, six at another time, of a resonance
  /// that left the probe's; drawn as References/joint_fit.py draws them.
  private static func crowd(noise sigma: Double) -> (pieces: [JointFit.Piece], samples: [Double]) {
    var noise = Noise(seed: 19)
    var pieces: [JointFit.Piece] = []
    var changes: [(gain: Double, delay: Double)] = []
    var first = 100
    for index in 0..<30 {
      let samples = tap(noise.uniform(80...230))
      pieces.append(JointFit.Piece(event: index, first: first, samples: samples))
      let gain = pow(10, noise.uniform(-4...4) / 20)
      changes.append((gain, index % 5 == 2 ? noise.uniform(-6...6) : 0))
      first += Int(noise.uniform(0.010...0.030) * rate)
    }
    let count = first + 1_500
    var transform = FourierTransform(length: FourierTransform.fastLength(atLeast: count + 2_048))
    let width = 1 / Double(transform.length)
    var sum = [Complex](repeating: Complex(0), count: transform.binCount)
    for (piece, change) in zip(pieces, changes) {
      let bins = transform.forward(piece.samples.span)
      for bin in bins.indices {
        let turn = -2 * .pi * Double(bin) * width * (Double(piece.first) + change.delay)
        sum[bin] = sum[bin] + change.gain * bins[bin] * Complex(angle: turn)
      }
    }
    for bin in sum.indices.dropFirst() {
      let frequency = Double(bin) * width
      sum[bin] = sum[bin] * (response(frequency, 0.004, -0.03) / response(frequency, 0, 0))
    }
    let clean = transform.inverse(sum).prefix(count)
    return (pieces, clean.map { $0 + sigma * noise.gaussian() })
  }

  @Test func `thirty taps that ring into each other are those of SciPy`() {
    typealias Crowd = JointFitReference.Crowd
    let (pieces, samples) = Self.crowd(noise: 0.02)
    // The same case, before anything is compared.
    #expect(pieces.map(\.first) == Crowd.firsts)
    #expect(abs(InnerProduct.energy(samples) - Crowd.energy) < 1e-5)
    // Noise stated larger than it is stands for the whole error a frame.
    var fit = JointFit(
      pieces, eventCount: 30,
      resonance: JointFit.Resonance(
        period: Self.rate / Self.frequency, prior: (0.01, 0.05), response: Self.response),
      reach: 60, noise: 0.03)
    let found = fit.fit(samples)
    #expect(abs(found.resonanceShift.lnF0 - Crowd.resonance.lnF0) < 1e-5, "\(found.resonanceShift)")
    #expect(abs(found.resonanceShift.lnQ - Crowd.resonance.lnQ) < 1e-4, "\(found.resonanceShift)")
    for (event, part) in found.parts.enumerated() {
      for (found, value, spread) in [
        (part.gain, Crowd.gains[event], Crowd.gainUncertainties[event]),
        (part.delay, Crowd.delays[event], Crowd.delayUncertainties[event]),
      ] {
        #expect(abs(found.value - value) < 0.01 * spread, "\(event): \(found), SciPy \(value)")
        #expect(abs(found.uncertainty / spread - 1) < 0.03, "\(event): \(found), SciPy \(spread)")
      }
    }
  }
}
