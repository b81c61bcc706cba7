/// OpenMetrics text as it is written: a family's head, then its samples.
struct OpenMetricsPage {
  enum Kind: String {
    case gauge
    case histogram
  }

  private var text = ""

  /// Begins a family; every sample of it follows before the next begins.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String, unit: String = "") {
    text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n"
    if !unit.isEmpty { text += "# UNIT \(name) \(unit)\n" }
  }

  /// Writes a sample with its labels.
  mutating func sample(_ name: String, _ labels: [(String, String)], _ value: Double) {
    let labels = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    text += "\(name){\(labels)} \(value.description)\n"
  }

  /// The whole page.
  consuming func finish() -> String { text + "# EOF\n" }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
