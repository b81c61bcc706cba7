// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Actuators
import ChangeDetection
import Units

/// The last run of a plan and what its nights come to as OpenMetrics text, which Prometheus' node exporter and
/// Grafana read.
///
/// Values are in base units: seconds, ratios, decibels, hertz; the harmony index in points. A family for each kind of
/// reading holds the median over a pattern's takes and events, with the number it rests on and its standard
/// uncertainty in families of their own; `haprig_run_verdict` and, by aspect, `haprig_run_aspect_verdict` are 1
/// for the verdict that holds, as is `haprig_history_outcome` for the outcome. A reading that was not measured
/// has no sample: a gap is a gap, never 0. Equal records and histories give equal bytes.
package enum OpenMetricsReport {
  package static func text(record: RunRecord? = nil, history: HistoryReport? = nil) -> String {
    var page = OpenMetricsPage()
    if let record { write(record, to: &page) }
    if let history { write(history, to: &page) }
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
    page.gauge(
      "haprig_run_verdict", "1 for the verdict of the last run, else 0",
      Verdict.allCases.map { verdict in
        (run + [("verdict", verdict.rawValue)], record.verdict == verdict ? 1 : 0)
      })
    let words = Verdict.allCases.map(\.rawValue) + [AspectVerdict.notJudged]
    page.gauge(
      "haprig_run_aspect_verdict",
      "1 for the verdict of the last run on rig, timing or feel, else 0",
      record.verdicts.flatMap { aspect in
        words.map { word in
          let labels = [("aspect", aspect.aspect.rawValue), ("verdict", word)]
          return (run + labels, aspect.word == word ? 1 : 0)
        }
      })
    page.gauge(
      "haprig_run_duration_seconds", "how long the last run took", unit: "seconds",
      [(run, record.header.duration)])
    let build = [("software", record.run.software), ("calibration", record.run.calibration)]
    page.gauge(
      "haprig_run_build", "the version of haprig, and how the actuator is calibrated",
      [(run + build, 1)])
  }

  private static func write(
    _ readings: [Reading], _ kind: ReadingKind, isControl: Bool, run: [OpenMetricsPage.Label],
    to page: inout OpenMetricsPage
  ) {
    guard !readings.isEmpty else { return }
    let (unit, factor) = baseUnit(of: kind)
    let suffix = unit.isEmpty ? "" : "_" + unit
    let base = name(of: kind, isControl: isControl)
    let groups = Dictionary(grouping: readings) { [$0.pattern ?? "", $0.channel ?? ""] }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { key, members in
        let own = zip(["pattern", "channel"], key).filter { !$0.1.isEmpty }
        return (labels: run + own.map { ($0, $1) }, members: members)
      }
    func medians(_ value: (Reading) -> Double?) -> [OpenMetricsPage.Sample] {
      groups.compactMap { labels, members in
        let values = members.compactMap(value)
        return values.isEmpty ? nil : (labels, Statistics.median(values) * factor)
      }
    }
    page.gauge(base + suffix, kind.explanation, unit: unit, medians(\.value))
    let uncertainties = medians(\.uncertainty)
    if !uncertainties.isEmpty {
      page.gauge(
        base + "_uncertainty" + suffix, "median standard uncertainty of one such reading",
        unit: unit, uncertainties)
    }
    page.gauge(
      base + "_readings", "how many readings the median is of",
      groups.map { ($0.labels, Double($0.members.count)) })
  }

  private static func writeOnsets(
    _ record: RunRecord, run: [OpenMetricsPage.Label], to page: inout OpenMetricsPage
  ) {
    let onsets = record.readings
      .filter { $0.name == ReadingName(.latencyOnset) }.compactMap(\.value)
    // A sum of a histogram's samples must not fall: with a negative one there is no histogram.
    guard !onsets.isEmpty, onsets.allSatisfy({ $0 >= 0 }) else { return }
    let family = "haprig_latency_onset_distribution_seconds"
    page.begin(family, "histogram", "the onsets of the last run's isolated events", unit: "seconds")
    for edge in [0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2] {
      let count = onsets.count { $0 <= edge }
      page.sample(family + "_bucket", run + [("le", edge.description)], Double(count))
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

  private static func baseUnit(of kind: ReadingKind) -> (unit: String, factor: Double) {
    switch kind.unit {
    case .second: ("seconds", 1)
    case .hertz: ("hertz", 1)
    case .celsius: ("celsius", 1)
    case .decibel: ("decibels", 1)
    case .octave: ("octaves", 1)
    case .partsPerMillion: ("ratio", 1e-6)
    // A ratio goes from 0 to 1: points are none.
    case .one where kind.rawValue.hasPrefix("harmony"): ("points", 1)
    case .one: ("ratio", 1)
    case .metrePerSecondSquared: ("meters_per_second_squared", 1)
    default: ("", 1)
    }
  }

  private static func write(_ history: HistoryReport, to page: inout OpenMetricsPage) {
    let plan = [("rig", history.rig), ("plan", history.plan)]
    let holding = history.outcome
    page.gauge(
      "haprig_history_outcome", "1 for what the nights come to, else 0",
      HistoryReport.Outcome.allCases.map { outcome in
        (plan + [("outcome", outcome.rawValue)], outcome == holding ? 1 : 0)
      })
    page.gauge(
      "haprig_history_nights", "how many nights were looked at",
      [(plan, Double(history.nightCount))])
    if let newest = history.newestDay {
      page.gauge(
        "haprig_history_newest_night_timestamp_seconds",
        "the beginning of the newest night's day", unit: "seconds",
        [(plan, Double(newest) * 86_400)])
    }
    let standings = Dictionary(grouping: history.incidents, by: \.standing)
    page.gauge(
      "haprig_history_incidents",
      "things that happened: changes and suspicions that begin together, by what they lead to",
      Alarm.Standing.allCases.map { standing in
        (plan + [("standing", standing.rawValue)], Double(standings[standing]?.count ?? 0))
      })
    writeNightsToConfirm(history, plan, to: &page)
    let changes = history.changes
    let counts = Dictionary(grouping: changes, by: \.standing).mapValues(\.count)
    page.gauge(
      "haprig_history_changes", "changes of all series, by what they lead to",
      Alarm.Standing.allCases.filter { $0 != .suspected }.map { standing in
        (plan + [("standing", standing.rawValue)], Double(counts[standing] ?? 0))
      })
    page.gauge(
      "haprig_history_violations",
      "readings of the newest night outside the plan's limits, or required and not measured",
      [(plan, Double(history.violations.count))])
    // Of two changes of a series with one standing the later is told: labels name a sample once.
    var sizes: [[String]: (labels: [OpenMetricsPage.Label], day: Int, size: Double)] = [:]
    for change in changes
    where [.raised, .heldBack, .rigMoved, .unconfirmed].contains(change.standing) {
      let point = change.point
      guard point.uncertainty > 0 else { continue }
      let labels = labels(of: change)
      let words = labels.map(\.1)
      if let known = sizes[words], known.day > point.day { continue }
      let named = labels.filter { !$0.1.isEmpty }
      sizes[words] = (named, point.day, point.effect / point.uncertainty)
    }
    guard !sizes.isEmpty else { return }
    page.gauge(
      "haprig_history_change_sigmas",
      "the size of a change that needs a person, in its standard uncertainties",
      sizes.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
        (plan + $0.value.labels, $0.value.size)
      })
  }

  /// Of each incident on which the next nights decide, by what leads it; of two of a series with one
  /// standing that which is confirmed first.
  private static func writeNightsToConfirm(
    _ history: HistoryReport, _ plan: [OpenMetricsPage.Label], to page: inout OpenMetricsPage
  ) {
    var samples: [[String]: (labels: [OpenMetricsPage.Label], nights: Int)] = [:]
    for incident in history.incidents {
      guard let nights = incident.nightsToConfirm else { continue }
      let labels = labels(of: incident.lead)
      let words = labels.map(\.1)
      if let known = samples[words], known.nights <= nights { continue }
      samples[words] = (labels.filter { !$0.1.isEmpty }, nights)
    }
    guard !samples.isEmpty else { return }
    page.gauge(
      "haprig_history_nights_to_confirm",
      "how many more nights until what is suspected is confirmed, if they stay as the newest are",
      samples.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
        (plan + $0.value.labels, Double($0.value.nights))
      })
  }

  private static func labels(of change: HistoryReport.Change) -> [OpenMetricsPage.Label] {
    let key = change.alarm.key
    return [
      ("actuator", key.actuator), ("pattern", key.pattern), ("reading", key.reading),
      ("standing", change.standing.rawValue),
    ]
  }
}

private struct OpenMetricsPage {
  typealias Label = (String, String)
  typealias Sample = (labels: [Label], value: Double)

  private var text = ""

  mutating func gauge(_ name: String, _ help: String, unit: String = "", _ samples: [Sample]) {
    begin(name, "gauge", help, unit: unit)
    for (labels, value) in samples { sample(name, labels, value) }
  }

  /// Begins a family; every sample of it follows before the next begins.
  mutating func begin(_ name: String, _ kind: String, _ help: String, unit: String) {
    text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind)\n"
    if !unit.isEmpty { text += "# UNIT \(name) \(unit)\n" }
  }

  mutating func sample(_ name: String, _ labels: [Label], _ value: Double) {
    let labels = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    text += "\(name){\(labels)} \(value.description)\n"
  }

  consuming func finish() -> String { text + "# EOF\n" }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\\\"
      case "\"": "\\\""
      case "\n": "\\n"
      default: String(scalar)
      }
    }.joined()
  }
}
