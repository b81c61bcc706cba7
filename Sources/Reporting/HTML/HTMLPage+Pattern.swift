// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import Units

extension HTMLPage {
  private static let openPatterns = 12
  /// Up to how many rows by event a table stands open.
  private static let openRows = 12
  /// Up to how many pictures of takes a page has of every take; beyond that only of the first, and of
  /// those that failed.
  static let everyTake = 64

  /// Writes a pattern's section on the run's page.
  func write(_ pattern: RunRecord.Pattern, number: Int, to main: inout Markup) {
    let identifier = "pattern-\(number)"
    let summary = summary.patterns[number - 1]
    let isOpen = record.patterns.count <= Self.openPatterns || number == firstFailedPattern
    main.element(
      "section",
      [
        "class": isOpen ? "pattern" : "pattern folded", "id": identifier,
        "aria-labelledby": "\(identifier)-title",
      ]
    ) { section in
      section.element("div", ["class": "title"]) { title in
        title.element("h2", ["id": "\(identifier)-title"], text: pattern.name)
        if let verdict = pattern.verdict { title.writeBadge(verdict) }
      }
      section.element("p", ["class": "outcome"], text: PatternSentence.text(summary))
      if let warning = summary.reach?.warning { section.writeWarning(warning) }
      section.writeNote(
        [
          pattern.file, Shown.seconds(pattern.duration), Count.of(pattern.events, "event"),
          Count.of(pattern.takes.count, "take"),
        ].joined(separator: " · "))
      section.writeDetails(
        "Pictures and readings", more: ("hidden", " of \(pattern.name)"), style: "body",
        isOpen: isOpen
      ) { details in
        writeFigures(of: pattern, identifier: identifier, to: &details)
        // Where scripts run, what is folded is text until it is opened: thousands of rows cost nothing.
        if isOpen {
          writeTables(of: pattern, to: &details)
        } else {
          details.element("noscript", ["class": "folded"]) { writeTables(of: pattern, to: &$0) }
        }
      }
    }
    main.breakLine()
  }

  private var firstFailedPattern: Int? {
    record.patterns.firstIndex { $0.verdict == .fail }.map { $0 + 1 }
  }

  func shownFigures(of pattern: String) -> [TakeFigure] {
    let all = figures(of: pattern)
    guard summary.takeCount > Self.everyTake else { return all }
    let failed = Set(readings(of: pattern).filter { $0.verdict == .fail }.compactMap(\.take))
    return all.enumerated().filter { $0 == 0 || failed.contains($1.take) }.map(\.element)
  }

  static func name(ofFigure index: Int, _ pattern: String) -> String {
    "\(pattern)-figure-\(index + 1)"
  }

  func writeFigures(
    of pattern: RunRecord.Pattern, identifier: String, to section: inout Markup
  ) {
    let all = figures(of: pattern.name)
    guard !all.isEmpty else { return section.writeNote("No picture was kept of this pattern.") }
    writeWorst(summary.events.worst(of: pattern.name), isBeside: true, to: &section)
    let shown = shownFigures(of: pattern.name)
    for (index, figure) in shown.enumerated() {
      let name = Self.name(ofFigure: index, identifier)
      if index == 0 {
        write(figure.overlaid(with: Array(all.dropFirst())), name, to: &section)
      } else {
        section.writeDetails("Take \(figure.take)") { write(figure, name, to: &$0) }
      }
    }
    if shown.count < all.count {
      section.writeNote(
        "\(Count.of(all.count - shown.count, "picture")) of further takes left out: "
          + "the page shows the first take and those that failed.")
    }
  }

  /// Writes the picture of a take, and the data of its chart: where scripts run, what stands in `noscript` is
  /// text that costs nothing until the picture comes into view.
  private func write(_ figure: TakeFigure, _ identifier: String, to section: inout Markup) {
    let scores = summary.events.events(of: figure.pattern, take: figure.take)
    let worst = summary.events.worst(of: figure.pattern).filter { $0.take == figure.take }
    let drawing = FigureDrawing(
      ColumnReduction.reduce(figure, to: columns.still), identifier: identifier, scores: scores,
      linked: Set(worst.map(\.event)))
    section.writeTake(
      drawing, label: "\(figure.pattern), take \(figure.take)",
      chart: charts.map { _ in TakeChart(figure: figure, columns: columns.chart, scores: scores) })
  }

