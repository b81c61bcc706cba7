// SPDX-License-Identifier: Apache-2.0

import ALSADevices
import ArgumentParser
import Bench
import Devices
private import Glibc
import Paths
import Reporting
import RunArchive
import Units
import Workflows

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Set up a rig: find what is wired to what, write its file, make a first report.",
    discussion: """
      Asks for what no measurement can find (voltages, the sensor's sensitivity, the actuator's limits), unless the \
      options say it; Enter takes what stands in brackets. Asks again if an answer cannot be read. With --yes, or if \
      standard input is no terminal, it asks nothing. With --simulation the simulated rig's own facts stand in the \
      brackets. Plays faint sweeps on one output after another, and finds the actuator with its sensor, the \
      reference wire, the sound, and wires of which the conductors are swapped. Writes the rig file, measures the \
      electrical loop, and ends with a first report. Stops before each step.

      No sweep is louder than --level. The first run plays at full intensity, within the actuator's limits; \
      --no-run leaves it out.

      EXAMPLES
        haprig init my-rig.yaml
        haprig init my-rig.yaml --card hw:CARD=Interface,DEV=0 --outputs 1,2,3 --inputs 1,2 --level '2 %'
        haprig init trial.yaml --simulation rigs/virtual-card.yaml --yes
      """)

  @Argument(help: "The rig file to write.", completion: .yaml)
  var file: String

  @Option(help: "The sound card that plays, as 'haprig devices' lists it (default: the only one).")
  var card: String?

  @Option(help: "The sound card that records (default: the one that plays).")
  var captureCard: String?

  @Option(
    help: "The outputs to try, such as 1,2,5; at most five (default: all, up to four).")
  var outputs: ChannelList?

  @Option(help: "The inputs to listen to, such as 1,2 (default: all, up to eight).")
  var inputs: ChannelList?

  @Option(help: "The sample rate.")
  var rate = "48 kHz"

  @Option(help: "The highest peak of the sweeps, as a share of full scale.")
  var level: LevelShare = LevelShare(ratio: 0.05)

  @Option(help: "The direction that the accelerometer feels: x, y or z.")
  var axis = "z"

  @OptionGroup(title: "FACTS") var facts: FactOptions

  @Option(
    help: "Set up the virtual card, wired as in this rig file, instead of a sound card.",
    completion: .yaml)
  var simulation: String?

  @OptionGroup var archive: ArchiveOptions

  @Flag(help: "End after the loop: make no first run.")
  var noRun = false

  @Flag(help: "Write over a rig file that is there.")
  var force = false

  @Flag(name: .shortAndLong, help: "Go through all steps without being asked.")
  var yes = false

  @Flag(help: "Print what was found as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress, but still ask.")
  var quiet = false

  func run() async throws {
    guard force || access(file, F_OK) != 0 else {
      throw ExitStatus(
        .wrongInput, "\(file): there is a file of this name: name another, or give --force")
    }
    let user = RigOperator.terminal(isQuiet: quiet)
    let (pcm, playing, recording) = try cards()
    let plan =
      try noRun ? nil : SuppliedRigs.folder(orNone: true).map { $0 + "/plans/smoke.yaml" }
    let workflow = try InitWorkflow(
      file: file,
      facts: RigFacts(
        name: Self.name(file), card: pcm, captureCard: captureCard, rate: rate, axis: axis,
        known: facts.given),
      outputs: outputs?.channels ?? playing.map { Array(1...min(4, $0)) },
      inputs: inputs?.channels ?? recording.map { Array(1...min(8, $0)) },
      level: level.ratio, simulation: simulation, plan: plan, archive: archive.location().folder,
      isAgreed: yes,
      silence: yes
        ? "--yes asks nothing"
        : isatty(STDIN_FILENO) == 1 ? nil : "standard input is no terminal")
    let outcome = try await workflow.execute(by: user)
    if json {
      Console.out(outcome.json)
    } else {
      if let run = outcome.run {
        Console.out(TextReport.verdicts(of: run.record, color: Console.hasColour) + "\n")
      }
      Console.out(outcome.text)
    }
    if let fault = outcome.run?.fault { throw fault }
  }

  private static func name(_ file: String) -> String {
    FilePath.name(of: file).split(separator: ".").first.map(String.init) ?? "rig"
  }

  /// The card that plays, and how many outputs and inputs there are, where they are known.
  private func cards() throws -> (pcm: String, outputs: Int?, inputs: Int?) {
    if simulation != nil { return (ALSADescription.virtualCardName, nil, nil) }
    let found = SoundCards.list()
    let pcms = found.cards.flatMap(\.pcms)
    func most(_ name: String, _ direction: String) -> Int? {
      pcms.first { $0.name == name && $0.direction == direction }?.offer?.channels.upperBound
    }
    let playing = pcms.filter { $0.direction == "playback" }
    guard let chosen = card ?? (playing.count == 1 ? playing[0].name : nil) else {
      throw ExitStatus(
        .wrongInput,
        playing.isEmpty
          ? "\(found.emptyReason ?? "no sound card plays"): try --simulation rigs/virtual-card.yaml"
          : "there are \(playing.count) outputs of sound cards: name one with --card: "
            + playing.map(\.name).joined(separator: ", "))
    }
    return (chosen, most(chosen, "playback"), most(captureCard ?? chosen, "capture"))
  }
}

