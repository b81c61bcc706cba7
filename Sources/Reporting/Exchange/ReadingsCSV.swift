package import Acceptance
import Actuators
import Units

/// The readings of a run as comma-separated values (RFC 4180), for spreadsheets.
package enum ReadingsCSV {
  /// Writes a line for each reading, in the order of the record.
  ///
  /// What is not known is an empty field, never 0. Equal records give equal bytes.
  package static func text(record: RunRecord) -> String {
    let columns = [
      "run", "date", "rig", "actuator", "plan", "pattern", "take", "event", "channel", "reading",
      "value", "uncertainty", "unit", "count", "limit", "verdict", "note",
    ]
    var lines = [columns.joined(separator: ",")]
    let common = [
      record.header.folder, record.header.date, record.rig.name, record.actuator.id,
      record.plan.name,
    ]
    for reading in record.readings {
      let fields: [String] =
        common + [
          reading.pattern ?? "", reading.take.map(\.description) ?? "",
          reading.event.map(\.description) ?? "", reading.channel ?? "",
          reading.name.description, reading.value.map(\.description) ?? "",
          reading.uncertainty.map(\.description) ?? "",
          reading.value == nil ? "" : reading.unit.rawValue,
          reading.count.map(\.description) ?? "", reading.limit ?? "",
          reading.verdict?.rawValue ?? "", reading.note ?? "",
        ]
      lines.append(fields.map(field).joined(separator: ","))
    }
    return lines.map { $0 + "\r\n" }.joined()
  }

  /// A field in quotation marks where it needs them.
  private static func field(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
    var quoted = "\""
    for character in text.unicodeScalars {
      quoted.unicodeScalars.append(character)
      if character == "\"" { quoted.unicodeScalars.append(character) }
    }
    return quoted + "\""
  }
}
