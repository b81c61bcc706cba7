import Acceptance
import Devices
import Units

extension HTMLPage {
  /// Writes what the run as a whole tells of time and actuator: jitter, impulse response, lost frames.
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

  /// How the values of a reading scatter, as the outline of a histogram.
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
      title: "Jitter of \(kind.rawValue)", identifier: "jitter-\(kind.rawValue)",
      x: PlotAxis("deviation, µs", of: x),
      y: PlotAxis("values", of: y + [0, Double(counts.max() ?? 1) * 1.05], count: 4),
      series: [
        PlotSeries(
          label: "", x: [ends.0] + x + [ends.1], y: [0] + y + [0], colour: "trace-drive")
      ],
      caption: "How \(values) of \(kind.rawValue) deviate \(from): standard deviation "
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

  /// One thing that devices lost, in one take.
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

  /// Writes when and in which take frames were lost, and what bound an hour the run shows.
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
      PageTable(
        "Lost frames, in the order of time",
        ["Take as played", "Pattern", "Repeat", "What", "At", "Frames", "Channel"],
        texts: shown.map { loss in
          [
            loss.take.place.map(String.init) ?? "unknown", loss.pattern, "\(loss.take.number)",
            loss.kind, Shown.seconds(loss.seconds), "\(loss.frames)", loss.channel,
          ]
        }
      ).write(to: &details)
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
