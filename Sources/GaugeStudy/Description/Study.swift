// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Units

/// A gauge study as its file describes it: which actuators are mounted how often on which rigs, and
/// what is read.
///
/// A repeat is one run of the plan; the actuator stays as it is mounted between the repeats of a
/// mount.
package struct Study: Sendable, Equatable {
  /// What is studied.
  package struct Reading: Sendable, Equatable {
    package var name: ReadingName
    /// The pattern; `nil` for each that the reading is taken of.
    package var pattern: String?
    /// The width of the tolerance, in the reading's unit.
    package var tolerance: Double?

    package init(_ name: ReadingName, pattern: String? = nil, tolerance: Double? = nil) {
      self.name = name
      self.pattern = pattern
      self.tolerance = tolerance
    }
  }

  package var name: String
  /// The plan's file, relative to the study's own folder.
  package var plan: String
  /// The ids of the actuators.
  package var actuators: [String]
  /// The names of the rigs.
  package var rigs: [String]
  package var days: Int
  /// How often each actuator is mounted a day on each rig.
  package var mounts: Int
  /// How often the plan is run a mount.
  package var repeats: Int
  /// The seed of the order in which actuators are mounted.
  package var seed: UInt64
  package var readings: [Reading]

  package init(
    name: String, plan: String, actuators: [String], rigs: [String], days: Int, mounts: Int,
    repeats: Int, seed: UInt64, readings: [Reading]
  ) {
    self.name = name
    self.plan = plan
    self.actuators = actuators
    self.rigs = rigs
    self.days = days
    self.mounts = mounts
    self.repeats = repeats
    self.seed = seed
    self.readings = readings
  }

  /// How many mounts a study has at most.
  package static let mostMounts = 500

  package var mountCount: Int { actuators.count * rigs.count * days * mounts }

  /// The plan's name in the study's records: no history of nights takes them for its own.
  package var planName: String { Self.planName(of: name) }

  package static func planName(of study: String) -> String { "gauge-" + study }

  /// The order in which actuators are mounted on a rig on one of its days, from 1, drawn from the
  /// seed.
  ///
  /// Each stands in it as often as it is mounted.
  package func order(rig: String, day: Int) -> [String] {
    var random = SplitMix(state: seed)
    for other in rigs {
      for number in 1...days {
        var order = actuators.flatMap { [String](repeating: $0, count: mounts) }
        random.shuffle(&order)
        if other == rig, number == day { return order }
      }
    }
    return []
  }
}
