// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Testing

@testable import VirtualDevices

/// The eccentric mass on a motor against its law.
struct RotatingPlantTests {
  private let motor = PlantParameters.RotatingMotor(
    ratedSpeed: 200, ratedVolts: 3, resistance: 35, spinUpTime: 0.06, staticMoment: 1e-6)

  @Test func `the speed nears the rated one with the time constant of spinning up`() {
    var plant = RotatingPlant(motor, bandwidth: 10_000, step: 1 / 96_000)
    let rated = 2 * Double.pi * 200
    for (constants, part) in [(1.0, 1 - exp(-1.0)), (1, 1 - exp(-2.0)), (8, 1 - exp(-10.0))] {
      for _ in 0..<Int(constants * 0.06 * 96_000) { plant.step(volts: 3, held: false) }
      #expect(abs(plant.speed / rated - part) < 1e-3, "\(plant.speed / rated), \(part) expected")
    }
  }

  @Test func `at the rated voltage the force turns at the rated speed with m r w squared`() throws {
    var bench = SimulatedFixture()
    bench.simulation.plant = .rotating(motor)
    bench.simulation.sensor.bandwidth = 20_000
    bench.fullScaleVolts = 3
    // Eleven time constants: the speed is good to 2e-5; then 50 ms hold ten turns.
    let settle = Int(0.66 * 48_000)
    let felt = try bench.play(frames: settle + 2_400 + 64) { _ in 1 }.channels[0]
    let turning = felt[settle..<(settle + 2_400)]
    let force = 1e-6 * pow(2 * .pi * 200, 2) / 0.1
    let measured = component(turning, frequency: 200, rate: 48_000, first: settle).magnitude
    #expect(abs(measured / force - 1) < 2e-3, "\(measured) m/s2 for \(force)")
    let rest = deviation(turning) * 2.0.squareRoot()
    #expect(abs(rest / force - 1) < 2e-3, "something else moves: \(rest) for \(force)")
  }

  @Test func `it takes the start voltage to turn and half of it to go on`() {
    var plant = RotatingPlant(motor, bandwidth: 10_000, step: 1 / 96_000)
    func drive(_ volts: Double, seconds: Double) {
      for _ in 0..<Int(seconds * 96_000) { plant.step(volts: volts, held: false) }
    }
    drive(0.29, seconds: 0.1)
    #expect(plant.speed == 0)
    drive(0.5, seconds: 0.5)
    #expect(plant.speed > 0)
    drive(0.2, seconds: 0.5)
    #expect(abs(plant.speed / (2 * .pi * 200 * 0.2 / 3) - 1) < 0.01)
    drive(0.1, seconds: 0.5)
    #expect(plant.speed == 0)
  }

  @Test func `a reversed voltage brakes sooner than none`() {
    func steps(braking volts: Double) -> Int {
      var plant = RotatingPlant(motor, bandwidth: 10_000, step: 1 / 96_000)
      for _ in 0..<48_000 { plant.step(volts: 3, held: false) }
      var count = 0
      while plant.speed > 100, count < 100_000 {
        plant.step(volts: volts, held: false)
        count += 1
      }
      return count
    }
    let (braked, coasted) = (steps(braking: -3), steps(braking: 0))
    #expect(braked * 2 < coasted, "\(braked) steps braked, \(coasted) coasted")
  }
}