/// The facts that options give, each under its own name.
struct FactOptions: ParsableArguments {
  @Option(.actuator) var actuator: String?
  @Option(.model) var model: String?
  @Option(.kind) var kind: String?
  @Option(.continuous) var continuous: String?
  @Option(.peak) var peak: String?
  @Option(.mass) var mass: String?
  @Option(.fullScale) var fullScale: String?
  @Option(.sensitivity) var sensitivity: String?
  @Option(.uncertainty) var uncertainty: String?
  @Option(.bandwidth) var bandwidth: String?
  @Option(.inputFullScale) var inputFullScale: String?
  @Option(.lineFullScale) var lineFullScale: String?

  var given: [RigFacts.Fact: String] {
    RigFacts.Fact.allCases.reduce(into: [:]) { $0[$1] = text(of: $1) }
  }

  private func text(of fact: RigFacts.Fact) -> String? {
    switch fact {
    case .actuator: actuator
    case .model: model
    case .kind: kind
    case .continuous: continuous
    case .peak: peak
    case .mass: mass
    case .fullScale: fullScale
    case .sensitivity: sensitivity
    case .uncertainty: uncertainty
    case .bandwidth: bandwidth
    case .inputFullScale: inputFullScale
    case .lineFullScale: lineFullScale
    }
  }
}

extension Option where Value == String? {
  /// The option that gives a fact of a rig.
  fileprivate init(_ fact: RigFacts.Fact) {
    self.init(name: .customLong(fact.rawValue), help: ArgumentHelp("\(fact.meaning)."))
  }
}

/// Channels by their numbers, counted from 1: `1,2,5`.
struct ChannelList: ExpressibleByArgument {
  let channels: [Int]

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    guard numbers.count == parts.count, Set(numbers).count == numbers.count,
      numbers.allSatisfy({ (1...64).contains($0) })
    else { return nil }
    channels = numbers
  }
}

/// A share of full scale: `5 %` or `0.05`.
struct LevelShare: ExpressibleByArgument {
  let ratio: Double

  init(ratio: Double) { self.ratio = ratio }

  init?(argument: String) {
    let isPercent = argument.hasSuffix("%")
    let digits = argument.filter { $0 != "%" && $0 != " " }
    guard let value = Double(digits), value.isFinite else { return nil }
    ratio = isPercent ? value / 100 : value
    guard ratio > 0, ratio <= 1 else { return nil }
  }

  var defaultValueDescription: String { "\(EngineeringFormat.significant(100 * ratio)) %" }
}

struct RigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rig",
    abstract: "Check a rig file and its wiring, and see the levels of its inputs.",
    subcommands: [RigCheckCommand.self, RigLevelsCommand.self])
}

struct RigCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report all mistakes of a rig file, doubtful values, and wires that end elsewhere.",
    discussion: """
      Plays nothing, unless --play is given: then faint sweeps on one output after another tell what is wired to \
      what, and which wires are swapped.

      Ends with 1 if the file has a mistake, or a wire does not end where the file says.

      EXAMPLES
        haprig rig check my-rig.yaml
        haprig rig check my-rig.yaml --play --level '2 %'
      """)

  @Argument(help: "The rig file.", completion: .yaml)
  var file: String

  @Flag(help: "Play sweeps, and compare the wires with the file.")
  var play = false

  @Option(help: "The highest peak of the sweeps, as a share of full scale.")
  var level: LevelShare = LevelShare(ratio: 0.05)

  @Flag(help: "Print the findings as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() async throws {
    let examination = RigExamination(file: file)
    var (diagnoses, rig) = try examination.read(today: Host.time("%Y-%m-%d"))
    if play, let rig {
      diagnoses += try await examination.listen(
        to: rig, level: level.ratio, by: .terminal(isQuiet: quiet))
    }
    let report = DoctorReport(program: file, diagnoses)
    Console.out(report, asJSON: json)
    if report.isBroken { throw ExitStatus.failed }
  }
}

struct RigLevelsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "levels",
    abstract:
      "Show the levels of a rig's inputs while they change, for setting gains. Plays silence.",
    discussion: """
      EXAMPLE
        haprig rig levels my-rig.yaml
      """)

  @Argument(help: "The rig file.", completion: .yaml)
  var file: String

  @Option(help: "End after so many seconds (default: when Ctrl-C is pressed).")
  var seconds: Double?

  @Flag(help: "Print the highest levels as JSON at the end.")
  var json = false

  func validate() throws {
    try Usage.require("--seconds", seconds, in: 0.1...86_400, " s")
  }

  func run() async throws {
    let rig = try RigChoice(file: file).read()
    let levels = try await LevelsWorkflow(rig, by: .terminal()).execute(seconds: seconds ?? 86_400)
    Console.out(levels, asJSON: json)
  }
}

extension InputLevels: Listing {}
