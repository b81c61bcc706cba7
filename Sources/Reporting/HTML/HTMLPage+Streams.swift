import Acceptance
import JSONText
import Units

extension HTMLPage {
  /// Writes how the devices' streams went, where they kept count: set-up, breaks, jitter, scheduling.
  func writeStreams(to section: inout Markup) {
    let takes = record.patterns.flatMap { pattern in
      pattern.takes.compactMap { take in take.stream.map { (pattern.name, take.number, $0) } }
    }
    guard let first = takes.first else { return }
    for device in first.2["devices"]?.elements ?? [] {
      section.element("p", ["class": "note"], text: Self.sentence(about: device))
    }
    for statement in first.2["stated"]?.elements ?? [] {
      section.element("p", ["class": "note"], text: Self.sentence(stating: statement))
    }
    section.writeScroller("Streams of the run") { scroller in
      scroller.element("table") { table in
        table.element("caption", text: "Streams of the devices, take by take")
        Self.writeHead(
          [
            "Pattern", "Take", "Start", "Xruns", "Late by at most, 99 %", "CPU share",
            "Scheduling",
          ],
          to: &table)
        table.element("tbody") { body in
          for (name, number, stream) in takes {
            body.element("tr") { row in
              row.element("th", ["scope": "row"], text: name)
              for text in ["\(number)"] + Self.cells(of: stream) { row.element("td", text: text) }
            }
          }
        }
      }
    }
  }

  private static func sentence(about device: JSONValue) -> String {
    func text(_ key: String) -> String {
      guard let value = device[key] else { return "" }
      return value.string ?? value.integer.map(String.init)
        ?? value.number.map { EngineeringFormat.significant($0) } ?? ""
    }
    let converted = device["converted"]?.bool == true ? ", converted on the way" : ""
    return "\(text("direction")): \(text("pcm")), \(text("format")), \(text("channels")) channels, "
      + "\(text("rate")) Hz, periods of \(text("period")) in \(text("buffer")) frames, "
      + "\(text("access"))\(converted)"
  }

  /// What a device says of itself, with its delays, which are part of what was measured.
  private static func sentence(stating statement: JSONValue) -> String {
    let device = statement["device"]?.string ?? "the device"
    var parts: [String] = []
    if let volts = statement["fullScale"]?.number {
      let text = EngineeringFormat.text(volts, .volt)
      parts.append(
        statement["fullScaleFrom"]?.string == "rig file"
          ? "it does not know its full scale, the rig file's \(text) counts"
          : "full scale \(text)")
    }
    for (key, path) in [
      ("driveDelay", "from a drive frame to the voltage"),
      ("sensorDelay", "from an acceleration to its frame"),
    ] {
      if let delay = statement[key]?.number {
        parts.append("\(EngineeringFormat.text(delay, .second)) \(path)")
      }
    }
    if let rate = statement["sensorRate"]?.number {
      parts.append("sensors at \(EngineeringFormat.text(rate, .hertz))")
    }
    return "\(device) by its own word: " + parts.joined(separator: "; ")
      + "; delays are not taken off what was measured"
  }

  private static func cells(of stream: JSONValue) -> [String] {
    let bound = stream["xrunsPerHourAtMost"]?.number.map {
      " (at most \(EngineeringFormat.significant($0)) an hour)"
    }
    let xruns = stream["xruns"]?.integer ?? 0
    let jitter = stream["jitter"]?["p99"]?.number.map { EngineeringFormat.text($0, .second) }
    let share = stream["cpuShare"]?.number.map { "\(EngineeringFormat.fixed(100 * $0, 1)) %" }
    return [
      stream["start"]?["how"]?.string ?? "", "\(xruns)\(bound ?? "")", jitter ?? "no thread",
      share ?? "no thread", stream["scheduling"]?.string ?? "in place",
    ]
  }
}
