// SPDX-License-Identifier: Apache-2.0

package import JSONText
import Reporting
package import RigFiles

extension FleetFile {
  /// The fleet as the engine reads it (`haprig.fleet/1`), with everything said, and times in seconds.
  package var json: JSONValue {
    let archive = JSONValue.object(of: [
      "server": self.archive.server, "folder": self.archive.folder, "store": self.archive.store,
    ])
    let master = JSONValue.object(of: [
      "listen": self.master.listen, "page": self.master.page, "passwords": self.master.passwords,
    ])
    let rigs = self.rigs.map { rig in
      JSONValue.object(of: [
        "name": rig.name, "machine": rig.machine, "file": rig.file, "model": rig.model,
      ])
    }
    let notices = self.notices.map { notice in
      JSONValue.object(of: [
        "when": notice.occasions.map(\.rawValue), "command": notice.command,
      ])
    }
    return .object(of: [
      "schema": "haprig.fleet/1", "name": name, "archive": archive, "master": master,
      "machines": machines.map(json(of:)), "rigs": rigs, "plans": plans.map(\.json),
      "tell": notices,
    ])
  }

  private func json(of machine: Machine) -> JSONValue {
    let own = rigs.filter { $0.machine == machine.name }.count
    return .object(of: [
      "name": machine.name, "haprig": machine.haprig, "folder": machine.folder,
      "jobs": machine.jobs ?? max(1, own),
    ])
  }

  /// What a person is told of a fleet that is right: its machines with their rigs, and its plans with their times.
  package var summary: String {
    let counts = [
      Self.count(machines.count, "machine"), Self.count(rigs.count, "rig"),
      Self.count(plans.count, "plan"),
    ]
    var text = "\(name): \(counts.joined(separator: ", "))\n"
    for machine in machines {
      let own = rigs.filter { $0.machine == machine.name }.map(\.name)
      text += "  \(machine.name): \(own.isEmpty ? "no rig" : own.joined(separator: ", "))\n"
    }
    for plan in plans {
      let days = plan.days.map(\.rawValue).joined(separator: ", ")
      let when =
        plan.times.isEmpty
        ? "when somebody asks"
        : "at \(plan.times.map(Self.clock).joined(separator: ", ")) UTC"
          + (plan.days.count == 7 ? "" : " on \(days)")
      let rigs = Self.count(plan.rigs.count, "rig")
      text += "  \(plan.name): \(plan.task.rawValue) on \(rigs), \(when)\n"
    }
    return text
  }

  private static func count(_ number: Int, _ word: String) -> String {
    "\(number) \(word)\(number == 1 ? "" : "s")"
  }

  /// A minute of the day as 02:00.
  fileprivate static func clock(_ minute: Int) -> String {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(padded(minute / 60)):\(padded(minute % 60))"
  }
}

extension FleetFile.Plan {
  /// What a job of the plan takes along, so that it stays what it was when the plan is changed.
  package var job: JSONValue {
    .object(of: [
      "do": task.rawValue, "file": file ?? "", "arguments": arguments, "limit": limit,
      "attempts": attempts, "reserved": reserved.rawValue,
    ])
  }

  /// The plan as `haprig.fleet/1` has it.
  package var json: JSONValue {
    .object(of: [
      "name": name, "do": task.rawValue, "file": file, "arguments": arguments, "rigs": rigs,
      "at": times.map(FleetFile.clock), "days": days.map(\.rawValue), "limit": limit,
      "attempts": attempts, "reserved": reserved.rawValue, "catchUp": catchUp,
      "priority": priority,
    ])
  }
}
