import Acceptance
import Devices
import Units

extension HTMLPage {
  /// Writes what the run as a whole tells of time and actuator: jitter, impulse response, lost frames.
  func writeTiming(to main: inout Markup) {
    main.writeSection("timing", "Timing and actuator") { section in
      let pictures = jitterPlots + [impulsePlot].compactMap(\.self)
      if !pictures.isEmpty {
        section.element("div", ["class": "pictures"]) { grid in
          for (plot, caption) in pictures {
            grid.element("figure") { figure in
              plot.write(to: &figure)
              figure.element("figcaption", text: caption)
            }
          }
        }
      }
      if jitterPlots.isEmpty {
        section.element(
          "p", ["class": "note"],
          text: "No jitter histogram: no latency was measured in two takes or more.")
      }
      if impulsePlot == nil {
        section.element(
          "p", ["class": "note"], text: "No impulse response: no probe was answered in this run.")
      }
      writeLosses(to: &section)
    }
  }

  private typealias Picture = (plot: Plot, caption: String)

  private var jitterPlots: [Picture] {
    [
      (ReadingKind.latencyElectrical, "from its mean over all takes"),
      (.latencyOnset, "from the mean of its event over all takes"),
    ].compactMap { kind, from in
      guard let spread = record.distribution(of: ReadingName(kind)) else { return nil }
      return Self.histogram(of: spread, kind, from: from)
    }
  }

  /// How the values of a reading scatter, as the outline of a histogram.
  private static func histogram(
    of spread: ReadingDistribution, _ kind: ReadingKind, from: String
  ) -> Picture {
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
    let plot = Plot(
      title: "Jitter of \(kind.rawValue)", identifier: "jitter-\(kind.rawValue)",
      x: PlotAxis("deviation, µs", of: x),
      y: PlotAxis("values", of: y + [0, Double(counts.max() ?? 1) * 1.05], count: 4),
      series: [
        PlotSeries(
          label: "", x: [ends.0] + x + [ends.1], y: [0] + y + [0], colour: "trace-drive")
      ])
    func size(_ value: Double) -> String {
      Shown.typeset(EngineeringFormat.text(value, .second))
    }
    return (
      plot,
      "How \(Count.of(spread.deviations.count, "value")) of \(kind.rawValue) deviate \(from): "
        + "standard deviation \(size(spread.deviation)), median deviation "
        + "\(size(spread.medianDeviation))."
    )
  }

  private var impulsePlot: Picture? {
    guard let (figure, impulse) = firstImpulse else { return nil }
    let styles: [(name: String, colour: String, dash: PlotSeries.Dash)] = [
      ("measured", "trace-response", .solid), ("fit", "trace-other", .dashed),
      ("profile", "trace-sharpness", .dotted),
    ]
    let series = impulse.panel.traces.map { trace in
      let style = styles.first { $0.name == trace.name } ?? styles[1]
      let values = trace.highest.map(Double.init)
      let step =
        (impulse.span.upperBound - impulse.span.lowerBound) / Double(max(1, values.count - 1))
      return PlotSeries(
        label: trace.name,
        x: values.indices.map { 1e3 * (impulse.span.lowerBound + Double($0) * step) }, y: values,
        colour: style.colour, dash: style.dash)
    }
    guard series.contains(where: { !$0.y.isEmpty }) else { return nil }
    let plot = Plot(
      title: "Impulse response", identifier: "impulse",
      x: PlotAxis("time after the drive, ms", of: series.flatMap(\.x)),
      y: PlotAxis(
        "\(Shown.typeset(impulse.panel.unit.rawValue)) per V s", of: series.flatMap(\.y), room: 0.05
      ),
      series: series)
    let profile =
      impulse.panel.traces.contains { $0.name == "profile" }
      ? "Dotted: what the profile says." : "The run had no profile to compare it with."
    return (
      plot,
      "What the probe of \(figure.pattern), take \(figure.take), says of the actuator, 60 to 450 Hz. "
        + "Dashed: the resonance that was fitted. \(profile)"
    )
  }

