// SPDX-License-Identifier: Apache-2.0

import Acceptance
import GaugeStudy
import Reporting
import SeededRandom

/// A made-up study of one rig: five actuators, three mounts, three repeats; remounting scatters
/// most.
struct SampleStudy {
  var days = 1
  /// Runs that never were, by their number.
  var missing: Set<Int> = []
  var deviations = (actuator: 0.8, mount: 0.16, own: 0.05)
  var tolerance: Double? = 4
  var actuators = ["lra-1", "lra-2", "lra-3", "lra-4", "lra-5"]

  func make() -> GaugeReport {
    let study = Study(
      name: "lra-gauge", plan: "plan.yaml", actuators: actuators, rigs: ["bench-1"], days: days,
      mounts: 3, repeats: 3, seed: 42, readings: [])
    var random = SeededRandom(seed: 9)
    var values: [GaugeReport.Value] = []
    var run = 0
    var mounts: [String: [[Int]]] = [:]
    for actuator in actuators {
      let level = 12 + deviations.actuator * random.gaussian()
      for day in 1...days {
        var done: [Int] = []
        for mount in 1...3 {
          let own = level + deviations.mount * random.gaussian()
          var repeats = 0
          for number in 1...3 {
            run += 1
            let value = own + deviations.own * random.gaussian()
            guard !missing.contains(run) else { continue }
            repeats += 1
            values.append(
              GaugeReport.Value(
                run: "run-\(run)", number: number,
                observation: Observation(
                  actuator: actuator, rig: "bench-1", day: "2026-11-2\(day)", mount: "\(mount)",
                  value: value)))
          }
          done.append(repeats)
        }
        mounts[actuator, default: []].append(done)
      }
    }
    return GaugeReport(
      study: study,
      cells: actuators.map { actuator in
        GaugeReport.Cell(
          rig: "bench-1", actuator: actuator,
          days: (mounts[actuator] ?? []).enumerated().map {
            GaugeReport.Day(day: "2026-11-2\($0.offset + 1)", mounts: $0.element)
          }, openDays: 0)
      },
      readings: [
        GaugeReport.Reading(
          name: ReadingName(.responseRMS), pattern: "steps", tolerance: tolerance, values: values)
      ], runs: values.count)
  }
}
