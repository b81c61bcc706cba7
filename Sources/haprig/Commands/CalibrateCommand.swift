// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import ArgumentParser
import Bench
import Calibration
import Devices
import JSONText
import Perception
import Profiles
import Reporting
import RunArchive
import Units
import Workflows

struct CalibrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: """
      Calibrate an actuator: measure it, fit a profile, and verify the profile with a second \
      measurement.
      """,
    discussion: """
      Writes calibration/ID.json, the actuator's profile. With profiles, intensity and sharpness feel the same on \
      all profiled actuators. A certificate goes beside the recordings in reports/. If a calibration was stopped, \
      the same command continues it. The old profile stays until the new one is complete. The exit code is 1 if a \
      goal is missed without a known cause that calibration cannot change, such as sensor noise. The profile is \
      written all the same.

      With --common-level nothing is played. All profiles of the folder --profiles get one reference level: the \
      highest that all of them reach, or the one of --reference-level. They are changed in place, or written to the \
      folder --out.

      EXAMPLES
        haprig calibrate --rig rigs/simulated-lra.yaml
        haprig calibrate --rig bench.yaml --actuator lra-07 --temperature 23.5
        haprig calibrate --rig bench.yaml --actuator lra-07 --remounts 5
        haprig calibrate --common-level
        haprig calibrate --common-level --profiles fleet --reference-level 27 --out leveled
      """)

  @OptionGroup var rig: RigFileOption

  @Option(help: "The actuator's id (default: the rig's only actuator).")
  var actuator: String?

  @Flag(help: "Give all profiles of a folder one common reference level, and play nothing.")
  var commonLevel = false

  @Option(
    help: """
      The level of intensity 1, in dB above the threshold of feeling (default: 30; with \
      --common-level the highest that all hold).
      """)
  var referenceLevel: Double?

  @Option(
    help: ArgumentHelp(
      "Sharpness to frequency: \(SharpnessLaw.named.map(\.name).joined(separator: ", ")) (log80-230)."
    ))
  var sharpnessLaw: String?

  @Option(
    help: ArgumentHelp(
      "Intensity to level: \(IntensityLaw.allCases.map(\.name).joined(separator: ", ")) (square)."))
  var intensityLaw: String?

  @Option(help: "The temperature in degrees Celsius, instead of the rig file's.")
  var temperature: Double?

  @Option(
    help: "The folder of profiles (default: haprig.toml's, else calibration).",
    completion: .directory)
  var profiles: String?

  @Option(
    help: "With --common-level: the folder to write the profiles to (default: in place).",
    completion: .directory)
  var out: String?

  @OptionGroup var archive: ArchiveOptions

  @Option(
    help: ArgumentHelp(
      "How many times to remount the actuator at the end, 0 to 20. The terminal asks for each.",
      discussion: """
        The uncertainty budget then has a measured contribution of mounting to the gain.
        """))
  var remounts = 0

  @Flag(help: "Start again, even if an earlier calibration was stopped and could be continued.")
  var restart = false

  @Flag(help: "Print the certificate, or the fleet's levels, as JSON.")
  var json = false

  @OptionGroup var words: VerboseOption

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    if commonLevel, let option = measuringOptions.first {
      throw ValidationError(
        "\(option) does not go with --common-level: nothing is measured, and profiles keep their laws"
      )
    }
    try Usage.require(
      commonLevel || out == nil, "--out goes with --common-level: profiles are kept in --profiles")
    try Usage.require("--remounts", remounts, in: 0...20)
    try LawOptions.check(sharpness: sharpnessLaw, intensity: intensityLaw, level: referenceLevel)
    try Usage.require("--temperature", temperature, in: -40...125, " degrees Celsius")
  }

  private var measuringOptions: [String] {
    let options: [(isGiven: Bool, name: String)] = [
      (rig.given != nil, "--rig"), (actuator != nil, "--actuator"),
      (sharpnessLaw != nil, "--sharpness-law"), (intensityLaw != nil, "--intensity-law"),
      (temperature != nil, "--temperature"), (archive.archive != nil, "--archive"),
      (archive.reports != nil, "--reports"), (remounts != 0, "--remounts"),
      (restart, "--restart"),
    ]
    return options.filter(\.isGiven).map(\.name)
  }

  func run() async throws {
    if commonLevel {
      let outcome = try FleetWorkflow.execute(
        folder: Configured.profiles(profiles), reference: referenceLevel, out: out)
      return Console.out(FleetListing(outcome: outcome), asJSON: json)
    }
    let outcome = try await calibrate(rig.file)
    Console.out(outcome.certificate, asJSON: json)
    if !json {
      if outcome.resumed > 0 {
        Console.out("  \(outcome.resumed) segments were taken from before the stop\n")
      }
      Console.out("profile: \(outcome.profile)\n")
      Console.out("certificate: \(outcome.folder)/certificate.html\n")
      if words.verbose { Console.out(outcome.certificate.meanings) }
    }
    if outcome.certificate.verdict == .fail { throw ExitStatus.failed }
  }

  private func calibrate(_ rig: String) async throws -> CalibrationWorkflow.Outcome {
    let choice = try ActuatorChoice(rig: rig, actuator: actuator, temperature: temperature)
    guard remounts == 0 || ![.erm, .piezo].contains(choice.actuator.kind) else {
      throw InputError(
        "\(rig): --remounts compares the resonance of a small signal, which kind "
          + "'\(choice.actuator.kind.rawValue)' need not have: leave it out")
    }
    var calibration = CalibrationWorkflow(choice, by: .terminal(isQuiet: quiet))
    calibration.laws.intensity = intensityLaw.flatMap { IntensityLaw(rawValue: $0) }
    calibration.laws.sharpness = sharpnessLaw.flatMap { SharpnessLaw.named($0) }
    calibration.laws.referenceLevel = referenceLevel
    calibration.profiles = ProfileFolder(path: try Configured.profiles(profiles))
    calibration.reports = try archive.location().folder
    calibration.restarts = restart
    calibration.remounts = remounts
    return try await calibration.execute()
  }
}

