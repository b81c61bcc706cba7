import Actuators
import ArgumentParser
import Bench
import JSONText
import Profiles
import Reporting
import RunArchive
import Units
import Workflows

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract:
      "Compare profiles pair by pair: how far apart two actuators feel where both can follow.",
    discussion: """
      On the grid of 5 intensities and 5 sharpnesses, where both actuators reach what is asked for: \
      what was measured where both profiles hold it, else what the profiles say. A pair with fewer \
      than 12 of these points in common is compared at 25 points of the region that it has in common; \
      one without such a region is not measured. Beside it stands how far apart the two are without \
      profiles. The last line is the fleet's: the worst pair against the goal of 1 dB.

      EXAMPLE
        haprig compare calibration/lra-1.json calibration/vcm-2.json --picture fleet.svg
      """)

  @Argument(help: "Two profiles or more.", completion: .json)
  var profiles: [String]

  @Option(help: "Write a picture of what each makes felt to this SVG file.", completion: .svg)
  var picture: String?

  @Flag(help: "Print the numbers as JSON instead of the table.")
  var json = false

  func validate() throws {
    guard profiles.count >= 2 else { throw ValidationError("Name two profiles or more") }
  }

  func run() throws {
    let loaded = try profiles.map { try LoadedProfile(file: $0).profile }
    var seen: Set<String> = []
    for (path, profile) in zip(profiles, loaded) where !seen.insert(profile.actuator.id).inserted {
      throw InputError(
        "\(path): another profile is of the actuator '\(profile.actuator.id)' too: compare two pieces"
      )
    }
    let laws = loaded[0].laws
    for (path, profile) in zip(profiles, loaded)
    where profile.laws.target != laws.target || profile.laws.sharpness != laws.sharpness {
      throw InputError(
        "\(path): the profile's laws or reference level are not those of \(profiles[0]): give both "
          + "one level with 'haprig calibrate --fleet'")
    }
    Console.out(PairListing(pairs: PairConsistency.all(loaded)), asJSON: json)
    if let picture {
      try AtomicFile.write(FleetPicture.svg(of: loaded), to: picture)
      if !json { Console.out("picture: \(picture)\n") }
    }
  }
}

/// How far apart the actuators of each pair feel, and those of the fleet.
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
    func number(_ value: Double?) -> JSONValue {
      value.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
    }
    return [
      "pairs": .array(
        pairs.map { pair in
          var place = JSONValue.null
          var region = JSONValue.null
          switch pair.place {
          case .grid: place = .string("grid")
          case .curve: place = .string("curve")
          case .region(let band):
            place = .string("region")
            region = .array([number(band.lowerBound), number(band.upperBound)])
          }
          return [
            "first": .string(pair.first), "second": .string(pair.second),
            "commonPoints": .integer(pair.commonPoints), "place": place, "region": region,
            "basis": .string(pair.basis.rawValue), "isMeasured": .bool(pair.isMeasured),
            "level": pair.level?.json ?? .null, "frequency": pair.frequency?.json ?? .null,
            "consistency": pair.consistency?.json ?? .null, "uncertainty": number(pair.uncertainty),
            "uncalibrated": number(pair.uncalibrated),
          ]
        }),
      "fleet": [
        "pairs": .integer(fleet.pairs), "measuredPairs": .integer(fleet.measuredPairs),
        "level": number(fleet.level), "levelGoal": number(FleetConsistency.levelGoal),
        "meetsGoal": fleet.meetsGoal.map(JSONValue.bool) ?? .null,
        "frequency": number(fleet.frequency),
      ],
    ]
  }
}
