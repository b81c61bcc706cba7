// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Testing
import Units

/// The simulated rig against a slow integration of the same equations, Runge-Kutta in tiny steps.
struct FinerIntegrationTests {
  /// A burst of a tone in parts of full scale, smooth at both ends.
  private func burst(_ time: Double, frequency: Double, level: Double, length: Double) -> Double {
    guard time > 0, time < length else { return 0 }
    return level * (0.5 - 0.5 * cos(2 * .pi * time / length)) * sin(2 * .pi * frequency * time)
  }

  private func named(_ name: String) throws -> PlantParameters.LinearMotor {
    guard case .linear(let motor) = try #require(PlantParameters.named(name)) else {
      throw UnfitPlant("\(name) is no linear motor")
    }
    return motor
  }

  /// The largest difference between rig and integration, over the largest acceleration.
  private func error(
    _ motor: PlantParameters.LinearMotor, frames: Int, fullScale: Double,
    _ drive: (Double) -> Double
  ) throws -> Double {
    var bench = SimulatedFixture()
    bench.simulation.plant = .linear(motor)
    bench.fullScaleVolts = fullScale
    let felt = try bench.play(frames: frames) { drive(Double($0) / 48_000) }.channels[0]
    let truth = LinearIntegration(motor: motor, bandwidth: 10_000)
      .run(frames: frames, rate: 48_000, finer: 20) { fullScale * drive($0) }
    let peak = truth.map { abs($0) }.max() ?? 0
    return (zip(felt, truth).map { abs(Double($0) - $1) }.max() ?? .infinity) / peak
  }

  // 2e-4 of the largest acceleration: -74 dB.
  @Test(arguments: [("coinZ-170", 170.0), ("slim-240", 240), ("vcm-65", 65), ("vcm-65", 800)])
  func `a motor driven hard moves as its equations say`(name: String, frequency: Double) throws {
    let found = try error(try named(name), frames: 4_000, fullScale: 3) {
      burst($0, frequency: frequency, level: 0.9, length: 0.08)
    }
    #expect(found < 2e-4, "\(name) at \(frequency) Hz: \(found)")
  }

  @Test func `a spring and a coil ten times less linear do so too`() throws {
    var motor = try named("coinZ-170")
    (motor.hardening, motor.forceFactorLoss) = (0.5, 0.5)
    let found = try error(motor, frames: 4_000, fullScale: 3) {
      burst($0, frequency: 170, level: 0.8, length: 0.08)
    }
    #expect(found < 5e-4, "\(found)")
  }

  // A stop is a blow of half a millisecond: 1 % of its peak.
  @Test func `a mass that hits its end stop comes back as its equations say`() throws {
    let motor = try named("coinZ-170")
    let found = try error(motor, frames: 2_400, fullScale: 20) {
      burst($0, frequency: 170, level: 0.9, length: 0.05)
    }
    #expect(found < 1e-2, "\(found)")
  }

  // 1e-3 of the largest force, by the angle: the speed follows the mean of two voltages.
  @Test func `an eccentric mass turns as its equations say`() throws {
    let motor = PlantParameters.RotatingMotor(
      ratedSpeed: 200, ratedVolts: 3, resistance: 35, spinUpTime: 0.06, staticMoment: 1e-6)
    var bench = SimulatedFixture()
    bench.simulation.plant = .rotating(motor)
    bench.fullScaleVolts = 3
    let frames = 9_600
    func drive(_ time: Double) -> Double { 0.6 - 0.3 * cos(2 * .pi * 4 * time) }
    let felt = try bench.play(frames: frames) { drive(Double($0) / 48_000) }.channels[0]
    // Before the first frame nothing drives: the voltage rises within the one before.
    let truth = rotation(motor, frames: frames, finer: 16) { time in
      3 * (time < 0 ? max(0, 1 + 48_000 * time) * drive(0) : drive(time))
    }
    let peak = truth.map { abs($0) }.max() ?? 0
    let found = zip(felt, truth).map { abs(Double($0) - $1) }.max() ?? .infinity
    #expect(found < 1e-3 * peak, "\(found) of \(peak) m/s2")
  }

  /// What the sensor shows along the axis of a motor that turns from the start on.
  private func rotation(
    _ motor: PlantParameters.RotatingMotor, frames: Int, finer: Int, volts: (Double) -> Double
  ) -> [Double] {
    let step = 1 / (48_000 * Double(finer))
    let corner = 2 * Double.pi * 10_000
    // Speed, angle, sensor, its slope.
    func slope(_ y: SIMD4<Double>, _ time: Double) -> SIMD4<Double> {
      let target = 2 * .pi * motor.ratedSpeed * volts(time) / motor.ratedVolts
      let force = motor.staticMoment / motor.mountMass * y[0] * y[0] * cos(y[1])
      return [
        (target - y[0]) / motor.spinUpTime, y[0], y[3],
        corner * corner * (force - y[2]) - 2.0.squareRoot() * corner * y[3],
      ]
    }
    var state = SIMD4<Double>.zero
    var output: [Double] = []
    for frame in -1..<frames {
      output.append(state[2])
      for part in 0..<finer {
        let time = Double(frame) / 48_000 + Double(part) * step
        let k1 = slope(state, time)
        let k2 = slope(state + 0.5 * step * k1, time + step / 2)
        let k3 = slope(state + 0.5 * step * k2, time + step / 2)
        let k4 = slope(state + step * k3, time + step)
        state += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
      }
    }
    return Array(output.dropFirst())
  }
}
