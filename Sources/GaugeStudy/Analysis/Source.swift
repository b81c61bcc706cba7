// SPDX-License-Identifier: Apache-2.0

/// Where a reading's scatter comes from.
package enum Source: String, Sendable, CaseIterable {
  case actuator
  case rig
  case actuatorByRig = "actuator x rig"
  case day
  case actuatorByDay = "actuator x day"
  case mount = "remount"
  case `repeat`

  /// The order of the sums of squares: what others lie within comes first.
  static let terms: [Source] = [.actuator, .rig, .actuatorByRig, .day, .actuatorByDay, .mount]

  /// Which of several that the design cannot tell apart gets their common scatter, the first of
  /// these.
  static let precedence: [Source] = [
    .actuator, .repeat, .mount, .rig, .day, .actuatorByRig, .actuatorByDay,
  ]
}

/// One value of a reading, and the circumstances it was taken in.
package struct Observation: Sendable, Equatable {
  package var actuator: String
  package var rig: String
  /// The day, of this rig.
  package var day: String
  /// The mount, of this actuator on this rig on this day.
  package var mount: String
  package var value: Double

  package init(actuator: String, rig: String, day: String, mount: String, value: Double) {
    self.actuator = actuator
    self.rig = rig
    self.day = day
    self.mount = mount
    self.value = value
  }

  /// What sorts it by a source; equal where the source is in the same state.
  func label(of source: Source) -> [String] {
    switch source {
    case .actuator: [actuator]
    case .rig: [rig]
    case .actuatorByRig: [actuator, rig]
    case .day: [rig, day]
    case .actuatorByDay: [actuator, rig, day]
    case .mount, .repeat: [actuator, rig, day, mount]
    }
  }
}