  func writeTables(of pattern: RunRecord.Pattern, to section: inout Markup) {
    writeReadings(of: pattern, to: &section)
    section.writeList("diagnostics", title: "Diagnostics of the reader", pattern.diagnostics)
    let rejected = pattern.takes.flatMap { take in take.rejected.map { (take.number, $0) } }
    guard !rejected.isEmpty else { return }
    let showsTake = pattern.takes.count > 1
    section.writeDetails("\(Count.of(rejected.count, "event")) not measured") { details in
      details.writeTable(
        "Events not measured, with the reason",
        label: "Events of \(pattern.name) that were not measured",
        ["Event#"] + (showsTake ? ["Take#"] : []) + ["Reason~"],
        rejected.map { take, entry in
          [Cell("\(entry.event)")] + (showsTake ? [Cell("\(take)")] : []) + [Cell(entry.reason)]
        })
    }
  }

  private func writeReadings(of pattern: RunRecord.Pattern, to section: inout Markup) {
    let readings = readings(of: pattern.name)
    guard !readings.isEmpty else {
      return section.writeNote("No reading was taken of this pattern.")
    }
    let ofTakes = readings.filter { $0.event == nil }
    let ofEvents = readings.filter { $0.event != nil }
    if !ofTakes.isEmpty {
      section.writeReadings("Readings of \(pattern.name)", ofTakes, summary.scatter, meanings)
    }
    guard !ofEvents.isEmpty else { return }
    let caption = "Readings by event of \(pattern.name)"
    guard ofEvents.count > Self.openRows else {
      return section.writeReadings(caption, ofEvents, summary.scatter, meanings)
    }
    section.writeDetails(
      "\(ofEvents.count) readings by event ", more: ("detail", Self.tally(of: ofEvents))
    ) { $0.writeReadings(caption, ofEvents, summary.scatter, meanings) }
    section.breakLine()
  }

  /// What a folded table holds, so that nothing outside its limits is hidden.
  private static func tally(of readings: [Reading]) -> String {
    [Verdict.fail, .marginal, .notMeasured, .pass].compactMap { verdict in
      let count = readings.count { $0.verdict == verdict }
      return count > 0 ? "\(count) \(verdict.rawValue)" : nil
    }.joined(separator: ", ")
  }
}

extension Markup {
  /// Writes readings as a table; columns that no reading fills are left out.
  ///
  /// Their names lead to what they mean, on this page or another.
  mutating func writeReadings(
    _ caption: String, _ readings: [Reading], _ scatter: ReadingScatter, _ meanings: String = ""
  ) {
    // What was read of takes, so that the same name without a take is of all of them.
    let taken = Set(readings.filter { $0.take != nil }.map(\.name))
    let hasOneTake = readings.allSatisfy {
      $0.take == 1 || $0.take == nil && !taken.contains($0.name)
    }
    typealias Column = (title: String, style: String?, text: (Reading) -> String)
    let all: [Column] = [
      ("Event", "number", { $0.event.map(String.init) ?? "" }),
      (
        "Take", "number",
        { reading in
          if hasOneTake { return "" }
          return reading.take.map(String.init) ?? (taken.contains(reading.name) ? "all" : "")
        }
      ),
      ("Channel", nil, { $0.channel ?? "" }),
      ("Value", "number", { Shown.value(of: $0, scatter).map(Shown.typeset) ?? "" }),
      (
        "± by differences", "number",
        { reading in
          let isOfPoints = reading.name.kind.rawValue.hasPrefix("harmony")
          return reading.differencesUncertainty.map {
            isOfPoints ? Shown.points($0) : EngineeringFormat.rough($0)
          } ?? ""
        }
      ),
      ("n", "number", { $0.count.map(String.init) ?? "" }),
      ("Limit", "words", { $0.limit ?? "" }),
    ]
    let columns = all.filter { column in readings.contains { !column.text($0).isEmpty } }
    let hasNotes = readings.contains { $0.note != nil }
    // One link a name, with the plan's own name for it: each row's would make long pages longer.
    var linked: Set<ReadingName> = []
    PageTable(
      caption: caption, style: "readings",
      columns: [PageTable.Column(title: "Reading")]
        + columns.map { PageTable.Column(title: $0.title, headStyle: $0.style, style: $0.style) }
        + [PageTable.Column(title: "Verdict")]
        + (hasNotes ? [PageTable.Column(title: "Note", style: "words")] : []),
      rows: readings.map { reading in
        let name = Shown.name(of: reading)
        let meaning = meanings + "#" + reading.name.kind.identifier
        let isFirst = linked.insert(reading.name).inserted
        let head =
          isFirst
          ? PageTable.Cell(name, link: meaning, detail: reading.name.description)
          : PageTable.Cell(name)
        return [head]
          + columns.map { PageTable.Cell($0.text(reading)) }
          + [PageTable.Cell(reading.verdict, as: reading.isInapplicable ? "does not apply" : nil)]
          + (hasNotes ? [PageTable.Cell(reading.note.map(Shown.plain) ?? "")] : [])
      },
      hasLines: true
    ).write(to: &self)
  }
}

