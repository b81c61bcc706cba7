package import Acceptance
import ChangeDetection
import Units

/// The last run of a plan as OpenMetrics text, which Prometheus' node exporter and Grafana read.
///
/// Values are in base units: seconds, ratios, decibels, hertz; harmony in points of 100. A family for each kind of reading holds
/// the median over a pattern's takes and events, with the number it rests on and its standard
/// uncertainty in families of their own; `haprig_run_verdict` and, by aspect, `haprig_run_aspect_verdict` are 1
/// for the verdict that holds.
package enum OpenMetricsReport {
  /// Writes the text.
  ///
  /// A reading that was not measured has no sample: a gap is a gap, never 0. Equal records give equal
  /// bytes.
  package static func text(record: RunRecord) -> String {
    var page = OpenMetricsPage()
    write(record, to: &page)
    return page.finish()
  }

  /// Writes the last run and what the nights come to as one text.
  package static func text(record: RunRecord, history: HistoryReport) -> String {
    var page = OpenMetricsPage()
    write(record, to: &page)
    write(history, to: &page)
    return page.finish()
  }

  private static func write(_ record: RunRecord, to page: inout OpenMetricsPage) {
    let run = [
      ("rig", record.rig.name), ("actuator", record.actuator.id), ("plan", record.plan.name),
    ]
    for isControl in [false, true] {
      for kind in ReadingKind.allCases {
        let readings = record.readings.filter {
          $0.name == ReadingName(kind, isControl: isControl) && $0.value != nil
        }
        write(readings, kind, isControl: isControl, run: run, to: &page)
      }
    }
    writeOnsets(record, run: run, to: &page)
    page.begin("haprig_run_verdict", .gauge, "1 for the verdict of the last run, else 0")
    for verdict in Verdict.allCases {
      page.sample(
        "haprig_run_verdict", run + [("verdict", verdict.rawValue)],
        record.verdict == verdict ? 1 : 0)
    }
    page.begin(
      "haprig_run_aspect_verdict", .gauge,
      "1 for the verdict of the last run on rig, timing or feel, else 0")
    for aspect in record.verdicts {
      for word in Verdict.allCases.map(\.rawValue) + [AspectVerdict.notJudged] {
        page.sample(
          "haprig_run_aspect_verdict",
          run + [("aspect", aspect.aspect.rawValue), ("verdict", word)],
          aspect.word == word ? 1 : 0)
      }
    }
    page.begin(
      "haprig_run_duration_seconds", .gauge, "how long the last run took", unit: "seconds")
    page.sample("haprig_run_duration_seconds", run, record.header.duration)
    page.begin(
      "haprig_run_build", .gauge, "the version of haprig, and how the actuator is calibrated")
    page.sample(
      "haprig_run_build",
      run + [("software", record.run.software), ("calibration", record.run.calibration)], 1)
  }

  private static func write(
    _ readings: [Reading], _ kind: ReadingKind, isControl: Bool, run: [(String, String)],
    to page: inout OpenMetricsPage
  ) {
    guard !readings.isEmpty else { return }
    let measure = BaseMeasure(kind)
    let base = name(of: kind, isControl: isControl)
    let groups = Dictionary(grouping: readings) { [$0.pattern ?? "", $0.channel ?? ""] }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    let labelled = groups.map { key, members in
      (
        run + zip(["pattern", "channel"], key).filter { !$0.1.isEmpty }.map { ($0, $1) }, members
      )
    }
    page.begin(base + measure.suffix, .gauge, kind.definition, unit: measure.unit)
    for (labels, members) in labelled {
      page.sample(
        base + measure.suffix, labels,
        Statistics.median(members.compactMap(\.value)) * measure.factor)
    }
    let uncertain = labelled.map { ($0.0, $0.1.compactMap(\.uncertainty)) }
      .filter { !$0.1.isEmpty }
    if !uncertain.isEmpty {
      let family = base + "_uncertainty" + measure.suffix
      page.begin(
        family, .gauge, "median standard uncertainty of one such reading", unit: measure.unit)
      for (labels, values) in uncertain {
        page.sample(family, labels, Statistics.median(values) * measure.factor)
      }
    }
    page.begin(base + "_readings", .gauge, "how many readings the median is of")
    for (labels, members) in labelled {
      page.sample(base + "_readings", labels, Double(members.count))
    }
  }

  /// The onsets of a run's events as a histogram.
  private static func writeOnsets(
    _ record: RunRecord, run: [(String, String)], to page: inout OpenMetricsPage
  ) {
    let onsets = record.readings
      .filter { $0.name == ReadingName(.latencyOnset) }.compactMap(\.value)
    // A sum of a histogram's samples must not fall: with a negative one there is no histogram.
    guard !onsets.isEmpty, onsets.allSatisfy({ $0 >= 0 }) else { return }
    let family = "haprig_latency_onset_distribution_seconds"
    page.begin(family, .histogram, "the onsets of the last run's isolated events", unit: "seconds")
    for edge in [0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2] {
      page.sample(
        family + "_bucket", run + [("le", edge.description)],
        Double(onsets.count { $0 <= edge }))
    }
    page.sample(family + "_bucket", run + [("le", "+Inf")], Double(onsets.count))
    page.sample(family + "_sum", run, onsets.reduce(0, +))
    page.sample(family + "_count", run, Double(onsets.count))
  }

  /// The name of a family: `latency.electrical` is `haprig_latency_electrical`.
  private static func name(of kind: ReadingKind, isControl: Bool) -> String {
    var name = isControl ? "haprig_control_" : "haprig_"
    for character in kind.rawValue {
      switch character {
      case ".": name += "_"
      case _ where character.isUppercase: name += "_" + character.lowercased()
      default: name.append(character)
      }
    }
    return name
  }
}

