import ArgumentParser
import Bench
import Profiles
import Reporting
import RunArchive
import Units

/// Shows how alike actuators feel under their profiles.
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
      profiles.

      EXAMPLE
        haprig compare calibration/lra-1.json calibration/vcm-2.json --picture fleet.svg
      """)

  @Argument(help: "Two profiles or more.", completion: .file(extensions: ["json"]))
  var profiles: [String]

  @Option(
    name: .long, help: "Write a picture of what each makes felt to this SVG file.",
    completion: .file(extensions: ["svg"]))
  var picture: String?

  func validate() throws {
    guard profiles.count >= 2 else { throw ValidationError("Name two profiles or more") }
  }

  func run() throws {
    try ExitStatus.of {
      let loaded = try profiles.map { try LoadedProfile(file: $0).profile }
      var seen: Set<String> = []
      for (path, profile) in zip(profiles, loaded)
      where !seen.insert(profile.actuator.id).inserted {
        throw InputError(
          "\(path): another profile is of the actuator '\(profile.actuator.id)' too: compare two pieces"
        )
      }
      for (path, profile) in zip(profiles, loaded).dropFirst() {
        guard profile.laws.target == loaded[0].laws.target,
          profile.laws.sharpness == loaded[0].laws.sharpness
        else {
          throw InputError(
            "\(path): the profile's laws or reference level are not those of \(profiles[0]): give both "
              + "one level with 'haprig calibrate --fleet'")
        }
      }
      Console.out(Self.table(PairConsistency.all(loaded)))
      if let picture {
        try AtomicFile.write(FleetPicture.svg(of: loaded), to: picture)
        Console.out("picture: \(picture)\n")
      }
    }
  }

  private static func table(_ pairs: [PairConsistency]) -> String {
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
    return TextTable(
      head: [
        "pair", "grid", "where", "basis", "level rms", "level 95 %", "U", "frequency rms", "J rms",
        "J 95 %", "uncalibrated",
      ],
      rows: pairs.map { pair in
        [
          "\(pair.first) - \(pair.second)", "\(pair.commonPoints) of 25",
          pair.isMeasured ? place(pair.place) : "-", pair.isMeasured ? pair.basis.rawValue : "-",
          decibels(pair.level?.rms), pair.level.map { decibels($0.percentile95) } ?? "-",
          pair.isMeasured ? decibels(pair.uncertainty) : "-", percent(pair.frequency?.rms),
          pair.consistency.map { EngineeringFormat.fixed($0.rms, 2) } ?? "-",
          pair.consistency.map { EngineeringFormat.fixed($0.percentile95, 2) } ?? "-",
          pair.uncalibrated.map { "\(EngineeringFormat.fixed($0, 1)) dB" } ?? "-",
        ]
      }
    ).text
  }
}