extension HTMLPage {
  func writeTiming(to main: inout Markup) {
    main.writeSection("timing", "Timing and actuator") { section in
      let (jitter, impulse) = (jitterPlots, impulsePlot)
      section.writePictures(jitter + [impulse].compactMap(\.self))
      if jitter.isEmpty {
        section.writeNote("No jitter histogram: no latency was measured in two takes or more.")
      }
      if impulse == nil {
        section.writeNote("No impulse response: no probe was answered in this run.")
      }
      writeLosses(to: &section)
    }
  }

  private var jitterPlots: [Plot] {
    [
      (ReadingKind.latencyElectrical, "from its mean over all takes"),
      (.latencyOnset, "from the mean of its event over all takes"),
    ].compactMap { kind, from in
      record.distribution(of: ReadingName(kind)).map { Self.histogram(of: $0, kind, from: from) }
    }
  }

  private static func histogram(
    of spread: ReadingDistribution, _ kind: ReadingKind, from: String
  ) -> Plot {
    let (width, counts) = spread.histogram(bins: 31)
    // Where nothing scatters a bin is as wide as can be seen.
    let bin = 1e6 * (width > 0 ? width : 1e-9)
    var (x, y): ([Double], [Double]) = ([], [])
    for (index, count) in counts.enumerated() {
      let left = (Double(index - counts.count / 2) - 0.5) * bin
      x += [left, left + bin]
      y += [Double(count), Double(count)]
    }
    let ends = (x.first ?? 0, x.last ?? 0)
    func size(_ value: Double) -> String {
      Shown.typeset(EngineeringFormat.text(value, .second))
    }
    let values = Count.of(spread.deviations.count, "value")
    return Plot(
      title: "Jitter of the \(kind.title)", identifier: "jitter-\(kind.rawValue)",
      x: PlotAxis("deviation, µs", of: x),
      y: PlotAxis("values", of: y + [0, Double(counts.max() ?? 1) * 1.05], count: 4),
      series: [
        PlotSeries(label: "", x: [ends.0] + x + [ends.1], y: [0] + y + [0], colour: "trace-drive")
      ],
      caption: "How \(values) of the \(kind.title) deviate \(from): standard deviation "
        + "\(size(spread.deviation)), median deviation \(size(spread.medianDeviation)).")
  }

