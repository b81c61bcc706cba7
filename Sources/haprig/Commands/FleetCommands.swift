// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bench
private import Glibc
import JSONText
import RigFiles
import RunArchive
import Workflows

struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Run plans on many rigs on many machines (docs/FLEET.md).",
    discussion: """
      All commands but 'check' use the database that fleet.yaml names. They also work while the fleet's master is not running.

      EXAMPLES
        haprig fleet check fleet.yaml
        haprig fleet status
        haprig fleet run nightly --rig lra-1
        haprig fleet reserve lra-1 --for '2 h' --why 'new mount'
      """,
    subcommands: [
      FleetCheckCommand.self, FleetStatusCommand.self, FleetRunCommand.self,
      FleetCancelCommand.self, FleetReserveCommand.self, FleetReleaseCommand.self,
      FleetDrainCommand.self, FleetUndrainCommand.self,
    ])
}

struct FleetOptions: ParsableArguments {
  @Option(name: .customLong("fleet"), help: "The fleet's file.", completion: .yaml)
  var file = "fleet.yaml"

  @Option(help: "Who gives the order, for the fleet's records (default: the user's name).")
  var by: String?

  func workflow() throws -> FleetOrders { try FleetOrders(FleetOrders.fleet(in: file)) }

  /// Who asks, as the book is to know it.
  var who: String { get throws { try FleetOrders.who(by) } }
}

struct FleetCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a fleet's file: machines, rigs, plans with their times.",
    discussion: """
      An error is reported with its line and column. --json prints the fleet with all default values filled in, as \
      the fleet's master reads it (haprig.fleet/1).

      EXAMPLES
        haprig fleet check fleet.yaml
        haprig fleet check fleet.yaml --json
      """)

  @Argument(help: "The fleet's file.", completion: .yaml)
  var file: String

  @Flag(help: "Print the fleet as JSON.")
  var json = false

  func run() throws {
    let fleet = try FleetOrders.fleet(in: file)
    guard !json else { return Console.out(fleet.json, sortedKeys: false) }
    Console.out(fleet.summary)
  }
}

struct FleetStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show for each rig what it does, which jobs wait, its last job and what is overdue.")

  @OptionGroup var fleet: FleetOptions

  @Flag(help: "Print it as JSON.")
  var json = false

  func run() throws {
    let status = try fleet.workflow().status()
    guard !json else { return Console.out(status.json, sortedKeys: false) }
    Console.out(status.text)
  }
}

struct FleetRunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a plan now, follow its jobs, and end with their worst exit code.",
    discussion: """
      Makes one job for each rig: for the rigs of the plan, for one rig (--rig), or for all rigs of a model \
      (--model). Ctrl-C stops the following, not the jobs. 'haprig fleet cancel' ends jobs.

      EXAMPLES
        haprig fleet run nightly
        haprig fleet run smoke --model coinZ-170 --detach

      EXIT CODES
        0 all passed    1 a job failed    2 wrong usage or input    3 a device fault, or a job was given up or cancelled
        75 a rig stayed in use by others    130, 143 interrupted; the jobs go on
      """)

  @Argument(help: "The plan's name.")
  var plan: String

  @OptionGroup var fleet: FleetOptions

  @Option(help: "On this rig alone.")
  var rig: String?

  @Option(help: "On all rigs with this model.")
  var model: String?

  @Flag(help: "Create the jobs, and do not wait for them.")
  var detach = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    try Usage.require(rig == nil || model == nil, "--rig and --model are two choices: name one")
  }

  func run() throws {
    let work = try fleet.workflow()
    let choice: FleetOrders.Choice = rig.map { .rig($0) } ?? model.map { .model($0) } ?? .plan
    let stamp = Host.time("%Y%m%dT%H%M%SZ")
    let ids = try work.order(plan, on: choice, by: fleet.who, stamp: stamp)
    for id in ids { Console.out("\(id)\n") }
    guard !detach else { return }
    let user = RigOperator.terminal(isQuiet: quiet)
    var told: [String: FleetBook.Job] = [:]
    var isAway = false
    while true {
      var jobs: [FleetBook.Job] = []
      do {
        jobs = try work.book.jobs(ids)
        isAway = false
      } catch {
        // The jobs go on whether the database can be asked or not.
        if !isAway { Console.error("haprig: \(error): asking on") }
        isAway = true
      }
      for job in jobs where told[job.id] != job {
        if !quiet, let words = Self.words(of: job, before: told[job.id]) { Console.error(words) }
        told[job.id] = job
      }
      if jobs.count == ids.count, jobs.allSatisfy({ $0.ended != nil }) { break }
      for _ in 0..<10 {
        try user.check(": the jobs go on")
        usleep(100_000)
      }
    }
    let codes = ids.map { id in
      let job = told[id]
      return job?.state == .done ? job?.code ?? 3 : 3
    }
    let worst = FleetOrders.worst(of: codes)
    if worst != 0 { throw ExitStatus(code: Int32(worst)) }
  }

  /// What a person is told of a change.
  private static func words(of job: FleetBook.Job, before: FleetBook.Job?) -> String? {
    if job.ended != nil {
      let code = job.code.map { " with \($0)" } ?? ""
      return "\(job.rig): \(job.state.rawValue)\(code)\(job.said.isEmpty ? "" : ", \(job.said)")"
    }
    if job.began != nil, before?.began != job.began { return "\(job.rig): began" }
    if job.state == .waiting, let before, before.attempts < job.attempts || before.state != .waiting
    {
      return "\(job.rig): waits for another try: \(job.said)"
    }
    return nil
  }
}

