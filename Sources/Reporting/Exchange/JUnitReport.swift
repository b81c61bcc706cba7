// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Actuators
import Units

package enum JUnitReport {
  /// Writes a suite for each pattern, one for the run, with a case for each judged reading, and one of the
  /// verdicts on rig, timing and feel.
  ///
  /// What was not measured is skipped, or an error where the plan requires it; a marginal one passes.
  package static func text(record: RunRecord) -> String {
    var markup = Markup()
    markup.writeVerbatim("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    let missing = record.missingReadings
    let scatter = ReadingScatter(record.readings)
    let verdicts = record.verdicts.map { AspectSummary($0, scatter, for: .program) }
    let readings = Dictionary(grouping: record.readings, by: \.shownPattern)
    let suites =
      record.patterns.map { pattern in
        JUnitSuite(
          pattern.name, readings[pattern.name] ?? [],
          missing: missing.filter { $0.pattern == pattern.name && !$0.name.isControl },
          scatter: scatter)
      } + [
        JUnitSuite(
          nil, readings[String?.none] ?? [],
          missing: missing.filter { $0.pattern == nil || $0.name.isControl }, scatter: scatter,
          run: record.run),
        JUnitSuite(verdicts),
      ]
    let all = JUnitSuite(name: "", cases: suites.flatMap(\.cases))
    let time = EngineeringFormat.fixed(record.header.duration, 3)
    markup.element(
      "testsuites",
      all.attributes("\(record.plan.name) on \(record.rig.name)", "time", time)
    ) { root in
      root.breakLine()
      for suite in suites { suite.write(timestamp: record.header.date, to: &root) }
    }
    markup.breakLine()
    return markup.text
  }
}

private struct JUnitSuite {
  enum Outcome {
    case passed
    case failure
    case error
    case skipped
  }

  struct Case {
    let name: String
    let outcome: Outcome
    /// What the outcome's message says, or the output of a case that passed.
    let message: String
  }

  let name: String
  var cases: [Case]
  private var units: [(reading: String, unit: String)] = []

  init(name: String, cases: [Case]) {
    self.name = name
    self.cases = cases
  }

  init(
    _ pattern: String?, _ readings: [Reading], missing: [RunRecord.MissingReading],
    scatter: ReadingScatter, run: RunRecord.Run? = nil
  ) {
    let judged = readings.filter { $0.verdict != nil }
    self.init(
      name: pattern ?? "run",
      cases: judged.map { reading in
        let isRequired = reading.value == nil && missing.contains { $0.name == reading.name }
        return Self.testCase(reading, isRequired: isRequired, scatter)
      })
    for absent in missing where !judged.contains(where: { $0.name == absent.name }) {
      cases.append(
        Case(
          name: absent.name.description, outcome: .error,
          message: "required but not measured: no such reading; limit: \(absent.limit)"))
    }
    if let run, run.status != .complete {
      cases.append(
        Case(
          name: "the run is complete", outcome: .error, message: run.reason ?? run.status.rawValue))
    }
    units = judged.kinds.map { ($0.rawValue, $0.unit.rawValue) }
  }

  init(_ verdicts: [AspectSummary]) {
    self.init(
      name: "verdicts",
      cases: verdicts.map { aspect in
        let outcome: Outcome =
          switch aspect.verdict.verdict {
          case .pass, .marginal: .passed
          case .fail: .failure
          case .notMeasured: .error
          case nil: .skipped
          }
        let reason = aspect.verdict.absence?.rawValue ?? aspect.reason
        return Case(
          name: aspect.title, outcome: outcome, message: "\(aspect.verdict.word): \(reason)")
      })
  }

  /// What stands of a suite, or of all of them, in its head.
  func attributes(_ name: String, _ last: String, _ value: String) -> Markup.Attributes {
    func count(_ outcome: Outcome) -> String { "\(cases.count { $0.outcome == outcome })" }
    return [
      "name": name, "tests": "\(cases.count)", "failures": count(.failure),
      "errors": count(.error), "skipped": count(.skipped), last: value,
    ]
  }

  func write(timestamp: String, to root: inout Markup) {
    root.element("testsuite", attributes(name, "timestamp", timestamp)) { suite in
      suite.breakLine()
      if !units.isEmpty {
        suite.element("properties", each: units) { properties, unit in
          properties.empty("property", ["name": "unit.\(unit.reading)", "value": unit.unit])
        }
        suite.breakLine()
      }
      for testCase in cases {
        suite.element("testcase", ["classname": name, "name": testCase.name]) { element in
          let message = testCase.message
          switch testCase.outcome {
          case .passed: element.element("system-out", text: message)
          case .failure: element.empty("failure", ["type": "fail", "message": message])
          case .error: element.empty("error", ["type": "not measured", "message": message])
          case .skipped: element.empty("skipped", ["message": message])
          }
        }
        suite.breakLine()
      }
    }
    root.breakLine()
  }

  private static func testCase(
    _ reading: Reading, isRequired: Bool, _ scatter: ReadingScatter
  ) -> Case {
    var name = Shown.name(of: reading, for: .program)
    if let event = reading.event { name += ", event \(event)" }
    if let take = reading.take { name += ", take \(take)" }
    if let channel = reading.channel { name += ", channel \(channel)" }
    var message = Shown.value(of: reading, scatter, for: .program) ?? Verdict.notMeasured.rawValue
    if let limit = reading.limit { message += "; limit: \(limit)" }
    if let note = reading.note { message += "; \(note)" }
    return switch reading.verdict ?? .pass {
    case .pass: Case(name: name, outcome: .passed, message: message)
    case .marginal: Case(name: name, outcome: .passed, message: "marginal: " + message)
    case .fail: Case(name: name, outcome: .failure, message: message)
    case .notMeasured where isRequired:
      Case(name: name, outcome: .error, message: "required but " + message)
    case .notMeasured: Case(name: name, outcome: .skipped, message: message)
    }
  }
}

/// The readings of a run as comma-separated values (RFC 4180), for spreadsheets.
package enum ReadingsCSV {
  /// Writes a line for each reading, in the order of the record.
  ///
  /// What is not known is an empty field, never 0. Equal records give equal bytes.
  package static func text(record: RunRecord) -> String {
    let columns = [
      "run", "date", "rig", "actuator", "plan", "pattern", "take", "event", "channel", "reading",
      "value", "uncertainty", "unit", "count", "limit", "verdict", "note",
      "differencesUncertainty",
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
          reading.differencesUncertainty.map(\.description) ?? "",
        ]
      lines.append(fields.map(field).joined(separator: ","))
    }
    return lines.map { $0 + "\r\n" }.joined()
  }

  /// A cell as RFC 4180 has it.
  ///
  /// What a spreadsheet would run as a formula gets an apostrophe before it: names of patterns are anybody's text.
  static func field(_ text: String) -> String {
    let isFormula = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
    let cell = isFormula && Double(text) == nil ? "'" + text : text
    guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return cell }
    var quoted = "\""
    for character in cell.unicodeScalars {
      quoted.unicodeScalars.append(character)
      if character == "\"" { quoted.unicodeScalars.append(character) }
    }
    return quoted + "\""
  }
}
