// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc

/// The linear motor's closed form at small signal, written from its equations alone.
struct LinearReference {
  let motor: PlantParameters.LinearMotor

  var angular: Double { 2 * .pi * motor.resonance }
  /// c = m w0 / Q - Bl^2 / R.
  var damping: Double {
    motor.movingMass * angular / motor.quality
      - motor.forceFactor * motor.forceFactor / motor.resistance
  }

  /// Acceleration of the mount for a volt, through the sensor's low-pass of a corner in hertz.
  func response(_ frequency: Double, bandwidth: Double) -> Complex {
    let s = Complex(0, 2 * .pi * frequency)
    let bl = motor.forceFactor
    let electrical = Complex(motor.resistance) + s * motor.inductance
    let mechanical =
      s * s * motor.movingMass + s * damping
      + Complex(motor.movingMass * angular * angular)
    let displacement = Complex(bl) / (mechanical * electrical + s * bl * bl)
    return s * s * displacement * (motor.movingMass / motor.mountMass)
      * Self.lowPass(frequency, bandwidth)
  }

  /// A second-order Butterworth low-pass.
  static func lowPass(_ frequency: Double, _ bandwidth: Double) -> Complex {
    let s = Complex(0, frequency / bandwidth)
    return Complex(1) / (s * s + s * 2.0.squareRoot() + Complex(1))
  }
}

/// The whole nonlinear motor with its end stop and the sensor's low-pass, by Runge-Kutta of fourth order.
struct LinearIntegration {
  let motor: PlantParameters.LinearMotor
  let bandwidth: Double

  /// The sensor's output at every `every`-th step from time 0 on.
  func run(
    frames: Int, rate: Double, finer: Int, volts: (Double) -> Double
  ) -> [Double] {
    let step = 1 / (rate * Double(finer))
    var state = SIMD8<Double>.zero
    var output: [Double] = []
    for frame in 0..<frames {
      output.append(state[3])
      for part in 0..<finer {
        let time = (Double(frame) + Double(part) / Double(finer)) / rate
        let (v0, v1, v2) = (volts(time), volts(time + step / 2), volts(time + step))
        let k1 = slope(state, v0)
        let k2 = slope(state + 0.5 * step * k1, v1)
        let k3 = slope(state + 0.5 * step * k2, v1)
        let k4 = slope(state + step * k3, v2)
        state += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
      }
    }
    return output
  }

  /// Displacement, velocity, current, sensor, sensor's slope.
  private func slope(_ y: SIMD8<Double>, _ volts: Double) -> SIMD8<Double> {
    let reference = LinearReference(motor: motor)
    let travel = (y[0] / motor.travel) * (y[0] / motor.travel)
    let stiffness = motor.movingMass * reference.angular * reference.angular
    let force = motor.forceFactor * max(0.2, 1 - motor.forceFactorLoss * travel)
    let compression = max(0, abs(y[0]) - 1.2 * motor.travel)
    let side: Double = y[0] > 0 ? 1 : -1
    let stop =
      side * 400 * stiffness * compression
      * max(0, 1 + side * y[1] / (reference.angular * motor.travel))
    let acceleration =
      (force * y[2] - reference.damping * y[1]
        - stiffness * (1 + motor.hardening * travel) * y[0] - stop) / motor.movingMass
    let current = (volts - motor.resistance * y[2] - force * y[1]) / motor.inductance
    let felt = acceleration * motor.movingMass / motor.mountMass
    let corner = 2 * Double.pi * bandwidth
    let sensor = corner * corner * (felt - y[3]) - 2.0.squareRoot() * corner * y[4]
    return [y[1], acceleration, current, y[4], sensor, 0, 0, 0]
  }
}
