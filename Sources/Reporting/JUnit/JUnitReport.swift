public import Acceptance
import Units

/// A run as JUnit XML, which continuous integration reads.
public enum JUnitReport {
  /// Writes a suite for each pattern and one for the run, with a case for each judged reading, and one of the
  /// verdicts on rig, timing and feel, which is skipped where it is not judged.
  ///
  /// A reading that fails is a failure. One that was not measured is skipped, or an error where the
  /// plan requires it. A marginal one passes and says so in its output. Equal records give equal
  /// bytes.
  ///
  /// - Parameter record: The run.
  /// - Returns: The XML document.
  public static func text(record: RunRecord) -> String {
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