  /// One thing that devices lost, in one take.
  private struct Loss {
    let pattern: String
    let take: RunRecord.Take
    let kind: String
    let seconds: Double
    let frames: Int
    let channel: String
  }

  private var losses: [Loss] {
    record.patterns.flatMap { pattern in
      pattern.takes.flatMap { take in
        ((take.device?.driveEvents ?? []) + (take.device?.captureEvents ?? [])).map { event in
          Loss(
            pattern: pattern.name, take: take, kind: event.kind.rawValue,
            seconds: Double(event.frame) / max(1, record.rig.rate), frames: event.length,
            channel: event.channel ?? "")
        }
      }
    }.sorted { ($0.take.place ?? 0, $0.seconds) < ($1.take.place ?? 0, $1.seconds) }
  }

  /// Writes when and in which take frames were lost, and what bound an hour the run shows.
  private func writeLosses(to section: inout Markup) {
    let losses = losses
    section.element("h3", text: "Xruns, drops and overloads")
    section.element("p", text: Self.sentence(on: losses.map(\.kind), in: record))
    guard !losses.isEmpty else { return }
    let kinds = Set(losses.map(\.kind)).sorted()
    let markers = PlotSeries.Marker.allCases
    let plot = Plot(
      title: "When frames were lost", identifier: "xrun-map",
      x: PlotAxis("time in the take, s", of: [0] + losses.map(\.seconds), room: 0.03),
      y: PlotAxis(
        "take as played", of: losses.map { Double($0.take.place ?? 0) } + [1], room: 0.08),
      series: kinds.enumerated().map { index, kind in
        let own = losses.filter { $0.kind == kind }
        return PlotSeries(
          label: kind, x: own.map(\.seconds), y: own.map { Double($0.take.place ?? 0) },
          colour: PlotSeries.hues[index % PlotSeries.hues.count], dash: nil,
          marker: markers[index % markers.count])
      })
    section.element("div", ["class": "pictures"]) { grid in
      grid.element("figure") { figure in plot.write(to: &figure) }
    }
    write(losses, to: &section)
  }

  /// Writes the losses as a table; a great many of them folded, and only the first.
  private func write(_ losses: [Loss], to section: inout Markup) {
    let shown = losses.prefix(200)
    section.element("details", losses.count <= 20 ? ["open": ""] : [:]) { details in
      details.element(
        "summary", text: "\(Count.of(losses.count, "loss", "losses")) in a table")
      details.writeScroller("Lost frames, in the order of time") { scroller in
        scroller.element("table") { table in
          table.element("caption", text: "Lost frames, in the order of time")
          table.writeTableHead(
            ["Take as played", "Pattern", "Repeat", "What", "At", "Frames", "Channel"])
          table.element("tbody") { body in
            for loss in shown {
              body.element("tr") { row in
                row.element(
                  "th", ["scope": "row"], text: loss.take.place.map(String.init) ?? "unknown")
                for text in [
                  loss.pattern, "\(loss.take.number)", loss.kind, Shown.seconds(loss.seconds),
                  "\(loss.frames)", loss.channel,
                ] { row.element("td", text: text) }
              }
            }
          }
        }
      }
      guard shown.count < losses.count else { return }
      details.element(
        "p", ["class": "note"], text: "and \(losses.count - shown.count) more, in record.json")
    }
  }

  private static func sentence(on kinds: [String], in record: RunRecord) -> String {
    let takes = Count.of(record.patterns.reduce(0) { $0 + $1.takes.count }, "take")
    let found =
      kinds.isEmpty
      ? "Nothing was lost in \(takes)."
      : Set(kinds).sorted().map { kind in
        "\(Count.of(kinds.count { $0 == kind }, kind))"
      }.joined(separator: ", ") + " in \(takes)."
    let bound = record.readings.first {
      $0.name == ReadingName(.xrunsPerHour) && $0.pattern == nil && $0.value != nil
    }?.value
    guard let bound else { return found + " The run gives no bound for xruns an hour." }
    return found
      + " At most \(EngineeringFormat.significant(bound)) xruns an hour are compatible with that, at 95 %."
  }
}