/// A unit as OpenMetrics names it, and the factor to it.
private struct BaseMeasure {
  let unit: String
  let factor: Double

  init(_ kind: ReadingKind) {
    (unit, factor) =
      switch kind.unit {
      case .second: ("seconds", 1)
      case .hertz: ("hertz", 1)
      case .decibel: ("decibels", 1)
      case .octave: ("octaves", 1)
      case .partsPerMillion: ("ratio", 1e-6)
      // A ratio goes from 0 to 1: points of a hundred are none.
      case .one where kind.rawValue.hasPrefix("harmony"): ("points", 1)
      case .one: ("ratio", 1)
      case .metrePerSecondSquared: ("meters_per_second_squared", 1)
      default: ("", 1)
      }
  }

  var suffix: String { unit.isEmpty ? "" : "_" + unit }
}

extension OpenMetricsReport {
  /// Writes what the nights of a plan come to, for alerts and dashboards.
  ///
  /// `haprig_history_outcome` is 1 for the outcome that holds; `haprig_history_changes` counts changes by
  /// their standing, and `haprig_history_change_sigmas` has the size of each that needs a person, in its own
  /// standard uncertainties. Equal histories give equal bytes.
  package static func text(history: HistoryReport) -> String {
    var page = OpenMetricsPage()
    write(history, to: &page)
    return page.finish()
  }

  static func write(_ history: HistoryReport, to page: inout OpenMetricsPage) {
    let plan = [("rig", history.rig), ("plan", history.plan)]
    page.begin("haprig_history_outcome", .gauge, "1 for what the nights come to, else 0")
    for outcome in HistoryReport.Outcome.allCases {
      page.sample(
        "haprig_history_outcome", plan + [("outcome", outcome.rawValue)],
        history.outcome == outcome ? 1 : 0)
    }
    page.begin("haprig_history_nights", .gauge, "how many nights were looked at")
    page.sample("haprig_history_nights", plan, Double(history.nightCount))
    if let newest = history.newestDay {
      let family = "haprig_history_newest_night_timestamp_seconds"
      page.begin(family, .gauge, "the beginning of the newest night's day", unit: "seconds")
      page.sample(family, plan, Double(newest) * 86_400)
    }
    page.begin("haprig_history_changes", .gauge, "changes of all series, by what they lead to")
    for standing in Alarm.Standing.allCases {
      page.sample(
        "haprig_history_changes", plan + [("standing", standing.rawValue)],
        Double(history.changes(standing).count))
    }
    page.begin(
      "haprig_history_violations", .gauge,
      "readings of the newest night outside the plan's limits, or required and not measured")
    page.sample("haprig_history_violations", plan, Double(history.violations.count))
    writeSizes(history, plan, to: &page)
  }

  private static func writeSizes(
    _ history: HistoryReport, _ plan: [(String, String)], to page: inout OpenMetricsPage
  ) {
    // Of two changes of a series with one standing the later is told: labels name a sample once.
    var sizes: [[String]: (labels: [(String, String)], day: Int, size: Double)] = [:]
    for change in history.changes
    where [.raised, .heldBack, .rigMoved, .unconfirmed].contains(change.standing) {
      let key = change.alarm.key
      let labels = [
        ("actuator", key.actuator), ("pattern", key.pattern), ("reading", key.reading),
        ("standing", change.standing.rawValue),
      ]
      let point = change.point
      guard point.uncertainty > 0 else { continue }
      let words = labels.map(\.1)
      if let known = sizes[words], known.day > point.day { continue }
      sizes[words] = (
        labels.filter { !$0.1.isEmpty }, point.day, point.effect / point.uncertainty
      )
    }
    guard !sizes.isEmpty else { return }
    page.begin(
      "haprig_history_change_sigmas", .gauge,
      "the size of a change that needs a person, in its standard uncertainties")
    for (_, sample) in sizes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      page.sample("haprig_history_change_sigmas", plan + sample.labels, sample.size)
    }
  }
}

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
