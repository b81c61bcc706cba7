import Bench
import JSONText
import Profiles
import Reporting
import RunArchive
import Units

/// Gives the profiles of a folder one reference level.
struct FleetWorkflow {
  let folder: String
  let reference: Double?
  /// Where the profiles go; nil writes them where they are.
  let out: String?
  let isJSON: Bool

  /// Finds the level, shows what each gives up for it, and writes the profiles anew.
  func execute() throws {
    let profiles = try ProfileFolder(path: folder).files().map { try LoadedProfile(file: $0) }
    let targeting: FleetTargeting
    do {
      targeting = try FleetTargeting(profiles.map(\.profile), reference: reference)
    } catch {
      throw InputError("\(folder): \(error)")
    }
    let level = targeting.referenceLevel
    if let out { try Folder.make(out) }
    // Into another folder goes the whole fleet, what has the level already too.
    let changed = profiles.filter { out != nil || $0.profile.laws.referenceLevel != level }
    let files = changed.map { loaded in
      (
        text: loaded.profile.retargeted(to: level).text,
        path: out.map { ProfileFolder(path: $0).file(named: loaded.path) } ?? loaded.path
      )
    }
    try AtomicFile.write(files)
    let unproven = profiles.filter {
      $0.profile.laws.referenceLevel != level && $0.profile.verification != nil
    }.map(\.profile.actuator.id)
    let account = FleetAccount(
      targeting: targeting, isAsked: reference != nil, written: files.map(\.path),
      unproven: unproven)
    Console.out(isJSON ? account.json.text(indent: 1) + "\n" : account.text)
  }
}

/// What became of a fleet, as text and as JSON.
struct FleetAccount {
  let targeting: FleetTargeting
  /// Whether the level was asked for.
  let isAsked: Bool
  /// The profiles that were written.
  let written: [String]
  /// Whose profile has lost what was verified under another level.
  let unproven: [String]

  /// What a person reads.
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
    let reason = isAsked ? "as asked for" : "the most that \(targeting.weakest) holds"
    let short = targeting.members.filter { !$0.isReached }
    let warning = short.map {
      "  \($0.id) holds \(tenths(-$0.loss)) dB less than that: what is asked of it beyond is compressed\n"
    }.joined()
    return "reference level: \(level) dB SL (\(reason))\n" + table.text + warning
      + Self.count(written.count) + proof
  }

  private static func count(_ profiles: Int) -> String {
    switch profiles {
    case 0: "no profile was written: all have that level\n"
    case 1: "1 profile was written\n"
    default: "\(profiles) profiles were written\n"
    }
  }

  private var proof: String {
    guard !unproven.isEmpty else { return "" }
    return "no longer verified, since that was under another level: "
      + unproven.joined(separator: ", ")
      + "; 'haprig calibrate --rig ... --reference \(targeting.referenceLevel)' verifies one under it\n"
  }

  /// What a program reads.
  var json: JSONValue {
    [
      "referenceLevel": .number(targeting.referenceLevel), "isAsked": .bool(isAsked),
      "weakest": .string(targeting.weakest),
      "members": .array(
        targeting.members.map { member in
          [
            "id": .string(member.id), "highestLevel": .number(member.highestLevel),
            "strongestFrequency": .number(member.strongestFrequency),
            "loss": .number(member.loss), "isReached": .bool(member.isReached),
            "reachedPoints": .integer(member.reachedPoints),
          ]
        }),
      "written": .array(written.map(JSONValue.string)),
      "unproven": .array(unproven.map(JSONValue.string)),
    ]
  }
}