private struct FleetListing: Listing {
  let outcome: FleetWorkflow.Outcome

  private var targeting: FleetTargeting { outcome.targeting }

  var text: String {
    func tenths(_ value: Double) -> String { EngineeringFormat.fixed(value, 1) }
    let table = TextTable(
      head: ["actuator", "holds up to", "at", "gives up", "grid points"],
      rows: targeting.members.map { member in
        [
          member.id, "\(tenths(member.highestLevel)) dB SL",
          "\(tenths(member.strongestFrequency)) Hz", "\(tenths(member.loss)) dB",
          "\(member.reachedPoints) of \(FeltGrid.intensities.count * FeltGrid.sharpnesses.count)",
        ]
      })
    let level = tenths(targeting.referenceLevel)
    let reason = outcome.isAsked ? "as asked for" : "the most that \(targeting.weakest) holds"
    let short = targeting.members.filter { !$0.isReached }
    let warning = short.map {
      "  \($0.id) holds \(tenths(-$0.loss)) dB less than that: what is asked of it beyond is compressed\n"
    }.joined()
    return "reference level: \(level) dB SL (\(reason))\n" + table.text + warning + count + proof
  }

  private var count: String {
    let count = outcome.written.count
    return count == 0
      ? "no profile was written: all have that level\n"
      : "\(Count.of(count, "profile")) \(count == 1 ? "was" : "were") written\n"
  }

  private var proof: String {
    guard !outcome.unproven.isEmpty else { return "" }
    return "no longer verified, since that was under another level: "
      + outcome.unproven.joined(separator: ", ")
      + "; 'haprig calibrate --rig ... --reference-level \(targeting.referenceLevel)' verifies one under it\n"
  }

  var json: JSONValue {
    let members = targeting.members.map { member in
      JSONValue.object(of: [
        "id": member.id, "highestLevel": member.highestLevel,
        "strongestFrequency": member.strongestFrequency, "loss": member.loss,
        "isReached": member.isReached, "reachedPoints": member.reachedPoints,
      ])
    }
    return .object(of: [
      "referenceLevel": targeting.referenceLevel, "isAsked": outcome.isAsked,
      "weakest": targeting.weakest, "members": members, "written": outcome.written,
      "unproven": outcome.unproven,
    ])
  }
}

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract:
      "Check in 5 s whether an actuator has drifted from its profile, and by how many standard deviations.",
    discussion: """
      The result is kept beside the profile, in ID.checks.jsonl. Exit code 0 if nothing has drifted, 1 if something \
      has.

      EXAMPLE
        haprig check --rig rigs/simulated-lra.yaml
      """)

  @OptionGroup var rig: RigFileOption

  @Option(help: "The actuator's id (default: the rig's only actuator).")
  var actuator: String?

  @Option(
    help: ArgumentHelp(
      "The actuator's profile (ID.json), or a folder of profiles (default: haprig.toml's, else calibration).",
      valueName: "path"),
    completion: .json)
  var profiles: String?

  @Flag(help: "Print the findings as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() async throws {
    let outcome = try await CheckWorkflow.execute(
      ActuatorChoice(rig: rig.file, actuator: actuator), profile: Configured.profiles(profiles),
      by: .terminal(isQuiet: quiet))
    Console.out(CheckTable(outcome: outcome), asJSON: json)
    if outcome.hasDrifted { throw ExitStatus.failed }
  }
}

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract:
      "Compare profiles pair by pair: how different two actuators feel where both reach the level.",
    discussion: """
      Compares each pair on a grid of 5 intensities and 5 sharpnesses, at the points that both actuators reach. Uses \
      measured values where both profiles have them, else the values that the profiles predict. A pair with fewer \
      than 12 common points is compared at 25 points of the region that both reach. A pair without such a region is \
      not measured. The table also shows how different the two would be without profiles. The last line is the \
      result of the fleet: the worst pair against the goal of 1 dB.

      EXAMPLE
        haprig compare calibration/lra-1.json calibration/vcm-2.json --picture fleet.svg
      """)

  @Argument(help: "Two profiles or more.", completion: .json)
  var profiles: [String]

  @Option(help: "Draw what each actuator makes felt, into this SVG file.", completion: .svg)
  var picture: String?

  @Flag(help: "Print the numbers as JSON instead of the table.")
  var json = false

  func validate() throws {
    try Usage.require(profiles.count >= 2, "Name two profiles or more")
  }

  func run() throws {
    let files = try profiles.map { try LoadedProfile(file: $0) }
    try files.requireDistinctActuators()
    let loaded = files.map(\.profile)
    let laws = loaded[0].laws
    for (path, profile) in zip(profiles, loaded)
    where profile.laws.target != laws.target || profile.laws.sharpness != laws.sharpness {
      throw InputError(
        "\(path): the profile's laws or reference level are not those of \(profiles[0]): give both "
          + "one level with 'haprig calibrate --common-level'")
    }
    Console.out(PairListing(pairs: PairConsistency.all(loaded)), asJSON: json)
    if let picture {
      try AtomicFile.write(FleetPicture.svg(of: loaded), to: picture)
      if !json { Console.out("picture: \(picture)\n") }
    }
  }
}