  /// What the actuator answers to an impulse, in the first picture of the run that tells it.
  private var impulsePlot: Plot? {
    let all = record.patterns.lazy.flatMap { figures(of: $0.name) }
    guard let figure = all.first(where: { $0.impulse != nil }), let impulse = figure.impulse else {
      return nil
    }
    let styles: [(name: String, colour: String, dash: PlotSeries.Dash)] = [
      ("measured", "trace-response", .solid), ("fit", "trace-other", .dashed),
      ("profile", "trace-sharpness", .dotted),
    ]
    let (start, end) = (impulse.span.lowerBound, impulse.span.upperBound)
    let series = impulse.panel.traces.map { trace in
      let style = styles.first { $0.name == trace.name } ?? styles[1]
      let values = trace.highest.map(Double.init)
      let step = (end - start) / Double(max(1, values.count - 1))
      return PlotSeries(
        label: trace.name, x: values.indices.map { 1e3 * (start + Double($0) * step) }, y: values,
        colour: style.colour, dash: style.dash)
    }
    guard series.contains(where: { !$0.y.isEmpty }) else { return nil }
    let profile =
      impulse.panel.traces.contains { $0.name == "profile" }
      ? "Dotted: what the profile says." : "The run had no profile to compare it with."
    let probe = "\(figure.pattern), take \(figure.take)"
    return .impulse(
      series, unit: impulse.panel.unit,
      caption: "What the probe of \(probe), says of the actuator, 60 to 450 Hz. "
        + "Dashed: the resonance that was fitted. \(profile)")
  }

  private struct Loss {
    let pattern: String
    let take: RunRecord.Take
    let kind: String
    let seconds: Double
    let frames: Int
    let channel: String

    /// The take's place among those played, from 1; 0 where it is not known.
    var place: Int { take.place ?? 0 }
  }

  private var losses: [Loss] {
    var losses: [Loss] = []
    for pattern in record.patterns {
      for take in pattern.takes {
        losses += ((take.device?.driveEvents ?? []) + (take.device?.captureEvents ?? [])).map {
          Loss(
            pattern: pattern.name, take: take, kind: $0.kind.rawValue,
            seconds: Double($0.frame) / max(1, record.rig.rate), frames: $0.length,
            channel: $0.channel ?? "")
        }
      }
    }
    return losses.sorted { ($0.place, $0.seconds) < ($1.place, $1.seconds) }
  }

  private func writeLosses(to section: inout Markup) {
    let losses = losses
    let kinds = Set(losses.map(\.kind)).sorted()
    section.element("h3", text: "Xruns, drops and overloads")
    section.element("p", text: sentence(on: losses.map(\.kind), kinds))
    guard !losses.isEmpty else { return }
    let plot = Plot(
      title: "When frames were lost", identifier: "xrun-map",
      x: PlotAxis("time in the take, s", of: [0] + losses.map(\.seconds), room: 0.03),
      y: PlotAxis("take as played", of: losses.map { Double($0.place) } + [1], room: 0.08),
      series: kinds.enumerated().map { index, kind in
        let own = losses.filter { $0.kind == kind }
        return PlotSeries(
          label: kind, x: own.map(\.seconds), y: own.map { Double($0.place) },
          colour: PlotSeries.hue(index), dash: nil, marker: PlotSeries.marker(index))
      })
    section.writePictures([plot])
    let shown = losses.prefix(200)
    section.writeDetails(
      "\(Count.of(losses.count, "loss", "losses")) in a table", isOpen: losses.count <= 20
    ) { details in
      details.writeTable(
        "Lost frames, in the order of time",
        ["Take as played", "Pattern", "Repeat", "What", "At", "Frames", "Channel"],
        shown.map { loss in
          .texts(
            loss.take.place.map(String.init) ?? "unknown", loss.pattern, "\(loss.take.number)",
            loss.kind, Shown.seconds(loss.seconds), "\(loss.frames)", loss.channel)
        })
      if shown.count < losses.count {
        details.writeNote("and \(losses.count - shown.count) more, in record.json")
      }
    }
  }

  private func sentence(on losses: [String], _ kinds: [String]) -> String {
    let takes = Count.of(summary.takeCount, "take")
    let counts = kinds.map { kind in Count.of(losses.count { $0 == kind }, kind) }
    let found =
      kinds.isEmpty
      ? "Nothing was lost in \(takes)." : counts.joined(separator: ", ") + " in \(takes)."
    let bound = record.readings.first {
      $0.name == ReadingName(.xrunsPerHour) && $0.pattern == nil && $0.value != nil
    }?.value
    guard let bound else { return found + " The run gives no bound for xruns an hour." }
    let number = EngineeringFormat.significant(bound)
    return found + " At most \(number) xruns an hour are compatible with that, at 95 %."
  }
}
