// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A resonator with a delay, integrated in the time domain: the truth that fits are compared with.
///
/// m x'' + c x' + k(x) x = F, written for the acceleration of the frame it shakes as
/// a = (g/Q) x''/w0^2-scaled coordinates: z'' + z' w0/Q + w0^2 z (1 + hardening (z/scale)^2) = u, a = (g/Q) z''.
/// Fourth-order Runge-Kutta at 16 steps a frame on the continuous drive.
struct Plant {
  var delay: Double
  var frequency: Double
  var q: Double
  var gain: Double
  /// The share by which the stiffness has grown where the deflection is `scale`.
  var hardening = 0.0
  var scale = 1.0

  struct Motion {
    let acceleration: [Double]
    let largestDeflection: Double
  }

  func respond(
    to drive: (Double) -> Double, count: Int, rate: Double, oversampling: Int = 16
  ) -> Motion {
    let w0 = 2 * Double.pi * frequency
    let step = 1 / (rate * Double(oversampling))
    func force(_ z: Double, _ v: Double, _ u: Double) -> Double {
      let stiff = 1 + hardening * (z / scale) * (z / scale)
      return u - w0 / q * v - w0 * w0 * stiff * z
    }
    var (z, v, largest) = (0.0, 0.0, 0.0)
    var output: [Double] = []
    output.reserveCapacity(count)
    for frame in 0..<count {
      let start = Double(frame) / rate - delay
      output.append(gain / q * force(z, v, drive(start)))
      for sub in 0..<oversampling {
        let t = start + Double(sub) * step
        let (u0, u1, u2) = (drive(t), drive(t + step / 2), drive(t + step))
        let (z1, v1) = (v, force(z, v, u0))
        let (z2, v2) = (v + step / 2 * v1, force(z + step / 2 * z1, v + step / 2 * v1, u1))
        let (z3, v3) = (v + step / 2 * v2, force(z + step / 2 * z2, v + step / 2 * v2, u1))
        let (z4, v4) = (v + step * v3, force(z + step * z3, v + step * v3, u2))
        z += step / 6 * (z1 + 2 * z2 + 2 * z3 + z4)
        v += step / 6 * (v1 + 2 * v2 + 2 * v3 + v4)
        largest = max(largest, abs(z))
      }
    }
    return Motion(acceleration: output, largestDeflection: largest)
  }
}