private struct PairListing: Listing {
  let pairs: [PairConsistency]

  private var fleet: FleetConsistency { FleetConsistency(pairs) }

  var text: String {
    func decibels(_ value: Double?) -> String {
      value.map { "\(EngineeringFormat.fixed($0, 2)) dB" } ?? "not measured"
    }
    func percent(_ value: Double?) -> String {
      value.map { "\(EngineeringFormat.fixed(100 * $0, 1)) %" } ?? "-"
    }
    func place(_ place: PairConsistency.Place) -> String {
      switch place {
      case .grid: "grid"
      case .curve: "the motor's curve"
      case .region(let band):
        "\(EngineeringFormat.fixed(band.lowerBound, 0)) to "
          + "\(EngineeringFormat.fixed(band.upperBound, 0)) Hz"
      }
    }
    let table = TextTable(
      head: [
        "pair", "points", "where", "basis", "level rms", "level 95 %", "U", "frequency rms",
        "J rms", "J 95 %", "uncalibrated",
      ],
      rows: pairs.map { pair in
        [
          "\(pair.first) - \(pair.second)", Self.points(pair), place(pair.place),
          pair.isMeasured ? pair.basis.rawValue : "-",
          decibels(pair.level?.rms), pair.level.map { decibels($0.percentile95) } ?? "-",
          pair.isMeasured ? decibels(pair.uncertainty) : "-", percent(pair.frequency?.rms),
          pair.consistency.map { EngineeringFormat.fixed($0.rms, 2) } ?? "-",
          pair.consistency.map { EngineeringFormat.fixed($0.percentile95, 2) } ?? "-",
          pair.uncalibrated.map { "\(EngineeringFormat.fixed($0, 1)) dB" } ?? "-",
        ]
      })
    return table.text + words
  }

  /// How many points both reach; of a pair that is not measured how many it would take.
  private static func points(_ pair: PairConsistency) -> String {
    if case .region = pair.place { return "25 (\(pair.commonPoints) of the grid)" }
    let count = "\(pair.commonPoints) of 25"
    return pair.isMeasured ? count : "\(count), needs \(PairConsistency.fewestPoints)"
  }

  private var words: String {
    let fleet = fleet
    let measured = "fleet: \(fleet.measuredPairs) of \(fleet.pairs) pairs measured"
    guard let level = fleet.level, let frequency = fleet.frequency else {
      return "\(measured): both actuators of a pair reach too little in common\n"
    }
    let goal = EngineeringFormat.fixed(FleetConsistency.levelGoal, 0)
    return
      "\(measured), level at most \(EngineeringFormat.fixed(level, 2)) dB rms apart (goal \(goal) dB: "
      + "\(fleet.meetsGoal == true ? "met" : "missed")), frequency at most "
      + "\(EngineeringFormat.fixed(100 * frequency, 1)) %\n"
  }

  var json: JSONValue {
    let fleet = fleet
    let all = pairs.map { pair in
      let (place, band): (String, ClosedRange<Double>?) =
        switch pair.place {
        case .grid: ("grid", nil)
        case .curve: ("curve", nil)
        case .region(let band): ("region", band)
        }
      return JSONValue.object(all: [
        "first": pair.first, "second": pair.second, "commonPoints": pair.commonPoints,
        "place": place, "region": band.map { [$0.lowerBound, $0.upperBound] },
        "basis": pair.basis.rawValue, "isMeasured": pair.isMeasured, "level": pair.level?.json,
        "frequency": pair.frequency?.json, "consistency": pair.consistency?.json,
        "uncertainty": pair.uncertainty, "uncalibrated": pair.uncalibrated,
      ])
    }
    return .object(all: [
      "pairs": all,
      "fleet": JSONValue.object(all: [
        "pairs": fleet.pairs, "measuredPairs": fleet.measuredPairs, "level": fleet.level,
        "levelGoal": FleetConsistency.levelGoal, "meetsGoal": fleet.meetsGoal,
        "frequency": fleet.frequency,
      ]),
    ])
  }
}
