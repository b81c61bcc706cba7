import JSONText
import Profiles
import Reporting
import Units
import Workflows

/// What became of a fleet, as text and as JSON.
struct FleetAccount {
  let outcome: FleetWorkflow.Outcome

  private var targeting: FleetTargeting { outcome.targeting }

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
    let reason = outcome.isAsked ? "as asked for" : "the most that \(targeting.weakest) holds"
    let short = targeting.members.filter { !$0.isReached }
    let warning = short.map {
      "  \($0.id) holds \(tenths(-$0.loss)) dB less than that: what is asked of it beyond is compressed\n"
    }.joined()
    return "reference level: \(level) dB SL (\(reason))\n" + table.text + warning
      + Self.count(outcome.written.count) + proof
  }

  private static func count(_ profiles: Int) -> String {
    switch profiles {
    case 0: "no profile was written: all have that level\n"
    case 1: "1 profile was written\n"
    default: "\(profiles) profiles were written\n"
    }
  }

  private var proof: String {
    guard !outcome.unproven.isEmpty else { return "" }
    return "no longer verified, since that was under another level: "
      + outcome.unproven.joined(separator: ", ")
      + "; 'haprig calibrate --rig ... --reference \(targeting.referenceLevel)' verifies one under it\n"
  }

  /// What a program reads.
  var json: JSONValue {
    [
      "referenceLevel": .number(targeting.referenceLevel), "isAsked": .bool(outcome.isAsked),
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
      "written": .array(outcome.written.map(JSONValue.string)),
      "unproven": .array(outcome.unproven.map(JSONValue.string)),
    ]
  }
}
