// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Units

extension HistoryPage {
  private static let mostCards = 24
  private static let settled: Set<Alarm.Standing> = [.improved, .recovered, .accepted]
  private static let confirmed: Set<Alarm.Standing> = [.raised, .rigMoved, .heldBack]

  /// Writes what happened, each thing once as a card: what is sure first, then what drifts, then what is not sure
  /// yet; good and older news are folded below.
  func writeChanges(to main: inout Markup) {
    main.writeSection("changes", "What changed") { section in
      let open = incidents.filter { !Self.settled.contains($0.standing) }
      let past = incidents.filter { Self.settled.contains($0.standing) }
      let sure = open.filter { Self.confirmed.contains($0.standing) }
      let unsure = open.filter { !Self.confirmed.contains($0.standing) }
      if open.isEmpty { section.writeNote("No change asks for anything.") }
      section.writeList("findings", report.remarks)
      var cards: [(Int, inout Markup) -> Void] = []
      cards += sure.map { incident in { write(incident, $0, to: &$1) } }
      cards += drifts.map { drift in { write(drift, $0, to: &$1) } }
      cards += unsure.map { incident in { write(incident, $0, to: &$1) } }
      if !cards.isEmpty {
        let shown = cards.prefix(Self.mostCards).enumerated()
        section.element("div", ["class": "cards"], each: shown) { grid, card in
          card.element(card.offset + 1, &grid)
        }
        if cards.count > Self.mostCards {
          section.writeNote(
            "\(cards.count - Self.mostCards) more: they head the list of series below.")
        }
      }
      if !past.isEmpty {
        section.writeDetails("\(Count.of(past.count, "incident")) that ask for nothing") {
          $0.writeTable(
            "Improved, recovered, accepted", style: "changes", hasLines: true, Self.changeColumns,
            past.flatMap(\.changes).map { cells(of: $0, because: $0.alarm.reason) })
        }
      }
      for note in report.notes { section.writeNote(note) }
    }
  }

  private func write(_ incident: HistoryReport.Incident, _ number: Int, to cards: inout Markup) {
    let (lead, shown) = (incident.lead, incident.standing.shown)
    let (point, unit) = (lead.point, lead.unit)
    let size = size(abs(point.effect), unit, uncertainty: point.uncertainty)
    let isOpen = [.suspected, .unconfirmed].contains(incident.standing)
    let verb = isOpen ? "seems to have gone" : "went"
    let title =
      "\(words(for: lead.alarm.key).capitalised) \(verb) \(point.effect > 0 ? "up" : "down") by \(size) on "
      + CalendarDay(number: point.day).description
    writeCard(
      title, (shown.verdict, shown.word), of: lead.alarm.key,
      owner: report.owner(of: lead.alarm.key, incident.standing), number, to: &cards
    ) { card in
      card.element("p") { line in
        line.write("From \(self.size(point.before, unit)) to \(self.size(point.after, unit)): ")
        line.write("\(incident.shownReason). ")
        writeRuns(beside: lead, to: &line)
      }
      writeDifferences(of: lead, to: &card)
      writePicture(of: lead.alarm.key, number, to: &card)
      writeOthers(of: incident, to: &card)
    }
  }

  private func write(_ drift: Drift, _ number: Int, to cards: inout Markup) {
    let lead = drift.lead
    let word = lead.course == .better ? "drifts, for the better" : "drifts"
    writeCard(
      report.sentence(of: lead, typeset: Shown.typeset).capitalised, (drift.verdict, word),
      of: lead.key,
      owner: report.owner(of: lead.key), number, to: &cards
    ) { card in
      card.element("p") { line in
        let basis = report.basis(of: lead, typeset: Shown.typeset)
        line.write("Steadily \(basis); no single night began it.")
      }
      writePicture(of: lead.key, number, to: &card)
      guard !drift.others.isEmpty else { return }
      card.writeDetails("\(Count.of(drift.others.count, "more reading")) with it") { details in
        details.writeTable(
          "Readings that drift with \(words(for: lead.key))", hidesCaption: true, hasLines: true,
          ["Reading", "A month#", "In all#"],
          drift.others.map { line in
            let unit = report.unit(of: line.key)
            return [
              cell(of: line.key),
              Cell(signed(line.trend.perMonth, unit, uncertainty: line.trend.uncertainty)),
              Cell(signed(line.distance, unit)),
            ]
          })
      }
    }
  }

