private import Glibc
import Units

extension SensorFile {
  /// The file's text, the same for the same content.
  ///
  /// Values are read back as the same to six digits, uncertainties to three.
  public var text: String {
    var lines = [
      "format: \(Self.format)", "version: \(Self.version)", "sensor: \(Self.quoted(sensor))",
      "date: \(Self.quoted(date))", "method: \(method.rawValue)",
      "program: \(Self.quoted(program))", "rig: \(Self.quoted(rig))", "axes:",
    ]
    for axis in axes {
      lines.append("  \(Self.quoted(axis.name)):")
      lines += axis.lines.map { "    " + $0 }
    }
    if let assumed {
      lines += [
        "assumed:", "  gravity: \(number(assumed.gravity)) m/s2",
        "  gravity-uncertainty: \(percent(assumed.gravityUncertainty))",
        "  tilt: \(number(assumed.tilt)) deg",
      ]
    }
    if let reference {
      lines += [
        "reference:", "  channel: \(Self.quoted(reference.channel))",
        "  uncertainty: \(percent(reference.uncertainty))",
      ]
      if let date = reference.date { lines.append("  date: \(Self.quoted(date))") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A text as a YAML scalar: plain where it is a word, in double quotes where it is not.
  private static func quoted(_ text: String) -> String {
    let isWord = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E
    }
    if isWord, !text.isEmpty, !text.hasPrefix("-"), !text.hasPrefix(".") { return text }
    let escaped = text.map { character in
      switch character {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n", "\r", "\r\n", "\t": " "
      default: String(character)
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}

extension SensorFile.Scale {
  /// The key and the value, `sensitivity: 10.2 mV/g` or `factor: 1.023`.
  ///
  /// The key is the same in the file and where a person is told.
  public var text: String {
    switch self {
    case .sensitivity(let value):
      "sensitivity: \(number(value / MeasurementUnit.millivoltPerGravity.factor)) mV/g"
    case .factor(let value): "factor: \(number(value))"
    }
  }
}

extension SensorFile.Axis {
  fileprivate var lines: [String] {
    var lines = ["channel: \(channel)", scale.text, "uncertainty: \(percent(uncertainty))"]
    if let previous { lines.append("before: {\(previous.text)}") }
    if let offset {
      lines.append("offset: \(number(offset.value)) m/s2")
      lines.append("offset-uncertainty: \(number(offset.uncertainty, digits: 3)) m/s2")
    }
    if let noise { lines.append("noise: \(number(noise, digits: 3)) m/s2") }
    if let delay {
      lines.append("delay: \(number(delay.value * 1e6)) us")
      lines.append("delay-uncertainty: \(number(delay.uncertainty * 1e6, digits: 3)) us")
    }
    if !flatness.isEmpty {
      lines.append("flatness:")
      lines += flatness.map {
        "  - {frequency: \(number($0.frequency, digits: 4)) Hz, ratio: \(number($0.ratio)), "
          + "uncertainty: \(percent($0.uncertainty))}"
      }
    }
    return lines
  }
}

/// A number with so many digits, of which the last zeros are left out.
private func number(_ value: Double, digits: Int = 6) -> String {
  guard value != 0, value.isFinite else { return "0" }
  let shift = digits - 1 - Int(log10(abs(value)).rounded(.down))
  // Whole numbers and powers of ten are exact, so that the quotient is the nearest to its decimals.
  let power = pow(10, Double(abs(shift)))
  let rounded = shift >= 0 ? (value * power).rounded() / power : (value / power).rounded() * power
  let text = "\(rounded)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// An uncertainty as a share: three digits of it are known.
private func percent(_ ratio: Double) -> String { "\(number(ratio * 100, digits: 3)) %" }
