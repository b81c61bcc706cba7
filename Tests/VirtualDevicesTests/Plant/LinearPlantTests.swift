// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Testing
import Units

@testable import VirtualDevices

/// The moving coil against its own equations, solved in other ways.
struct LinearPlantTests {
  private func motor(_ name: String) throws -> PlantParameters.LinearMotor {
    guard case .linear(let motor) = try #require(PlantParameters.named(name)) else {
      throw UnfitPlant("\(name) is no linear motor")
    }
    return motor
  }

  @Test(arguments: ["coinZ-170", "slim-240", "vcm-65"])
  func `at small signal a motor answers with its closed form`(name: String) throws {
    let motor = try motor(name)
    let span = motor.resonance * max(0.3, 0.9 / motor.quality)
    let low = max(20, ((motor.resonance - span) / 20).rounded() * 20)
    let tones = Tones(
      frequencies: (0..<8).map { low + 20 * Double($0) }, amplitude: 1e-3)
    var bench = SimulatedFixture()
    bench.simulation.plant = .linear(motor)
    // Ten decay times, then 50 ms: whole periods of 20 Hz.
    let settle = Int(10 * motor.quality / (.pi * motor.resonance) * 48_000)
    let sound = try bench.play(frames: settle + 2_400 + 64) {
      tones.value(at: Double($0) / 48_000)
    }
    let felt = sound.channels[0][settle..<(settle + 2_400)]
    let reference = LinearReference(motor: motor)

    // Of the measured response: ms^2 + cs + k, by taking off coil, sensor and the mass ratio.
    var (squares, products, weights, damping) = (0.0, 0.0, 0.0, 0.0)
    var realSum = 0.0
    for (index, frequency) in tones.frequencies.enumerated() {
      let measured =
        component(felt, frequency: frequency, rate: 48_000, first: settle)
        / (tones.component(index) * bench.fullScaleVolts)
      let truth = reference.response(frequency, bandwidth: 10_000)
      let error = (measured - truth).magnitude / truth.magnitude
      #expect(error < 5e-4, "\(name) at \(frequency) Hz: \(measured) for \(truth)")
      let s = Complex(0, 2 * .pi * frequency)
      let displacement =
        measured / LinearReference.lowPass(frequency, 10_000)
        / (s * s * (motor.movingMass / motor.mountMass))
      let coil = Complex(motor.resistance) + s * motor.inductance
      let mechanical =
        (Complex(motor.forceFactor) / displacement
          - s * motor.forceFactor * motor.forceFactor) / coil
      let square = s.imaginary * s.imaginary
      weights += 1
      squares += square
      products += square * square
      realSum += mechanical.real
      damping += mechanical.imaginary / s.imaginary
    }
    // Re = k - m w^2 with the mass known; Im = c w.
    let stiffness = (realSum + motor.movingMass * squares) / weights
    let resonance = (stiffness / motor.movingMass).squareRoot() / (2 * .pi)
    let total =
      damping / weights + motor.forceFactor * motor.forceFactor / motor.resistance
    let quality = 2 * .pi * resonance * motor.movingMass / total
    #expect(abs(resonance / motor.resonance - 1) < 1e-3, "\(name): f0 \(resonance) Hz")
    #expect(abs(quality / motor.quality - 1) < 1e-2, "\(name): Q \(quality)")
  }

  @Test(arguments: ["coinZ-170", "linX-150hiQ"])
  func `a loud burst moves the mass as a finer integration does`(name: String) throws {
    let motor = try motor(name)
    let length = 0.08
    func burst(_ time: Double) -> Double {
      guard time > 0, time < length else { return 0 }
      let window = 0.5 - 0.5 * cos(2 * .pi * time / length)
      return 0.9 * window * sin(2 * .pi * motor.resonance * time)
    }
    var bench = SimulatedFixture()
    bench.simulation.plant = .linear(motor)
    let frames = 4_000
    let felt = try bench.play(frames: frames) { burst(Double($0) / 48_000) }.channels[0]
    let truth = LinearIntegration(motor: motor, bandwidth: 10_000)
      .run(frames: frames, rate: 48_000, finer: 20) { 4 * burst($0) }
    let peak = truth.map { abs($0) }.max() ?? 0
    let error = zip(felt, truth).map { abs(Double($0) - $1) }.max() ?? .infinity
    #expect(error < 2e-4 * peak, "\(name): \(error) of \(peak) m/s2")

    // Loud enough to tell: a spring that does not harden gives something else.
    var soft = motor
    soft.hardening = 0
    let other = LinearIntegration(motor: soft, bandwidth: 10_000)
      .run(frames: frames, rate: 48_000, finer: 8) { 4 * burst($0) }
    let difference = zip(felt, other).map { abs(Double($0) - $1) }.max() ?? 0
    #expect(difference > 0.02 * peak, "\(name): hardening changes only \(difference) m/s2")
  }

  @Test func `a hardening spring swings faster the further it swings`() {
    // c = m w0 / Q - Bl^2 / R just above zero: the swing decays slowly, and no force factor is lost.
    let motor = PlantParameters.LinearMotor(
      resonance: 170, quality: 100, resistance: 10, movingMass: 1.2e-3, travel: 0.75e-3,
      forceFactor: 0.3, hardening: 0.2, forceFactorLoss: 0)
    let rate = 96_000.0
    for share in [0.05, 0.5, 0.9] {
      var plant = LinearPlant(motor, bandwidth: 10_000, step: 1 / rate)
      // Driven at the frequency of that swing until it gets there, then left alone.
      let expected = 170 * (1 + 0.75 * motor.hardening * share * share).squareRoot()
      var step = 0
      while abs(plant.displacement) < share * motor.travel, step < 96_000 {
        plant.step(volts: 1.5 * cos(2 * .pi * expected * Double(step) / rate), held: false)
        step += 1
      }
      var crossings: [Double] = []
      var largest = 0.0
      while crossings.count < 5 {
        let before = plant.displacement
        plant.step(volts: 0, held: false)
        largest = max(largest, abs(plant.displacement))
        if before < 0, plant.displacement >= 0 {
          crossings.append(Double(step) - plant.displacement / (plant.displacement - before))
        }
        step += 1
      }
      let frequency = 4 * rate / (crossings[4] - crossings[0])
      // The swing of these four periods lies between its first and its last.
      let decay = exp(-4 * .pi / motor.quality)
      func duffing(_ swing: Double) -> Double {
        let part = swing / motor.travel
        return 170 * (1 + 0.75 * motor.hardening * part * part).squareRoot()
      }
      #expect(
        frequency > 0.9985 * duffing(largest * decay) && frequency < 1.0015 * duffing(largest),
        "\(frequency) Hz at \(share) of the travel, \(duffing(largest)) Hz expected")
    }
  }

  @Test(arguments: [2.0, 5, 20])
  func `an end stop bounds the travel whatever the voltage`(overdrive: Double) throws {
    let motor = try motor("coinZ-170")
    var plant = LinearPlant(motor, bandwidth: 10_000, step: 1 / 96_000)
    var furthest = 0.0
    for step in 0..<10_000 {
      let time = Double(step) / 96_000
      plant.step(
        volts: 3.6 * overdrive * sin(2 * .pi * motor.resonance * time), held: false)
      furthest = max(furthest, abs(plant.displacement))
    }
    #expect(furthest > 1.2 * motor.travel, "\(overdrive)x does not reach the stop")
    #expect(furthest < 1.5 * motor.travel, "\(furthest / motor.travel) of the travel")
  }

  @Test func `a held mass neither moves nor is heard and still draws current`() throws {
    var plant = LinearPlant(try motor("coinZ-170"), bandwidth: 10_000, step: 1 / 96_000)
    for _ in 0..<1_000 {
      let seen = plant.step(volts: 1, held: true)
      #expect(seen.along == 0)
    }
    #expect(plant.displacement == 0)
    #expect(abs(plant.current * 13.8 - 1) < 1e-6)
  }
}

extension LinearPlant {
  /// Goes one step on, and gives what is seen then.
  @discardableResult
  mutating func step(volts: Double, held: Bool) -> PlantSample {
    var seen = [PlantSample.zero]
    run([Float(volts)], count: 1, held: held ? [0..<1] : [], into: &seen)
    return seen[0]
  }
}

/// A test that cannot go on.
struct UnfitPlant: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
