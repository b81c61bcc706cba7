// SPDX-License-Identifier: Apache-2.0

private import Glibc
package import Units

/// Signals of one rate and one length with their names and units, for programs that analyse elsewhere.
package struct SignalTable: Sendable, Equatable {
  package struct Column: Sendable, Equatable {
    package var name: String
    package var unit: MeasurementUnit
    package var samples: [Float]

    package init(name: String, unit: MeasurementUnit, samples: [Float]) {
      self.name = name
      self.unit = unit
      self.samples = samples
    }
  }

  /// What the signals are of, in one line.
  package let title: String
  /// When they were recorded, as their source writes it.
  package let date: String
  package let rate: SampleRate
  /// The frame at which time is 0.
  package let origin: Int
  package let columns: [Column]

  /// Makes a table; shorter columns are not filled up: it traps where lengths differ.
  package init(title: String, date: String, rate: SampleRate, origin: Int, columns: [Column]) {
    for column in columns {
      precondition(
        column.samples.count == columns[0].samples.count,
        "\(column.name) has \(column.samples.count) frames beside \(columns[0].samples.count)")
    }
    self.title = title
    self.date = date
    self.rate = rate
    self.origin = origin
    self.columns = columns
  }

  package var frameCount: Int { columns.first?.samples.count ?? 0 }

  /// The time of the first frame, in seconds.
  var start: Double { -rate.seconds(Double(origin)) }
}

extension SignalTable {
  /// The table as comma-separated values (RFC 4180): the time in seconds, then a column for each signal.
  ///
  /// The first line names the columns with their units, `z (m/s2)`. Numbers are the shortest that read
  /// back to the same 32-bit sample, times to the same 64-bit number. About 12 bytes a sample.
  package var csv: [UInt8] {
    var text = (["time (s)"] + columns.map { "\($0.name) (\($0.unit.rawValue))" })
      .map(Self.field).joined(separator: ",")
    text += "\r\n"
    var bytes = Array(text.utf8)
    bytes.reserveCapacity(frameCount * (columns.count * 12 + 16))
    for frame in 0..<frameCount {
      bytes += rate.seconds(Double(frame - origin)).description.utf8
      for column in columns {
        bytes.append(UInt8(ascii: ","))
        bytes += column.samples[frame].description.utf8
      }
      bytes += [13, 10]
    }
    return bytes
  }

  private static func field(_ text: String) -> String {
    guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  /// The table as a universal file: a units dataset (164, SI) and a dataset 58 for each signal.
  ///
  /// Each dataset 58 is a time response of evenly spaced 32-bit samples as text, six to a line, with
  /// its title, date, name, unit and the time of its first frame (Structural Dynamics Research
  /// Laboratory, University of Cincinnati: Universal File Formats, datasets 58 and 164). The format
  /// writes the time step with six digits, so the fourth line of a dataset names the exact rate. About
  /// 13 bytes a sample.
  package var universalFile: [UInt8] {
    var bytes = Array(Self.units.utf8)
    bytes.reserveCapacity(frameCount * columns.count * 14 + 4_096)
    for (index, column) in columns.enumerated() { append(column, number: index + 1, to: &bytes) }
    return bytes
  }

  /// SI, temperatures in kelvin from an offset: the scale of every unit is one.
  private static let units = [
    "    -1", "   164", padded("1", 10) + "SI: Metre (newton)".padding(20) + padded("2", 10),
    String(repeating: "  1.00000000000000000D+00", count: 3), "  2.73149999999999977D+02",
    "    -1", "",
  ].joined(separator: "\n")

  private func append(_ column: Column, number: Int, to bytes: inout [UInt8]) {
    let time = 1 / rate.hertz
    let kind = Self.kind(of: column.unit)
    // Function type 1: time response; the signal of its own number at node 1, without a reference.
    let identity =
      Self.padded("1", 5) + Self.padded("\(number)", 10) + Self.padded("1", 5)
      + Self.padded("0", 10) + " " + Self.line(column.name, 10).padding(10)
      + Self.padded("1", 10) + Self.padded("0", 4) + " " + "NONE".padding(10)
      + Self.padded("1", 10) + Self.padded("0", 4)
    // Ordinate type 2: real, single precision; evenly spaced.
    let form =
      Self.padded("2", 10) + Self.padded("\(frameCount)", 10) + Self.padded("1", 10)
      + Self.number(start) + Self.number(time) + Self.number(0)
    let lines = [
      "    -1", "    58", Self.line(column.name, 80), Self.line(title, 80), Self.line(date, 80),
      Self.line("\(rate), exactly; time 0 is at frame \(origin)", 80), "NONE", identity, form,
      Self.axis(17, "Time", "s"),
      Self.axis(kind, column.name, column.unit.rawValue), Self.axis(0, "NONE", "NONE"),
      Self.axis(0, "NONE", "NONE"),
    ]
    bytes += (lines.joined(separator: "\n") + "\n").utf8
    for first in stride(from: 0, to: frameCount, by: 6) {
      for frame in first..<min(first + 6, frameCount) {
        Self.append(column.samples[frame], to: &bytes)
      }
      bytes.append(10)
    }
    bytes += "    -1\n".utf8
  }

  /// The specific data type of dataset 58: 12 acceleration, 15 pressure, 1 general, 0 unknown.
  private static func kind(of unit: MeasurementUnit) -> Int {
    switch unit.dimension {
    case .acceleration: 12
    case .pressure: 15
    default: 1
    }
  }

  /// A record of an axis: its kind, no exponents of units, its name and its unit.
  private static func axis(_ kind: Int, _ name: String, _ unit: String) -> String {
    padded("\(kind)", 10) + padded("0", 5) + padded("0", 5) + padded("0", 5) + " "
      + line(name, 20).padding(20) + " " + line(unit, 20).padding(20)
  }

  /// A text of one line and of a length that fits, in ASCII.
  private static func line(_ text: String, _ length: Int) -> String {
    let line = String(
      text.prefix(length).map { $0.isASCII && $0.asciiValue.map { $0 >= 32 } == true ? $0 : "?" })
    return line.isEmpty ? "NONE" : line
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  /// A number in 13 columns, as the format's `1PE13.5`.
  private static func number(_ value: Double) -> String {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func append(_ value: Float, to bytes: inout [UInt8]) {
    append(Double(value), to: &bytes)
  }

  private static func append(_ value: Double, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      let count = withVaList([value]) { vsnprintf(buffer.baseAddress, 32, "%13.5e", $0) }
      for index in 0..<min(Int(count), 31) { bytes.append(UInt8(bitPattern: buffer[index])) }
    }
  }
}

extension String {
  fileprivate func padding(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - utf8.count))
  }
}
