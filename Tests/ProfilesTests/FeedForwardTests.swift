// SPDX-License-Identifier: Apache-2.0

import Glibc
import Profiles
import SeededRandom
import Testing

struct FeedForwardTests {
  @Test(arguments: [(150, 10), (65, 2.5), (240, 15), (20, 0.5), (2000, 50)])
  func `at resonance the inverse asks for what the gain says`(f0: Double, q: Double) throws {
    let mode = SampleProfiles.mode(f0, q, gain: 4)
    let inverse = try #require(FeedForward(inverting: SampleProfiles.model([mode])))
    let volts = inverse.response(at: f0).magnitude / inverse.leakFactor(at: f0)
    #expect(abs(volts * 4 - 1) < 1e-9, "\(volts) V")
  }

  @Test func `inverse and actuator undo each other but for the leak`() throws {
    var random = SeededRandom(seed: 0xf0)
    for _ in 0..<200 {
      let modes = [
        SampleProfiles.mode(
          random.uniform(20...2000), random.uniform(0.5...50), gain: random.uniform(-9...9))
      ]
      let inverse = try #require(FeedForward(inverting: SampleProfiles.model(modes)))
      for frequency in [60, 100, 150, 237, 500.0] {
        let product =
          inverse.response(at: frequency).magnitude
          * SampleProfiles.magnitude(modes, at: frequency)
        #expect(
          abs(product - inverse.leakFactor(at: frequency)) < 1e-9, "\(frequency) Hz, \(random)")
      }
    }
  }

  @Test func `two modes that push the same way are undone exactly`() throws {
    let modes = [
      SampleProfiles.mode(160, 8, gain: 3.3), SampleProfiles.mode(320, 8, gain: 2.8),
    ]
    let inverse = try #require(FeedForward(inverting: SampleProfiles.model(modes)))
    for frequency in stride(from: 60.0, through: 500, by: 10) {
      let product =
        inverse.response(at: frequency).magnitude * SampleProfiles.magnitude(modes, at: frequency)
      #expect(abs(product - inverse.leakFactor(at: frequency)) < 1e-9, "\(frequency) Hz")
    }
  }

  @Test func `two modes that damp each other are undone exactly`() throws {
    var model = SampleProfiles.model([
      SampleProfiles.mode(160, 8, gain: 3.3), SampleProfiles.mode(175, 7, gain: 2.8),
    ])
    model.coupling = SampleProfiles.quantity(0.08, .metrePerSecondSquaredPerVolt)
    let inverse = try #require(FeedForward(inverting: model))
    // |a + b s| Q at the pole is the gain.
    for (index, mode) in model.modes.enumerated() {
      let (a, b) = model.numerator(of: index)
      let (w, q) = (2 * Double.pi * mode.f0.value, mode.q.value)
      let (real, imaginary) = (a - b * w / (2 * q), b * w * (1 - 1 / (4 * q * q)).squareRoot())
      #expect(abs(q * hypot(real, imaginary) - mode.gain.value) < 1e-9)
      #expect((index == 0 ? b : -b) > 0)
    }
    for frequency in stride(from: 60.0, through: 500, by: 10) {
      var (x, y) = (0.0, 0.0)
      for (index, mode) in model.modes.enumerated() {
        let (a, b) = model.numerator(of: index)
        let r = frequency / mode.f0.value
        let (c, d) = (1 - r * r, r / mode.q.value)
        let (p, s) = (-r * r * a, -r * r * b * 2 * .pi * frequency)
        x += (p * c + s * d) / (c * c + d * d)
        y += (s * c - p * d) / (c * c + d * d)
      }
      let product = inverse.response(at: frequency).magnitude * hypot(x, y)
      #expect(abs(product - inverse.leakFactor(at: frequency)) < 1e-9, "\(frequency) Hz")
    }
  }

  @Test func `two modes that push against each other are undone in magnitude`() throws {
    // Between two such modes there is no notch; below or above them there is one, or none that is
    // stable to undo.
    let modes = [
      SampleProfiles.mode(160, 8, gain: 3.3), SampleProfiles.mode(320, 8, gain: -2.1),
    ]
    let inverse = try #require(FeedForward(inverting: SampleProfiles.model(modes)))
    for frequency in stride(from: 80.0, through: 300, by: 10) {
      let product =
        inverse.response(at: frequency).magnitude * SampleProfiles.magnitude(modes, at: frequency)
      #expect(abs(product / inverse.leakFactor(at: frequency) - 1) < 0.05, "\(frequency) Hz")
    }
  }

  @Test func `turned polarity turns the drive`() throws {
    let straight = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, 10, gain: 4)])))
    let turned = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, 10, gain: -4)])))
    #expect(turned.gain == -straight.gain)
    let difference = turned.response(at: 120).phase - straight.response(at: 120).phase
    #expect(abs(abs(remainder(difference, 2 * .pi)) - .pi) < 1e-9)
  }

  @Test func `a piezo without a resonance takes a quarter of the drive an octave higher`() throws {
    var model = ActuatorModel(kind: .piezo, delay: SampleProfiles.quantity(0, .second))
    model.piezoGain = SampleProfiles.quantity(-0.5, .metrePerSecondSquaredPerVolt)
    let inverse = try #require(FeedForward(inverting: model))
    let low = inverse.response(at: 200).magnitude / inverse.leakFactor(at: 200)
    let high = inverse.response(at: 400).magnitude / inverse.leakFactor(at: 400)
    #expect(abs(low - 2) < 1e-9, "\(low) V per m/s2")
    #expect(abs(high / low - 0.25) < 0.01, "\(high / low)")
    #expect(inverse.gain < 0)
  }

  @Test func `a mass that rotates has a lead and no inverse`() throws {
    let model = ActuatorModel(kind: .erm, delay: SampleProfiles.quantity(0, .second))
    #expect(FeedForward(inverting: model) == nil)
    let lead = FeedForward(spinUpTime: 0.06)
    #expect(abs(lead.response(at: 1e-6).magnitude - 1) < 1e-9)
    #expect(abs(lead.response(at: 1e6).magnitude - 8) < 1e-3)
    #expect(lead.leakFactor(at: 10) == 1)
  }
}
