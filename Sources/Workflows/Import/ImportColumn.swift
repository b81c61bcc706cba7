// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import JSONText
import RigFiles
import Units

/// What a column of an imported table says.
enum ImportColumn: Hashable {
  enum Field: String, CaseIterable {
    case when, rig, plan, actuator, pattern, `repeat`, event, channel, reading, value, unit
    case uncertainty, k, n, note, source, `operator`
  }

  case field(Field)
  /// A property of the environment.
  case environment(String)
  /// The values of one reading: a wide table has a column for each.
  case reading(ReadingName, MeasurementUnit?)

  static let environmentMark = "env."

  /// Reads what a head or `--map` calls a column: `when`, `env.firmware`, `latency.onset`, `latency.onset:ms`.
  ///
  /// Gives `nil` for a name that nobody knows; a unit of another dimension is an error in words.
  init?(_ text: String) throws(ImportFault) {
    if let field = Field(rawValue: text) {
      self = .field(field)
    } else if text.hasPrefix(Self.environmentMark) {
      let name = try ImportRow.word(String(text.dropFirst(Self.environmentMark.count)))
      guard !name.isEmpty, !RunRecord.Imported.reserved.contains(name) else {
        throw ImportFault("'\(name)' is no property that a table may give: haprig says it itself")
      }
      self = .environment(name)
    } else {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = ReadingName(String(parts[0])) else { return nil }
      self = .reading(
        name,
        try parts.dropFirst().first.map { unit throws(ImportFault) in
          try ImportUnit.named(String(unit), for: name)
        })
    }
  }

  static func hint(for text: String) -> String {
    let name = String(text.prefix { $0 != ":" })
    return Nearest.hint(
      for: name, in: Field.allCases.map(\.rawValue) + ReadingKind.allCases.map(\.rawValue))
  }
}

/// Why a cell cannot be taken, in a sentence without its place.
struct ImportFault: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

/// Units as other programs write them, and numbers taken to the unit of a reading.
enum ImportUnit {
  /// The unit of a text, which must measure what the reading does.
  static func named(_ text: String, for name: ReadingName) throws(ImportFault) -> MeasurementUnit {
    let dimension = name.kind.unit.dimension
    var symbol = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{B5}", "\u{3BC}": symbol += "u"
      case "\u{B2}": symbol += "2"
      case "\u{B0}": symbol += "deg"
      default: symbol.unicodeScalars.append(scalar)
      }
    }
    // Grams share their symbol with gravity, and no reading is a mass.
    guard let unit = dimension.units.first(where: { $0.rawValue == symbol }) else {
      let units = dimension.units.map(\.rawValue).joined(separator: ", ")
      throw ImportFault(
        "'\(JSONField.shortened(text))' is no unit of \(name), which is a \(dimension.rawValue): use \(units)"
      )
    }
    return unit
  }

  /// A number of a unit in another of the same dimension.
  ///
  /// By one multiplication with a whole number, or one division by it: 12.3 ms are the double nearest to 0.0123 s.
  static func convert(
    _ value: Double, from unit: MeasurementUnit, to other: MeasurementUnit
  ) -> Double {
    guard unit != other else { return value }
    return unit.factor < other.factor
      ? value / (other.factor / unit.factor) : value * (unit.factor / other.factor)
  }

  /// A decimal number with a point: what Swift reads besides (hexadecimal, `nan`) is nobody's measurement.
  static func number(_ text: String) throws(ImportFault) -> Double {
    guard text.utf8.allSatisfy("0123456789+-.eE".utf8.contains), let number = Double(text),
      number.isFinite
    else {
      throw ImportFault(
        "'\(JSONField.shortened(text))' is not a number: write it with a decimal point, such as 12.5"
      )
    }
    return number
  }
}
