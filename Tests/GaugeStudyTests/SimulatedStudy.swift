// SPDX-License-Identifier: Apache-2.0

import GaugeStudy
import SeededRandom

/// A study whose truth is known: References/components.py makes the same values of the same seed.
struct SimulatedStudy {
  /// Actuators, rigs, days a rig, mounts a day, repeats a mount.
  var sizes = (actuators: 3, rigs: 2, days: 2, mounts: 2, repeats: 2)
  /// Standard deviations of actuator, rig, actuator x rig, day, actuator x day, remount and repeat.
  var deviations: [Double] = [5, 2, 1, 1.5, 0.7, 2, 1]

  func observations(seed: UInt64) -> [Observation] {
    var random = SeededRandom(seed: seed)
    // What one rig or one day does to an actuator would be the actuator's, and a rig's only day the
    // rig's.
    func draw(_ count: Int, _ source: Int, _ isVaried: Bool = true) -> [Double] {
      (0..<count).map { _ in (isVaried ? deviations[source] : 0) * random.gaussian() }
    }
    let (a, r, d) = (sizes.actuators, sizes.rigs, sizes.days)
    let actuators = draw(a, 0)
    let rigs = draw(r, 1)
    let actuatorsByRig = draw(a * r, 2, r > 1)
    let days = draw(r * d, 3, d > 1)
    let actuatorsByDay = draw(a * r * d, 4, d > 1)
    var observations: [Observation] = []
    for i in 0..<a {
      for j in 0..<r {
        for k in 0..<d {
          for mount in 0..<sizes.mounts {
            let own = deviations[5] * random.gaussian()
            for _ in 0..<sizes.repeats {
              let value =
                100 + actuators[i] + rigs[j] + actuatorsByRig[i * r + j] + days[j * d + k]
                + actuatorsByDay[(i * r + j) * d + k] + own
              observations.append(
                Observation(
                  actuator: "\(i)", rig: "\(j)", day: "\(k)", mount: "\(mount)",
                  value: value + deviations[6] * random.gaussian()))
            }
          }
        }
      }
    }
    return observations
  }

  /// The true standard deviation of the gauge, by the sources that the study varies.
  var gauge: Double {
    let varied = [sizes.rigs > 1, sizes.rigs > 1, sizes.days > 1, sizes.days > 1, true, true]
    return zip(deviations.dropFirst(), varied).reduce(0) { $0 + ($1.1 ? $1.0 * $1.0 : 0) }
      .squareRoot()
  }
}
