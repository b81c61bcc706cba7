import Acceptance
import Devices
import Units

extension HTMLPage {
  /// Writes how the devices' streams went, where they kept count: set-up, breaks, jitter, scheduling.
  func writeStreams(to section: inout Markup) {
    let takes = record.patterns.flatMap { pattern in
      pattern.takes.compactMap { take in take.stream.map { (pattern.name, take.number, $0) } }
    }
    guard let first = takes.first else { return }
    for device in first.2.negotiations {
      section.element("p", ["class": "note"], text: Self.sentence(about: device))
    }
    for statement in first.2.statements {
      section.element("p", ["class": "note"], text: Self.sentence(stating: statement))
    }
    section.writeScroller("Streams of the run") { scroller in
      scroller.element("table") { table in
        table.element("caption", text: "Streams of the devices, take by take")
        table.writeTableHead(
          [
            "Pattern", "Take", "Start", "Xruns", "Late by at most, 99 %", "CPU share",
            "Scheduling",
          ])
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

  private static func sentence(about device: Negotiation) -> String {
    "\(device.direction): \(device.pcm), \(device.format.rawValue), \(device.channelCount) channels, "
      + "\(EngineeringFormat.significant(device.rate)) Hz, periods of \(device.periodFrames) in "
      + "\(device.bufferFrames) frames, \(device.access)"
      + (device.isConverted ? ", converted on the way" : "")
  }

  /// What a device says of itself, with its delays, which are part of what was measured.
  private static func sentence(stating statement: StreamStatistics.Statement) -> String {
    var parts: [String] = []
    if let volts = statement.fullScaleVolts {
      let text = EngineeringFormat.text(volts, .volt)
      parts.append(
        statement.knowsFullScale
          ? "full scale \(text)" : "it does not know its full scale, the rig file's \(text) counts")
    }
    for (delay, path) in [
      (statement.driveDelay, "from a drive frame to the voltage"),
      (statement.sensorDelay, "from an acceleration to its frame"),
    ] {
      if let delay { parts.append("\(EngineeringFormat.text(delay, .second)) \(path)") }
    }
    if let rate = statement.sensorRate {
      parts.append("sensors at \(EngineeringFormat.text(rate, .hertz))")
    }
    return "\(statement.device) by its own word: " + parts.joined(separator: "; ")
      + "; delays are not taken off what was measured"
  }

  private static func cells(of stream: StreamStatistics) -> [String] {
    let bound = stream.xrunsPerHourBound.map {
      " (at most \(EngineeringFormat.significant($0)) an hour)"
    }
    let jitter = stream.jitter?.bound(ofShare: 0.99).map { EngineeringFormat.text($0, .second) }
    let share = stream.cpuShare.map { "\(EngineeringFormat.fixed(100 * $0, 1)) %" }
    return [
      stream.start.kind.rawValue, "\(stream.xruns)\(bound ?? "")", jitter ?? "no thread",
      share ?? "no thread", stream.scheduling?.description ?? "in place",
    ]
  }
}