struct FleetCancelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: """
      End jobs. A waiting job ends at once, a running one as with Ctrl-C: drive at zero, record \
      finished.
      """)

  @Argument(help: "The jobs, as 'status' and 'run' name them.")
  var jobs: [String]

  @OptionGroup var fleet: FleetOptions

  func run() throws {
    let work = try fleet.workflow()
    for (job, isCancelled) in zip(jobs, try work.cancel(jobs, by: fleet.who)) {
      Console.out("\(job): \(isCancelled ? "cancelled" : "was over already")\n")
    }
  }
}

struct FleetReserveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reserve",
    abstract: """
      Reserve a rig for yourself. Meanwhile jobs wait, or are given up if their plan says so.
      """,
    discussion: """
      A running job is not interrupted: this command waits until it ends.

      EXAMPLES
        haprig fleet reserve lra-1 --for '2 h' --why 'new mount'
      """)

  @Argument(help: "The rig.")
  var rig: String

  @OptionGroup var fleet: FleetOptions

  @Option(name: .customLong("for"), help: "For how long, such as '2 h' or '30 min'.")
  var length: String

  @Option(help: "The reason, shown to others who wait for the rig.")
  var why: String

  @Flag(help: "Do not wait for a running job to end.")
  var noWait = false

  func run() throws {
    let work = try fleet.workflow()
    if let refusal = try work.reserve(rig, by: fleet.who, why: why, for: length) {
      throw ExitStatus(.held, refusal)
    }
    let user = RigOperator.terminal(isQuiet: true)
    var wasTold = false
    while let job = try work.job(on: rig) {
      if !wasTold { Console.error("\(rig) is reserved; \(job.id) has it still, and ends first") }
      wasTold = true
      guard !noWait else { return }
      for _ in 0..<10 {
        try user.check(": the rig stays reserved")
        usleep(100_000)
      }
    }
    Console.out("\(rig) is yours for \(length)\n")
  }
}

struct FleetReleaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "Give a reserved rig back early.")

  @Argument(help: "The rig.")
  var rig: String

  @OptionGroup var fleet: FleetOptions

  func run() throws {
    try fleet.workflow().release(rig)
    Console.out("\(rig) is free\n")
  }
}

struct FleetDrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain",
    abstract: "Give a machine no new jobs. Running jobs go on to their end.")

  @Argument(help: "The machine.")
  var machine: String

  @OptionGroup var fleet: FleetOptions

  @Option(help: "The reason, shown in the status.")
  var why: String

  func run() throws {
    let isNew = try fleet.workflow().drain(machine, by: fleet.who, why: why)
    Console.out("\(machine): \(isNew ? "drained" : "was drained already")\n")
  }
}

struct FleetUndrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undrain", abstract: "Give a drained machine jobs again.")

  @Argument(help: "The machine.")
  var machine: String

  @OptionGroup var fleet: FleetOptions

  func run() throws {
    try fleet.workflow().undrain(machine)
    Console.out("\(machine): gets jobs again\n")
  }
}
