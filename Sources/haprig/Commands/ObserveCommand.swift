// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import ArgumentParser
import Bench
import Devices
private import Glibc
import JSONText
import LiveRuns
import Reporting
import RigDevices
import RunArchive
import Workflows

struct ObserveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "observe",
    abstract: "Run an app on a rig, and score what it played.",
    discussion: """
      EXAMPLES
        haprig observe --rig rigs/simulated-lra.yaml -- swift run MyApp
        haprig observe --rig my-rig.yaml --no-score -- ./build/MyApp --level 3

      The app imports CoreHaptics and needs no changes. Each start of its haptic engine becomes a folder under \
      'starts' in the archive, with drive, response and engine.json, and for each player a pattern of what it really played. \
      These patterns are then measured on the rig as by 'haprig run', with the same profile (docs/CORE-HAPTICS.md).
      """)

  @OptionGroup var rig: RigFileOption

  @Option(
    help: ArgumentHelp(
      "The actuator's profile (ID.json), a folder of profiles, or 'none' (default: HAPRIG_PROFILE, else the one in haprig.toml's folder, else none).",
      valueName: "path"),
    completion: .json)
  var profiles: String?

  @OptionGroup var archive: ArchiveOptions

  @Flag(
    inversion: .prefixedNo, help: "When the app has ended, measure on the rig what it played.")
  var score = true

  @Flag(
    help: "Print the starts and the run as JSON; the app's standard output goes to standard error.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  @Argument(parsing: .postTerminator, help: "The app and its arguments, after '--'.")
  var command: [String]

  func run() async throws {
    let rigFile = try rig.file
    let folder = try archive.location().folder
    let description = try RigFolder(file: rigFile).read().rig
    let profile = try profileFile(for: description)
    // A rig that cannot be had is told before the app runs, and not in the app's own words.
    _ = try OpenRig(description) { Console.error("rig: \($0)") }
    let starts = try StartFolder(in: folder)
    let user = RigOperator.terminal(isQuiet: quiet)
    user.tell(
      .work(
        LiveEvent.Work(
          rig: description.name, title: "observe \(command[0])",
          actuators: description.actuators.map(\.id), archive: Host.fromRoot(folder))))
    var told: [JSONMember] = []
    // Whatever ends it early, what there is of it is told.
    defer { if json { Console.out(.object(told)) } }
    let end = try ObservedApp(command, isSilent: json).run([
      "HAPRIG_RIG": Self.absolute(rigFile), "HAPRIG_OBSERVE": Self.absolute(starts.path),
      "HAPRIG_PROFILE": profile.map(Self.absolute) ?? "",
    ])
    user.tell(.idle)
    let new = try starts.new()
    let cutOff = try starts.cutOff()
    if json {
      told.append(JSONMember("starts", .array(new.map(\.json))))
      told.append(JSONMember("cutOff", .array(cutOff.map(JSONValue.string))))
    } else {
      for start in new { Console.out(start.summary) }
      for rest in cutOff { Console.out("\(rest): cut off, only sound files are there\n") }
    }
    if let signal = Interruption.signal.requested {
      throw ExitStatus.stopped(
        by: signal, "stopped by signal \(signal): what was played is kept, not scored")
    }
    if let fault = new.compactMap(\.fault).first {
      throw ExitStatus(.deviceFault, "\(fault): what was played is kept, not scored")
    }
    guard end == .exited(0) else {
      let kept = new.isEmpty ? "it played nothing" : "what it played is kept, not scored"
      throw ExitStatus(.failed, "\(command[0]) \(end): \(kept)")
    }
    let patterns = new.flatMap(\.patterns)
    guard !patterns.isEmpty else {
      throw ExitStatus(
        .wrongInput,
        "\(command[0]) played nothing: does it import this CoreHaptics, and start an engine?")
    }
    guard score else { return }
    var arguments = patterns + ["--rig", rigFile, "--profiles", profile ?? PlanProfile.none]
    if let place = archive.archive { arguments += ["--archive", place] }
    if let reports = archive.reports { arguments += ["--reports", reports] }
    if quiet { arguments.append("--quiet") }
    guard let outcome = try await RunCommand.parse(arguments).outcome() else { return }
    if json {
      told.append(JSONMember("run", RunJSON.value(of: outcome.record)))
      told.append(JSONMember("report", .string("\(outcome.folder)/report.html")))
    } else {
      RunCommand.show(outcome.record, in: outcome.folder)
    }
    try RunCommand.check(outcome)
  }

  /// A path from the root, so that a program that changes its folder finds it.
  private static func absolute(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private func profileFile(for rig: RigDescription) throws -> String? {
    let named = getenv("HAPRIG_PROFILE").map { String(cString: $0) } ?? ""
    let usual = try Configured.found.profile(of: rig.actuators[0].id) ?? PlanProfile.none
    let choice = profiles ?? (named.isEmpty ? usual : named)
    guard choice != PlanProfile.none else { return nil }
    return try LoadedProfile(path: choice, for: rig).path
  }
}

/// A program that is run with more in its environment, its input and output those of this one.
struct ObservedApp {
  private let command: [String]
  /// Whether what it prints goes to standard error: standard output is for a program then.
  private let isSilent: Bool

  init(_ command: [String], isSilent: Bool = false) {
    self.command = command
    self.isSilent = isSilent
  }

  enum End: Equatable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    /// Out of what `wait` tells (wait(2)): the low seven bits are the signal, the next byte is the code.
    init(status: Int32) {
      let number = status & 0x7f
      self = number == 0 ? .exited((status >> 8) & 0xff) : .signalled(number)
    }

    var description: String {
      switch self {
      case .exited(let code): "ended with \(code)"
      case .signalled(let number):
        "was ended by signal \(number) (\(String(cString: strsignal(number))))"
      }
    }
  }

  /// Runs the program to its end; a signal that asks haprig to stop is passed on to it.
  func run(_ variables: [String: String]) throws -> End {
    var environment: [UnsafeMutablePointer<CChar>?] = []
    var place = environ
    while let entry = place.pointee {
      let name = String(cString: entry).prefix { $0 != "=" }
      if variables[String(name)] == nil { environment.append(strdup(entry)) }
      place += 1
    }
    for (name, value) in variables { environment.append(strdup("\(name)=\(value)")) }
    var arguments = command.map { strdup($0) }
    defer { for text in environment + arguments { free(text) } }
    environment.append(nil)
    arguments.append(nil)
    var process = pid_t()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if isSilent { posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO) }
    let status = posix_spawnp(&process, command[0], &actions, nil, arguments, environment)
    guard status == 0 else {
      throw ExitStatus(
        .wrongInput, "'\(command[0])' cannot be run: \(String(cString: strerror(status)))")
    }
    return wait(for: process)
  }

  private func wait(for process: pid_t) -> End {
    var status: Int32 = 0
    var patience = Self.patience
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return End(status: status) }
      if ended < 0, errno != EINTR { return .exited(127) }
      usleep(UInt32(Self.look))
      guard let number = Interruption.signal.requested, patience > 0 else { continue }
      // A terminal tells the app by itself.
      patience -= Self.look
      if patience <= 0 { kill(process, number) }
    }
  }

  /// How often the app is looked at, and how long it may take to end by itself, in microseconds.
  private static let look = 10_000
  private static let patience = 300_000
}

