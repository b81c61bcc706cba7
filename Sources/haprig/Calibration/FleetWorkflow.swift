import Bench
import Profiles
import Reporting
import RunArchive
import Units

/// Gives the profiles of a folder one reference level.
struct FleetWorkflow {
  let folder: String
  let reference: Double?

  /// Finds the level, shows what each gives up for it, and writes the profiles anew.
  func execute() throws {
    let profiles = try ProfileFolder(path: folder).files().map { try LoadedProfile(file: $0) }
    let targeting: FleetTargeting
    do {
      targeting = try FleetTargeting(profiles.map(\.profile), reference: reference)
    } catch {
      throw InputError("\(folder): \(error)")
    }
    for profile in profiles {
      let changed = profile.profile.retargeted(to: targeting.referenceLevel)
      guard changed != profile.profile else { continue }
      try AtomicFile.write(changed.text, to: profile.path)
    }
    Console.out(text(of: targeting))
  }

  /// What a person reads.
  private func text(of fleet: FleetTargeting) -> String {
    func tenths(_ value: Double) -> String { EngineeringFormat.fixed(value, 1) }
    let table = TextTable(
      head: ["actuator", "holds up to", "at", "gives up", "grid points"],
      rows: fleet.members.map { member in
        [
          member.id, "\(tenths(member.highestLevel)) dB SL",
          "\(tenths(member.strongestFrequency)) Hz", "\(tenths(member.loss)) dB",
          "\(member.reachedPoints) of \(FeltGrid.intensities.count * FeltGrid.sharpnesses.count)",
        ]
      })
    let reason =
      reference == nil ? "the most that \(fleet.weakest) holds" : "as asked for"
    let short = fleet.members.filter { !$0.isReached }
    let warning = short.map {
      "  \($0.id) holds \(tenths(-$0.loss)) dB less than that: what is asked of it beyond is compressed\n"
    }.joined()
    return "reference level: \(tenths(fleet.referenceLevel)) dB SL (\(reason))\n" + table.text
      + warning
  }
}