  /// Writes a card: whose it is, what it is in a sentence, and what the reading means.
  private func writeCard(
    _ title: String, _ badge: (verdict: Verdict, word: String), of key: SeriesKey,
    owner: HistoryReport.Owner?, _ number: Int, to cards: inout Markup,
    _ content: (inout Markup) -> Void
  ) {
    cards.element("article", ["class": "card", "aria-labelledby": "card-\(number)"]) { card in
      card.element("p", ["class": "whose"]) { line in
        line.writeBadge(badge.verdict, as: badge.word)
        line.element("span", text: Self.words(for: owner))
      }
      card.element("h3", ["id": "card-\(number)"], text: title)
      content(&card)
      if let kind = key.kind { card.writeMeaning(of: kind, named: key.reading) }
    }
    cards.breakLine()
  }

  private static func words(for owner: HistoryReport.Owner?) -> String {
    switch owner {
    case .rig: "The rig: look at the measurement first"
    case .product: "The product"
    case nil: "The product or the rig: the plan has no control that could tell"
    }
  }

  private func writeRuns(beside change: HistoryReport.Change, to line: inout Markup) {
    let runs = [
      ("Last night before: ", change.runBefore), ("first night after: ", change.runAfter),
    ].filter { !$0.1.isEmpty }
    for (index, (word, run)) in runs.enumerated() {
      line.write((index > 0 ? ", " : "") + word)
      writeRun(run, as: day(of: run), to: &line)
    }
    if !runs.isEmpty { line.write(".") }
  }

  private func writePicture(of key: SeriesKey, _ number: Int, to card: inout Markup) {
    guard let series = report.series.first(where: { $0.key == key }) else { return }
    card.writeFigure(
      SeriesPicture(
        series: series, title: words(for: key).capitalised, identifier: "change-\(number)"
      ).plot)
  }

  /// Writes what changed beside the change that leads an incident, folded.
  private func writeOthers(of incident: HistoryReport.Incident, to card: inout Markup) {
    guard !incident.others.isEmpty else { return }
    let lead = incident.lead
    let title =
      "\(Count.of(incident.others.count, "more reading")) with \(words(for: lead.alarm.key)) on "
      + CalendarDay(number: lead.point.day).description
    card.writeDetails(title) { details in
      details.writeTable(
        title, style: "changes", hidesCaption: true, hasLines: true,
        Self.changeColumns.map { $0 == "Why~" ? "With it~" : $0 },
        incident.others.map { other in
          cells(of: other.change, because: HistoryReport.words(of: other.tie, other.change))
        })
    }
  }

  private func writeDifferences(of change: HistoryReport.Change, to card: inout Markup) {
    guard !change.differences.isEmpty else { return }
    card.writeTable(
      "What else differs between the nights before and after",
      label: "Environment before and after", ["Environment", "Before~", "After~", "Separates#"],
      change.differences.map { difference in
        .texts(
          difference.key, difference.good.joined(separator: ", "),
          difference.bad.joined(separator: ", "),
          "\(EngineeringFormat.fixed(100 * difference.separation, 0)) %")
      })
  }

  private static let changeColumns = [
    "Reading", "Standing", "First night", "From#", "To#", "Change#", "p#", "Why~", "Runs",
  ]

  private func cells(of change: HistoryReport.Change, because reason: String) -> [Cell] {
    let (point, unit) = (change.point, change.unit)
    // A chance as a reader takes it in: whether it is 1e-12 or 1e-13 says nothing.
    let chance =
      point.significance < 1e-6 ? "< 1e-6" : EngineeringFormat.significant(point.significance)
    return [
      cell(of: change.alarm.key),
      Cell(change.standing.shown.verdict, as: change.standing.shown.word),
      Cell(CalendarDay(number: point.day).description), Cell(size(point.before, unit)),
      Cell(size(point.after, unit)),
      Cell(signed(point.effect, unit, uncertainty: point.uncertainty)), Cell(chance),
      Cell(reason),
      Cell { cell in
        for (word, run) in [("before", change.runBefore), ("after", change.runAfter)]
        where !run.isEmpty {
          cell.element("span", ["class": "detail"]) {
            writeRun(run, as: "\(word) \(day(of: run))", to: &$0)
          }
        }
      },
    ]
  }

  /// What a series is of, with a link to its row.
  func cell(of key: SeriesKey) -> Cell {
    let words = words(for: key)
    return identifier(of: key).map { Cell(words, link: "#\($0)", detail: key.reading) }
      ?? Cell(words, detail: key.reading)
  }

  func size(_ value: Double, _ unit: MeasurementUnit, uncertainty: Double? = nil) -> String {
    Shown.typeset(Shown.size(value, unit, uncertainty: uncertainty))
  }

  func signed(_ value: Double, _ unit: MeasurementUnit, uncertainty: Double? = nil) -> String {
    (value > 0 ? "+" : "") + size(value, unit, uncertainty: uncertainty)
  }
}
