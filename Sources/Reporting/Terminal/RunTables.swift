import Acceptance
import Units

/// A row a pattern: its verdict and what people ask for first.
struct PatternTable {
  private struct Column {
    let title: String
    let unit: String
    let cell: @Sendable (PatternSummary) -> Cell?
  }

  /// What a cell says; `nil` where the pattern has no such reading.
  private struct Cell {
    let text: String

    init(_ text: String) { self.text = text }

    init?(_ headline: Headline?, scale: Double = 1) {
      guard let headline else { return nil }
      text =
        headline.value.map {
          EngineeringFormat.concise($0, uncertainty: headline.uncertainty, scale: scale)
        } ?? "n/m"
    }
  }

  private static let harmony = "harmony"
  private static let columns = [
    Column(title: "scored", unit: "events") {
      $0.scored.map { Cell($0.short) }
    },
    Column(title: "latency", unit: "ms") { Cell($0.latency, scale: 1e3) },
    Column(title: "sync", unit: "ms") { Cell($0.sync, scale: 1e3) },
    Column(title: "level", unit: "dB") { $0.isCalibrated ? Cell($0.intensityError) : nil },
    Column(title: "contrast", unit: "dB") { $0.isCalibrated ? nil : Cell($0.contrast) },
    Column(title: "sharpness", unit: "octave") { Cell($0.sharpnessError) },
    Column(title: "beyond", unit: "%") { row in
      row.reach?.outside.value.map { Cell(EngineeringFormat.fixed(100 * $0, 1)) }
    },
    Column(title: "held", unit: "ms") { row in
      row.reach?.heldTime?.value.map { Cell(EngineeringFormat.fixed(1e3 * $0, 1)) }
    },
    Column(title: harmony, unit: "") { row in
      Cell(row.harmony).map { Cell($0.text + (row.harmony?.note == nil ? "" : "*")) }
    },
  ]

  private let rows: [PatternSummary]
  /// What some pattern has a reading of.
  private let columns: [Column]

  init(_ rows: [PatternSummary]) {
    self.rows = rows
    columns = Self.columns.filter { column in rows.contains { column.cell($0) != nil } }
  }

  /// The table; names are cut where it would be wider than a report.
  func lines(_ style: TerminalStyle) -> [String] {
    let width = 18
    let lines = lines(style, nameWidth: width)
    // Colours have no width.
    let plain =
      style.isColored ? self.lines(TerminalStyle(isColored: false), nameWidth: width) : lines
    let excess = (plain.map(\.count).max() ?? 0) - TextReport.width
    return (excess > 0 ? self.lines(style, nameWidth: max(6, width - excess)) : lines)
      + PatternSummary.incompleteHarmonies(rows).map { note, patterns in
        TerminalStyle.plain(
          "* \(Self.harmony) \(note): \(patterns.joined(separator: ", "))", width: TextReport.width)
      }
  }

  private func lines(_ style: TerminalStyle, nameWidth: Int) -> [String] {
    var table = TextTable(
      alignments: [.left, .left] + columns.map { _ in .right }, style: style)
    table.add(["pattern", "verdict"] + columns.map(\.title))
    table.add(["", ""] + columns.map(\.unit))
    table.addRule()
    for row in rows {
      let verdict = row.pattern.verdict
      table.add(
        [
          TerminalStyle.plain(row.pattern.name, width: nameWidth),
          verdict?.rawValue ?? "not judged",
        ] + columns.map { $0.cell(row)?.text ?? "-" }, coloured: (1, verdict))
    }
    return table.lines
  }
}

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
    var table = TextTable(alignments: [.left, .right, .right, .left], style: style)
    table.add(["run", "value", "n", "verdict"])
    table.addRule()
    for row in rows where isMeasured(row) {
      table.add(
        [row.name, row.text, row.count.map(String.init) ?? "", row.verdict?.rawValue ?? ""],
        coloured: (3, row.verdict))
    }
    return (rows.contains(where: isMeasured) ? table.lines : [])
      + rows.filter { !isMeasured($0) }.map {
        TerminalStyle.plain("\($0.name) \($0.text)", width: TextReport.width)
      }
  }
}
