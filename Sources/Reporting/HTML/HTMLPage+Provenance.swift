import Acceptance
import Actuators
import Units

extension HTMLPage {
  /// Writes the readings that belong to no single pattern.
  func writeRunReadings(to main: inout Markup) {
    let readings = readings(of: nil)
    main.writeSection("run", "Readings of the run") { section in
      if readings.isEmpty {
        section.element("p", ["class": "note"], text: "No reading was taken of the run as a whole.")
      } else {
        ReadingTable(caption: "Readings of the run", readings: readings, scatter: summary.scatter)
          .write(to: &section)
      }
    }
  }

  /// Writes what the run was made with: rig, actuator, laws, limits, files; and a glossary.
  func writeProvenance(to main: inout Markup) {
    main.writeSection("provenance", "Rig, laws and files") { section in
      section.element("div", ["class": "columns"]) { columns in
        columns.writeFacts("Rig", rigFacts)
        columns.writeFacts("Actuator", actuatorFacts)
        columns.writeFacts("Laws", lawFacts)
        columns.writeFacts("Run", runFacts)
      }
      writeSetup(to: &section)
      writeLimits(to: &section)
      writeEnvironment(to: &section)
      writeFiles(to: &section)
      writeHashes(to: &section)
      writeStreams(to: &section)
      if charts == nil {
        section.element(
          "p", ["class": "note"],
          text:
            "Pictures stand still: dygraphs (libjs-dygraphs) was not installed where this page was "
            + "written.")
      }
      writeGlossary(to: &section)
    }
  }

  private typealias Facts = [(term: String, value: String)]

  private var rigFacts: Facts {
    let rig = record.rig
    let channels = rig.driveChannels.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    return [
      ("name", rig.name), ("device", rig.device),
      ("rate", EngineeringFormat.text(rig.rate, .hertz)),
      ("full scale", EngineeringFormat.text(rig.fullScaleVolts, .volt) + " peak at drive 1"),
      ("drive channels", channels.map { "\($0.value) \($0.key)" }.joined(separator: ", ")),
    ]
  }

  private var actuatorFacts: Facts {
    let actuator = record.actuator
    return [
      ("id", actuator.id), ("model", actuator.model), ("kind", actuator.kind.rawValue),
      ("continuous limit", EngineeringFormat.text(actuator.limits.continuousVolts, .voltRMS)),
      ("peak limit", EngineeringFormat.text(actuator.limits.peakVolts, .volt)),
    ]
  }

  private var lawFacts: Facts {
    record.run.laws.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [
      (
        "intensity 1",
        EngineeringFormat.text(record.run.referenceLevel, .decibel) + " above threshold"
      ),
      ("calibration", record.run.calibration),
    ]
  }

  private var runFacts: Facts {
    [
      ("status", record.run.status.rawValue), ("software", record.run.software),
      ("seed", "\(record.run.seed)"), ("date", record.header.date), ("host", record.header.host),
      ("duration", Shown.seconds(record.header.duration)), ("folder", record.header.folder),
    ]
  }

  private func writeLimits(to section: inout Markup) {
    guard !record.plan.limits.isEmpty else { return }
    section.writeScroller("Limits of the plan") { scroller in
      scroller.element("table") { table in
        table.element("caption", text: "Limits of the plan \(record.plan.name)")
        table.writeTableHead(["Reading", "Limit", "Of", "Required", "Patterns"])
        table.element("tbody") { body in
          for limit in record.plan.limits {
            body.element("tr") { row in
              row.element("th", ["scope": "row"], text: limit.reading.description)
              row.element("td", text: limit.text)
              row.element(
                "td", text: limit.aspect.title + (limit.isCalibratedOnly ? ", calibrated" : ""))
              row.element("td", text: limit.required ? "yes" : "no")
              row.element(
                "td", ["class": "words"],
                text: limit.patterns.isEmpty ? "all" : limit.patterns.joined(separator: ", "))
            }
          }
        }
      }
    }
  }

  private func writeFiles(to section: inout Markup) {
    let takes = record.patterns.flatMap { pattern in pattern.takes.map { (pattern.name, $0) } }
    guard takes.contains(where: { $0.1.drive != nil || $0.1.response != nil }) else { return }
    section.element("details", takes.count <= 16 ? ["open": ""] : [:]) { details in
      details.element("summary", text: "Recordings of \(Count.of(takes.count, "take"))")
      Self.write(takes, to: &details)
    }
  }

  private static func write(
    _ takes: [(String, RunRecord.Take)], to section: inout Markup
  ) {
    section.writeScroller("Recordings of the run") { scroller in
      scroller.element("table") { table in
        table.element("caption", text: "Recordings, beside this page")
        table.writeTableHead(["Pattern", "Take", "Drive", "Response", "Time 0 at frame"])
        table.element("tbody") { body in
          for (name, take) in takes {
            body.element("tr") { row in
              row.element("th", ["scope": "row"], text: name)
              row.element("td", text: "\(take.number)")
              write(take.drive, take.driveChannels, to: &row)
              write(take.response, take.responseChannels, to: &row)
              row.element("td", text: "\(take.patternFrame)")
            }
          }
        }
      }
    }
  }

  private static func write(
    _ file: String?, _ channels: [RunRecord.FileChannel], to row: inout Markup
  ) {
    row.element("td") { cell in
      guard let file else {
        cell.element("span", ["class": "absent"], text: "not kept")
        return
      }
      cell.element("a", ["href": address(of: file)], text: file)
      let words = channels.map { "\($0.name) (\(Shown.typeset($0.unit.rawValue)))" }
      cell.element("span", ["class": "detail"], text: words.joined(separator: ", "))
    }
  }

  /// The address of a file beside the page; its leading dot keeps a name from being a scheme.
  static func address(of file: String) -> String {
    let hexadecimal = Array("0123456789ABCDEF")
    return file.utf8.reduce(into: "./") { address, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "/"):
        address.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        address += "%\(hexadecimal[Int(byte >> 4)])\(hexadecimal[Int(byte & 15)])"
      }
    }
  }

  private func writeGlossary(to section: inout Markup) {
    let kinds = ReadingKind.allCases.filter { kind in
      record.readings.contains { $0.name.kind == kind }
    }
    guard !kinds.isEmpty else { return }
    section.element("details") { details in
      details.element("summary", text: "What the readings mean")
      details.element(
        "p", ["class": "note"],
        text: "Errors are measured minus intended. ± is one standard uncertainty: the larger "
          + "of what a reading states of itself and of how it scatters over the takes. A reading under "
          + "\"control.\" was taken of the control instead of the device under test.")
      details.element("dl", ["class": "list wide"]) { list in
        for kind in kinds {
          list.element("dt", text: kind.rawValue)
          list.element("dd", text: kind.definition)
        }
      }
    }
  }
}
