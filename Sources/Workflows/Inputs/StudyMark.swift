// SPDX-License-Identifier: Apache-2.0

import Actuators
import Bench
import ChangeDetection
import Devices
import GaugeStudy

/// What a run is to a gauge study, as its environment says it.
struct StudyMark: Sendable, Equatable {
  let study: String
  let actuator: String
  /// The day on which the actuator was mounted: what follows past midnight is of the same day.
  let day: CalendarDay
  /// The mount of this actuator on its rig and day, from 1; one that was given up has a number too.
  let mount: Int
  let number: Int

  init(study: String, actuator: String, day: CalendarDay, mount: Int, number: Int) {
    self.study = study
    self.actuator = actuator
    self.day = day
    self.mount = mount
    self.number = number
  }

  /// The name that the plan has in the record.
  var plan: String { Study.planName(of: study) }

  /// No study mounts or repeats as often.
  private static let most = 1_000_000

  private enum Name {
    static let study = "gauge.study"
    static let day = "gauge.day"
    static let mount = "gauge.mount"
    static let number = "gauge.repeat"
    /// The id of the actuator that the rig file describes, where another piece was mounted in its
    /// place.
    static let described = "gauge.described"
  }

  /// What the record says of it, with the rig as its file describes it.
  func environment(on rig: RigDescription) -> [String: String] {
    var environment = [
      Name.study: study, Name.day: day.description, Name.mount: "\(mount)",
      Name.number: "\(number)",
    ]
    if !rig.actuators.contains(where: { $0.id == actuator }) {
      environment[Name.described] = rig.actuators[0].id
    }
    return environment
  }

  /// Reads what a record says; `nil` of a run that is part of no study.
  init?(environment: [String: String], actuator: String) {
    guard let study = environment[Name.study],
      let day = environment[Name.day].flatMap({ CalendarDay($0) }),
      let mount = environment[Name.mount].flatMap({ Int($0) }),
      let number = environment[Name.number].flatMap({ Int($0) }),
      (1...Self.most).contains(mount), (1...Self.most).contains(number)
    else { return nil }
    self.init(
      study: study, actuator: actuator, day: day, mount: mount, number: number)
  }

  /// The id by which the rig file describes a run's actuator.
  static func described(_ actuator: String, in environment: [String: String]) -> String {
    environment[Name.described] ?? actuator
  }
}

extension StudyMark {
  /// The rig with the study's actuator: the one of that id, or the only one under the id of the
  /// piece that is mounted.
  ///
  /// What a simulation draws by chance is drawn anew for each run, as nature does.
  func mounted(on rig: RigDescription, path: String) throws(InputError) -> RigDescription {
    var rig = rig
    if !rig.actuators.contains(where: { $0.id == actuator }) {
      guard rig.actuators.count == 1 else {
        throw InputError(
          "\(path): the rig has no actuator '\(actuator)', and several others: it has "
            + rig.actuators.map(\.id).joined(separator: ", "))
      }
      let channel = rig.channel(of: rig.actuators[0])
      rig.actuators[0].id = actuator
      rig.actuatorChannels = [actuator: channel]
    }
    if case .simulated(var simulation) = rig.drive.device {
      // FNV-1a, 64 bits: any two runs of a study have seeds far apart.
      for byte in "\(study)/\(actuator)/\(day)/\(mount)/\(number)".utf8 {
        simulation.seed = (simulation.seed ^ UInt64(byte)) &* 0x100_0000_01B3
      }
      rig.drive.device = .simulated(simulation)
    }
    return rig
  }
}
