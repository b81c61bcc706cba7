package import Acceptance
import Units

/// A run as JUnit XML, which continuous integration reads.
package enum JUnitReport {
  /// Writes a suite for each pattern and one for the run, with a case for each judged reading, and one of the
  /// verdicts on rig, timing and feel, which is skipped where it is not judged.
  ///
  /// A reading that fails is a failure. One that was not measured is skipped, or an error where the
  /// plan requires it. A marginal one passes and says so in its output. Equal records give equal
  /// bytes.
  package static func text(record: RunRecord) -> String {
    var markup = Markup()
    markup.writeVerbatim("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    let missing = record.missingReadings
    let scatter = ReadingScatter(record.readings)
    let verdicts = record.verdicts.map { AspectSummary($0, scatter) }
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
    markup.element(
      "testsuites",
      [
        "name": "\(record.plan.name) on \(record.rig.name)",
        "tests": "\(suites.reduce(0) { $0 + $1.cases.count })",
        "failures": "\(suites.reduce(0) { $0 + $1.count(.failure) })",
        "errors": "\(suites.reduce(0) { $0 + $1.count(.error) })",
        "skipped": "\(suites.reduce(0) { $0 + $1.count(.skipped) })",
        "time": EngineeringFormat.fixed(record.header.duration, 3),
      ]
    ) { root in
      root.breakLine()
      for suite in suites { suite.write(timestamp: record.header.date, to: &root) }
    }
    markup.breakLine()
    return markup.text
  }
}

/// The cases of one pattern, or of the run.
struct JUnitSuite {
  /// How a case came out, in JUnit's words.
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
  let cases: [Case]
  private let units: [(reading: String, unit: String)]

  /// Gathers the judged readings, the required ones that are missing, and how the run ended.
  init(
    _ pattern: String?, _ readings: [Reading], missing: [RunRecord.MissingReading],
    scatter: ReadingScatter, run: RunRecord.Run? = nil
  ) {
    name = pattern ?? "run"
    let judged = readings.filter { $0.verdict != nil }
    var cases = judged.map { reading in
      let isRequired = reading.value == nil && missing.contains { $0.name == reading.name }
      return Self.testCase(reading, isRequired: isRequired, scatter)
    }
    for absent in missing where !judged.contains(where: { $0.name == absent.name }) {
      cases.append(
        Case(
          name: absent.name.description, outcome: .error,
          message: "required but not measured: no such reading; limit: \(absent.limit)"))
    }
    if let run, run.status != .complete {
      cases.append(
        Case(
          name: "the run is complete", outcome: .error,
          message: run.reason ?? run.status.rawValue))
    }
    self.cases = cases
    units = ReadingKind.allCases.compactMap { kind in
      judged.contains { $0.name.kind == kind } ? (kind.rawValue, kind.unit.rawValue) : nil
    }
  }

  /// A case for rig, timing and feel each.
  init(_ verdicts: [AspectSummary]) {
    name = "verdicts"
    units = []
    cases = verdicts.map { aspect in
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
    }
  }

  /// How many cases came out in one way.
  func count(_ outcome: Outcome) -> Int { cases.count { $0.outcome == outcome } }

  func write(timestamp: String, to root: inout Markup) {
    root.element(
      "testsuite",
      [
        "name": name, "tests": "\(cases.count)", "failures": "\(count(.failure))",
        "errors": "\(count(.error))", "skipped": "\(count(.skipped))", "timestamp": timestamp,
      ]
    ) { suite in
      suite.breakLine()
      if !units.isEmpty {
        suite.element("properties") { properties in
          for (reading, unit) in units {
            properties.empty("property", ["name": "unit.\(reading)", "value": unit])
          }
        }
        suite.breakLine()
      }
      for testCase in cases {
        write(testCase, to: &suite)
        suite.breakLine()
      }
    }
    root.breakLine()
  }

  private func write(_ testCase: Case, to suite: inout Markup) {
    suite.element("testcase", ["classname": name, "name": testCase.name]) { element in
      switch testCase.outcome {
      case .passed: element.element("system-out", text: testCase.message)
      case .failure: element.empty("failure", ["type": "fail", "message": testCase.message])
      case .error: element.empty("error", ["type": "not measured", "message": testCase.message])
      case .skipped: element.empty("skipped", ["message": testCase.message])
      }
    }
  }

  private static func testCase(
    _ reading: Reading, isRequired: Bool, _ scatter: ReadingScatter
  ) -> Case {
    var name = Shown.name(of: reading)
    if let event = reading.event { name += ", event \(event)" }
    if let take = reading.take { name += ", take \(take)" }
    if let channel = reading.channel { name += ", channel \(channel)" }
    let limit = reading.limit.map { "; limit: \($0)" } ?? ""
    let note = reading.note.map { "; \($0)" } ?? ""
    let value = Shown.value(of: reading, scatter) ?? Verdict.notMeasured.rawValue
    let verdict = reading.verdict ?? .pass
    return switch verdict {
    case .pass: Case(name: name, outcome: .passed, message: value + limit + note)
    case .marginal: Case(name: name, outcome: .passed, message: "marginal: \(value)\(limit)\(note)")
    case .fail: Case(name: name, outcome: .failure, message: value + limit + note)
    case .notMeasured:
      Case(
        name: name, outcome: isRequired ? .error : .skipped,
        message: (isRequired ? "required but " : "") + value + limit + note)
    }
  }
}