struct StartFolder {
  let path: String
  private let known: Set<String>
  private let knownRests: Set<String>

  init(in out: String) throws(ArchiveError) {
    path = out + "/starts"
    try Folder.make(path)
    known = Set(try Folder.names(in: path))
    knownRests = try Self.rests(in: path)
  }

  /// What is left of starts that have come since and were cut off: the app ended before it could finish.
  func cutOff() throws(ArchiveError) -> [String] {
    try Self.rests(in: path).subtracting(knownRests).sorted().map { path + "/" + $0 }
  }

  private static func rests(in path: String) throws(ArchiveError) -> Set<String> {
    let folders = try Folder.paths(below: path, hidden: true).map { $0.prefix { $0 != "/" } }
    return Set(folders.filter { $0.hasPrefix(".") && $0.hasSuffix(".partial") }.map(String.init))
  }

  func new() throws -> [ObservedStart] {
    try Folder.names(in: path).filter { !known.contains($0) }.sorted().map {
      try ObservedStart(folder: path + "/" + $0)
    }
  }
}

struct ObservedStart {
  let patterns: [String]
  let fault: String?
  let summary: String
  /// Where it lies, and what the engine told of it.
  let json: JSONValue

  init(folder: String) throws {
    let bytes = try RegularFile(path: folder + "/engine.json").bytes(limit: 16 << 20)
    let account = try InputError.naming(folder + "/engine.json: ") { try JSONValue(parsing: bytes) }
    let players = account["players"]?.elements ?? []
    json = ["folder": .string(folder), "engine": account]
    patterns = players.compactMap { $0["pattern"]?.string }.map {
      folder + "/" + $0
    }
    func latency(_ kind: String, _ share: String) -> String {
      let value = account["latency"]?[kind]?[share]?.number
      return value.map { "\(($0 * 1e5).rounded() / 100) ms" } ?? "not measured"
    }
    func has(_ kind: String) -> Bool { (account["latency"]?[kind]?["count"]?.number ?? 0) > 0 }
    let seconds = account["duration"]?.number ?? 0
    var text =
      "\(folder): \(players.count) \(players.count == 1 ? "player" : "players") in \((seconds * 100).rounded() / 100) s\n"
    // Of the two kinds of starts, an app often has one alone.
    if has("immediate") {
      text +=
        "  start to device: median \(latency("immediate", "median")), "
        + "95 % \(latency("immediate", "p95")), largest \(latency("immediate", "largest"))\n"
    }
    if has("scheduled") {
      text +=
        "  scheduled starts: first sample \(latency("scheduled", "largest")) off what was asked at most, "
        + "handed to the device \(latency("handed", "median")) after (median), "
        + "\(latency("handed", "largest")) at most\n"
    }
    fault = account["fault"]?.string
    if let fault { text += "  fault: \(fault)\n" }
    for refusal in account["refusals"]?.elements ?? [] {
      text += "  refused: \(refusal.string ?? "")\n"
    }
    summary = text
  }
}
