import JSONText
import Reporting
import RigFiles
import Units

/// A sensor file as text and as JSON.
struct SensorAccount {
  let file: SensorFile
  /// Where it is written.
  let path: String

  /// What a person reads.
  var text: String {
    let table = TextTable(
      head: ["axis", "channel", "scale", "uncertainty (k = 1)", "was", "offset", "noise"],
      rows: file.axes.map { axis in
        [
          axis.name, axis.channel, axis.scale.text, Self.percent(axis.uncertainty),
          axis.previous?.text ?? "",
          axis.offset.map {
            EngineeringFormat.text($0.value, .metrePerSecondSquared, uncertainty: $0.uncertainty)
          } ?? "",
          axis.noise.map { EngineeringFormat.text($0, .metrePerSecondSquared) } ?? "",
        ]
      })
    return table.text + assumptions + comparison
  }

  private var assumptions: String {
    guard let assumed = file.assumed else { return "" }
    let known =
      assumed.gravityUncertainty > 0.001
      ? ", good to 0.3 % anywhere on earth; give the value of the place with --gravity"
      : " as given"
    return "assumed: gravity \(assumed.gravity) m/s2\(known); axes upright within "
      + "\(EngineeringFormat.significant(assumed.tilt)) deg (1 sigma)\n"
  }

  private var comparison: String {
    guard let reference = file.reference, let axis = file.axes.first else { return "" }
    var text = "reference: \(reference.channel), \(Self.percent(reference.uncertainty))"
    if let date = reference.date { text += ", certificate of \(date)" }
    if let delay = axis.delay {
      text +=
        "\ndelay after it: "
        + EngineeringFormat.text(delay.value, .second, uncertainty: delay.uncertainty)
    }
    if let low = axis.flatness.min(by: { $0.ratio < $1.ratio }),
      let high = axis.flatness.max(by: { $0.ratio < $1.ratio })
    {
      text += "\nflat within \(Self.decibels(low)) to \(Self.decibels(high))"
    }
    return text + "\n"
  }

  private static func decibels(_ point: SensorFile.Flatness) -> String {
    "\(EngineeringFormat.fixed(Decibels.of(amplitude: point.ratio), 2)) dB (at "
      + "\(EngineeringFormat.significant(point.frequency)) Hz)"
  }

  private static func percent(_ ratio: Double) -> String {
    EngineeringFormat.significant(ratio * 100) + " %"
  }

  /// What a program reads.
  var json: JSONValue {
    var members: [JSONMember] = [
      JSONMember("file", .string(path)), JSONMember("sensor", .string(file.sensor)),
      JSONMember("date", .string(file.date)), JSONMember("method", .string(file.method.rawValue)),
      JSONMember("program", .string(file.program)), JSONMember("rig", .string(file.rig)),
      JSONMember("axes", .array(file.axes.map(Self.json))),
    ]
    if let assumed = file.assumed {
      members.append(
        JSONMember(
          "assumed",
          [
            "gravity": .number(assumed.gravity),
            "gravityUncertainty": .number(assumed.gravityUncertainty),
            "tilt": .number(assumed.tilt),
          ]))
    }
    if let reference = file.reference {
      members.append(
        JSONMember(
          "reference",
          [
            "channel": .string(reference.channel), "uncertainty": .number(reference.uncertainty),
            "date": reference.date.map(JSONValue.string) ?? .null,
          ]))
    }
    return .object(members)
  }

  private static func json(_ axis: SensorFile.Axis) -> JSONValue {
    var members = [
      JSONMember("axis", .string(axis.name)), JSONMember("channel", .string(axis.channel)),
      member(axis.scale), JSONMember("uncertainty", .number(axis.uncertainty)),
    ]
    if let previous = axis.previous {
      members.append(JSONMember("before", .object([member(previous)])))
    }
    for (name, value) in [("offset", axis.offset), ("delay", axis.delay)] {
      guard let value else { continue }
      members.append(JSONMember(name, .number(value.value)))
      members.append(JSONMember(name + "Uncertainty", .number(value.uncertainty)))
    }
    if let noise = axis.noise { members.append(JSONMember("noise", .number(noise))) }
    if !axis.flatness.isEmpty {
      members.append(
        JSONMember(
          "flatness",
          .array(
            axis.flatness.map {
              [
                "frequency": .number($0.frequency), "ratio": .number($0.ratio),
                "uncertainty": .number($0.uncertainty),
              ]
            })))
    }
    return .object(members)
  }

  /// In V/(m/s2), or true m/s2 for each that is told.
  private static func member(_ scale: SensorFile.Scale) -> JSONMember {
    switch scale {
    case .sensitivity(let value): JSONMember("sensitivity", .number(value))
    case .factor(let value): JSONMember("factor", .number(value))
    }
  }
}
