// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

/// Two masses on one coil and one mount damp each other: the fit against the equations of motion.
struct CoupledModesTests {
  /// A coil of a resistance that moves two masses of a free mount, in SI units.
  private struct TwoMasses {
    let frequencies: (Double, Double)
    let masses = (2.0e-3, 0.8e-3)
    let factors = (0.416, 0.347)
    let resistance = 10.0
    let mount = 0.1
    let q = 8.0
    let delay = 0.4e-3

    /// d = m s^2 + c s + k of each mass; A = i p / n with p = sum B m s^2 / d and
    /// n = M + sum (c s + k) m / d, and V = i (R + sum B^2 s / d) + A p / s.
    func response(_ s: Complex) -> Complex {
      var (p, n, z) = (Complex(0), Complex(mount), Complex(resistance))
      for (frequency, mass, factor) in [
        (frequencies.0, masses.0, factors.0), (frequencies.1, masses.1, factors.1),
      ] {
        let reduced = mass * mount / (mass + mount)
        let w = 2 * Double.pi * frequency
        let damping = reduced * w / q - factor * factor / resistance
        let hold = damping * s + Complex(reduced * w * w)
        let d = mass * (s * s) + hold
        p = p + (factor * mass) * (s * s) / d
        n = n + mass * hold / d
        z = z + (factor * factor) * s / d
      }
      return p / n / (z + p / n * p / s)
    }

    /// The pole beside a frequency, and |residue| as a gain, by Newton's method on the inverse.
    func mode(near frequency: Double) -> (frequency: Double, q: Double, gain: Double) {
      let w = 2 * Double.pi * frequency
      var s = (1 + 1e-6) * Complex(-w / (2 * q), w * (1 - 1 / (4 * q * q)).squareRoot())
      let step = Complex(1e-6 * w)
      func slope() -> Complex {
        (Complex(1) / response(s + step) - Complex(1) / response(s - step)) / (2 * step)
      }
      for _ in 0..<60 { s = s - Complex(1) / response(s) / slope() }
      let quality = -s.magnitude / (2 * s.real)
      let share = (s - s.conjugate) / (s * s) / slope()
      return (s.magnitude / (2 * .pi), quality, quality * share.magnitude)
    }
  }

  @Test(arguments: [170.0, 180, 200, 240, 320])
  func `modes that damp each other are told apart`(second: Double) throws {
    let plant = TwoMasses(frequencies: (160, second))
    let spacing = 1.5
    let frequencies = (20..<400).map { spacing * Double($0) }
    var noise = Noise(seed: 35)
    let clean = frequencies.map {
      plant.response(Complex(0, 2 * .pi * $0)) * Complex(angle: -2 * .pi * $0 * plant.delay)
    }
    let sigma = 2e-4 * (clean.map(\.magnitude).max() ?? 1)
    let measured = TransferFunction(
      spacing: spacing, frequencies: frequencies,
      response: clean.map { $0 + Complex(sigma * noise.gaussian(), sigma * noise.gaussian()) },
      uncertainty: frequencies.map { _ in sigma }, delay: plant.delay)
    let model = try ModalFit(leastDistance: 0.2).fit(measured)
    try #require(model.modes.count == 2, "\(model)")
    for mode in model.modes {
      let truth = plant.mode(near: abs(mode.frequency.value - 160) < 4 ? 160 : second)
      #expect(
        abs(mode.frequency.value - truth.frequency) < 3.5 * mode.frequency.uncertainty, "\(mode)")
      #expect(abs(mode.q.value - truth.q) < 3.5 * mode.q.uncertainty, "\(mode), Q \(truth.q)")
      #expect(
        abs(mode.gain.value - truth.gain) < 3.5 * mode.gain.uncertainty, "\(mode), \(truth.gain)")
      #expect(abs(mode.frequency.value / truth.frequency - 1) < 1e-3, "\(mode)")
      #expect(abs(mode.gain.value / truth.gain - 1) < 0.02, "\(mode)")
    }
    let turned = model.ordered(by: model.modes.reversed().map(\.frequency.value))
    #expect(turned.modes == model.modes.reversed())
    for frequency in [120.0, 165, 400] {
      #expect((turned.response(at: frequency) - model.response(at: frequency)).magnitude < 1e-9)
    }
  }

  /// An actuator on a mount of which a part hangs on a spring of its own; nothing drives it but the mount.
  ///
  /// A (s^2 + (1 - r)(s w/q + w^2)) / (s^2 + s w/q + w^2), with A the actuator's and r the part's share of the
  /// mass.
  struct Fixture: CustomTestStringConvertible {
    let actuator: Resonance
    let part: Resonance
    let share: Double
    var testDescription: String { "\(part.frequency) Hz, Q \(part.q), \(share)" }

    func response(at frequency: Double) -> Complex {
      let s = Complex(0, 2 * .pi * frequency)
      let w = 2 * Double.pi * part.frequency
      let pull = (w / part.q) * s + Complex(w * w)
      return Complex(0, 10) * actuator.response(at: frequency)
        * ((s * s + (1 - share) * pull) / (s * s + pull))
    }
  }

  static let fixtures = [150.0, 175, 180, 250, 260].flatMap { frequency in
    [(40.0, 0.02), (40, 0.1), (20, 0.2), (100, 0.05), (100, 0.1)].map { q, share in
      Fixture(
        actuator: Resonance(frequency: 170, q: 9), part: Resonance(frequency: frequency, q: q),
        share: share)
    }
  }

  @Test(arguments: fixtures)
  func `a part of the fixture is told from the actuator`(_ plant: Fixture) throws {
    let spacing = 1.5
    let frequencies = (35..<340).map { spacing * Double($0) }
    var noise = Noise(seed: 41)
    let clean = frequencies.map {
      plant.response(at: $0) * Complex(angle: -2 * .pi * $0 * 0.4e-3)
    }
    let sigma = 1e-3 * (clean.map(\.magnitude).max() ?? 1)
    let measured = TransferFunction(
      spacing: spacing, frequencies: frequencies,
      response: clean.map { $0 + Complex(sigma * noise.gaussian(), sigma * noise.gaussian()) },
      uncertainty: frequencies.map { _ in sigma }, delay: 0.4e-3)
    let model = try ModalFit(maximumMisfit: 0.35, leastDistance: 0.2).fit(measured)
    try #require(model.modes.count == 2, "\(model)")
    let modes = model.modes.sorted { $0.q.value < $1.q.value }
    for (mode, truth) in zip(modes, [plant.actuator, plant.part]) {
      #expect(abs(mode.frequency.value / truth.frequency - 1) < 2e-3, "\(mode)")
      #expect(abs(mode.q.value / truth.q - 1) < 0.05, "\(mode)")
    }
  }
}
