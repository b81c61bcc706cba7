// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
private import Glibc
import JSONText
import Reporting
import RigDevices

struct StopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: """
      Stop everything that drives a rig. The drive goes to zero and the record is finished.
      """,
    discussion: """
      EXAMPLES
        haprig stop
        haprig stop bench-1
      """)

  @Argument(
    help: "The rig: its name or file (default: all rigs that this user drives).", completion: .yaml)
  var rig: String?

  @Flag(help: "Print what was stopped as JSON.")
  var json = false

  func run() throws {
    let rig = try Configured.rigName(only: rig)
    let held = RigLock.holdings().filter { holding in
      rig.map { RigLock.fileName(of: $0) == holding.rig } ?? true
    }
    var stopped: [JSONValue] = []
    defer { if json { Console.out(["stopped": .array(stopped)]) } }
    guard !held.isEmpty else {
      if !json { Console.out(rig.map { "\($0): nobody uses this rig\n" } ?? "no rig is in use\n") }
      return
    }
    for holding in held {
      guard kill(holding.process, SIGTERM) == 0 || errno == ESRCH else {
        throw ExitStatus(
          .deviceFault,
          "\(holding.rig): process \(holding.process) cannot be signalled: "
            + String(cString: strerror(errno)))
      }
    }
    for holding in held {
      try wait(for: holding)
      stopped.append(.object(of: ["rig": holding.rig, "process": Int(holding.process)]))
      if !json { Console.out("\(holding.rig): stopped\n") }
    }
  }

  /// Waits until the rig is free: the drive is at zero well before.
  private func wait(for holding: RigLock.Holding) throws {
    for _ in 0..<500 {
      if !RigLock.holdings().contains(holding) { return }
      usleep(20_000)
    }
    throw ExitStatus(
      .deviceFault,
      "\(holding.rig): process \(holding.process) was told to stop and still holds the rig "
        + "after 10 s: end it with 'kill -9 \(holding.process)'")
  }
}
