import Acceptance
import Units

/// A row a reading of the run: those of the run itself, and those of all takes that tell of the rig.
struct RunTable {
  private struct Row {
    let name: String
    let text: String
    let count: Int?
    let verdict: Verdict?
  }

  /// Readings of takes that are drawn together, since they tell of the rig and not of a pattern.
  private static let ofRig: [(kind: ReadingKind, rule: Headline.Rule)] = [
    (.latencyElectrical, .mean), (.drift, .mean), (.noiseFloor, .mean), (.xruns, .sum),
    (.dropouts, .sum), (.overloads, .sum),
  ]

  private let rows: [Row]

  init(_ record: RunRecord, _ scatter: ReadingScatter) {
    var rows: [Row] = []
    for (kind, rule) in Self.ofRig {
      let name = ReadingName(kind)
      let readings = record.readings.filter { $0.name == name && $0.pattern != nil }
      if let row = Self.row(name, readings, rule, scatter) { rows.append(row) }
    }
    rows += record.readings.filter { !$0.name.isControl && $0.pattern == nil }.map {
      Self.row($0, scatter)
    }
    // The control's names in the order in which they stand first.
    var names: [ReadingName] = []
    for reading in record.readings where reading.name.isControl && !names.contains(reading.name) {
      names.append(reading.name)
    }
    let shown = record.limits.map(\.reading)
    for name in names where Self.controls.contains(name.kind) || shown.contains(name) {
      let rule = Self.ofRig.first { $0.kind == name.kind }?.rule ?? .mean
      if let row = Self.row(name, record.readings.filter { $0.name == name }, rule, scatter) {
        rows.append(row)
      }
    }
    self.rows = rows
  }

  /// What the control shows besides what the plan limits.
  private static let controls: Set<ReadingKind> = [
    .latencyElectrical, .latencyTransport, .syncAudioHaptic, .drift,
  ]

  private static func row(
    _ name: ReadingName, _ readings: [Reading], _ rule: Headline.Rule, _ scatter: ReadingScatter
  ) -> Row? {
    guard let headline = Headline(readings, rule, scatter: scatter) else { return nil }
    guard headline.value != nil else {
      return Row(
        name: name.description,
        text: "not measured: \(readings.compactMap(\.note).first ?? "no reason given")",
        count: nil, verdict: .notMeasured)
    }
    // One take of many that has none keeps its own verdict; the others' is told here.
    let judged = readings.filter { $0.limit != nil && $0.value != nil }.compactMap(\.verdict)
    return Row(
      name: name.description, text: headline.text ?? "", count: headline.count,
      verdict: judged.isEmpty ? nil : Verdict.worst(judged))
  }

  private static func row(_ reading: Reading, _ scatter: ReadingScatter) -> Row {
    let name = reading.name.description
    guard let text = Shown.value(of: reading, scatter) else {
      return Row(
        name: name, text: "not measured: \(reading.note ?? "no reason given")", count: nil,
        verdict: .notMeasured)
    }
    return Row(name: name, text: text, count: reading.count, verdict: reading.verdict)
  }

  func lines(_ style: TerminalStyle) -> [String] {
    guard !rows.isEmpty else { return [] }
    let isMeasured = { (row: Row) in row.verdict != .notMeasured }
    var table = TextTable(alignments: [.left, .right, .right, .left])
    table.add(["run", "value", "n", "verdict"])
    table.addRule()
    for row in rows where isMeasured(row) {
      table.add(
        [row.name, row.text, row.count.map(String.init) ?? "", row.verdict?.rawValue ?? ""],
        styling: { column, text in
          column == 3 ? row.verdict.map { style.colored(text, $0) } ?? text : text
        })
    }
    return (rows.contains(where: isMeasured) ? table.lines : [])
      + rows.filter { !isMeasured($0) }.map {
        TerminalStyle.plain("\($0.name) \($0.text)", width: TextReport.width)
      }
  }
}
