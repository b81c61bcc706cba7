// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Units

struct SeriesPicture {
  let series: HistoryReport.Series
  let title: String
  let identifier: String

  private var nights: [Night] { series.nightly.nights }
  private var scale: SeriesScale {
    SeriesScale(series.nightly.unit, of: nights.map(\.value))
  }
  private var newest: Int { nights.last?.day ?? 0 }

  var plot: Plot {
    let scale = scale
    let values = nights.map { scale.factor * $0.value }
    let spreads = nights.map { scale.factor * $0.uncertainty }
    let x = nights.map { Double($0.day - newest) }
    var lines = [
      PlotSeries(
        label: "median of the night, bar of one standard uncertainty", x: x, y: values,
        colour: "trace-intensity", dash: nil, marker: .circle, spreads: spreads)
    ]
    let levels = levels
    lines += levels.enumerated().map { index, level in
      PlotSeries(
        label: index == 0 ? "level" : "", x: [level.from, level.to],
        y: [scale.factor * level.value, scale.factor * level.value], colour: "trace-other",
        dash: .solid)
    }
    if let baseline = series.baseline, let first = x.first {
      let value = scale.factor * baseline.level
      lines.append(
        PlotSeries(
          label: "baseline", x: [first, 0], y: [value, value], colour: "trace-response",
          dash: .dashed))
    }
    let shown = zip(values, spreads).flatMap { [$0 - $1, $0 + $1] }
    let near = Self.bounds(of: series.limit).filter { isNear($0.value) }
    let unit = scale.symbol.isEmpty ? "" : ", \(scale.symbol)"
    return Plot(
      title: title, identifier: identifier,
      x: PlotAxis("days before \(CalendarDay(number: newest))", of: x, room: 0.02),
      y: PlotAxis(
        Shown.name(ofSeries: series.key.reading) + unit,
        of: shown + near.map { scale.factor * $0.value }, room: 0.06),
      series: lines,
      marks: series.told.map {
        PlotMark(
          place: .x(Double($0.point.day - newest) - 0.5),
          label: CalendarDay(number: $0.point.day).description)
      } + near.map { PlotMark(place: .y(scale.factor * $0.value), label: $0.word) },
      caption: caption)
  }

  private var caption: String {
    let unit = series.nightly.unit
    let far = Self.bounds(of: series.limit).filter { !isNear($0.value) }.map {
      "the \($0.word) of \(Shown.typeset(Shown.size($0.value, unit))) lies beyond the picture"
    }
    let trend = series.sureTrend.map {
      "drifts by "
        + Shown.typeset(
          Shown.size($0.perMonth, unit, uncertainty: $0.uncertainty)) + " a month"
    }
    let words = ([trend] + far.map(Optional.some)).compactMap(\.self)
    return words.isEmpty
      ? "\(Count.of(nights.count, "night"))."
      : "\(Count.of(nights.count, "night")); " + words.joined(separator: "; ") + "."
  }

  /// The level of each stretch between changes, in days back from the newest night.
  private var levels: [(from: Double, to: Double, value: Double)] {
    guard let first = nights.first?.day else { return [] }
    let points = series.told.map(\.point)
    guard let start = points.first else { return [] }
    var levels = [(Double(first - newest), Double(start.lastDayBefore - newest), start.before)]
    for (index, point) in points.enumerated() {
      let end = index + 1 < points.count ? points[index + 1].lastDayBefore : newest
      levels.append((Double(point.day - newest), Double(end - newest), point.after))
    }
    return levels.map { (from: $0.0, to: $0.1, value: $0.2) }
  }

  private func isNear(_ value: Double) -> Bool {
    SeriesPicture.isNear(value, to: nights.map(\.value))
  }

  static func isNear(_ value: Double, to values: [Double]) -> Bool {
    guard let low = values.min(), let high = values.max() else { return false }
    let room = max(2 * (high - low), 0.02 * max(abs(low), abs(high)))
    return ((low - room)...(high + room)).contains(value)
  }

  static func bounds(of limit: Limit?) -> [(value: Double, word: String)] {
    switch limit?.bound {
    case .below(let fail, let marginal), .above(let fail, let marginal):
      [(fail, "limit")] + (marginal.map { [($0, "marginal")] } ?? [])
    case .within(let fail, let marginal):
      [(fail, "limit"), (-fail, "limit")]
        + (marginal.map { [($0, "marginal"), (-$0, "marginal")] } ?? [])
    case .syncBands:
      [(0.012, "limit"), (-0.024, "limit"), (0.005, "marginal"), (-0.010, "marginal")]
    case nil: []
    }
  }
}

/// What takes seconds of a picture to the unit that fits them.
struct SeriesScale {
  let factor: Double
  let symbol: String

  init(_ unit: MeasurementUnit, of values: [Double]) {
    let largest = values.reduce(0) { max($0, abs($1)) }
    switch unit {
    case .second where largest < 1e-3: (factor, symbol) = (1e6, "µs")
    case .second where largest < 1: (factor, symbol) = (1e3, "ms")
    case .one, .count: (factor, symbol) = (1, "")
    default: (factor, symbol) = (1, Shown.typeset(unit.rawValue))
    }
  }
}

extension HistoryReport.ImpulseComparison {
  var plot: Plot {
    var series = [
      PlotSeries(
        label: "newest night", x: newest.impulse.milliseconds, y: newest.impulse.values,
        colour: "trace-response")
    ]
    if let baseline = baseline?.impulse {
      series.append(
        PlotSeries(
          label: "baseline", x: baseline.milliseconds, y: baseline.values, colour: "trace-other",
          dash: .dashed))
    }
    return .impulse(series, unit: newest.impulse.unit, caption: caption)
  }

  private var caption: String {
    let what =
      "What the probe of \(newest.impulse.pattern), take \(newest.impulse.take), said of the actuator "
      + "in \(newest.run), 60 to 450 Hz."
    guard let baseline else { return what + " No earlier night's response is at hand." }
    guard let difference else {
      return what + " Dashed: \(baseline.run), at another rate or in another unit."
    }
    let share = Shown.percent(difference, decimals: 1)
    return what + " Dashed: \(baseline.run). They differ by \(share) (rms)."
  }
}

extension RunRecord.Impulse {
  fileprivate var milliseconds: [Double] {
    values.indices.map { 1e3 * (start + Double($0) * step) }
  }
}

struct Sparkline {
  private static let height = 40.0
  /// At the right there is room for the dot of the newest night.
  private static let right = 236.0

  private let series: HistoryReport.Series
  private let days: ClosedRange<Int>
  private let range: ClosedRange<Double>

  init(_ series: HistoryReport.Series) {
    self.series = series
    let nights = series.nightly.nights
    days = (nights.first?.day ?? 0)...max(nights.first?.day ?? 0, nights.last?.day ?? 0)
    let values = nights.map(\.value)
    let near = SeriesPicture.bounds(of: series.limit).map(\.value)
      .filter { SeriesPicture.isNear($0, to: values) }
    let shown =
      nights.flatMap { [$0.value - $0.uncertainty, $0.value + $0.uncertainty] } + near
      + (series.baseline.map { [$0.level] } ?? [])
    let finite = shown.filter(\.isFinite)
    let (low, high) = (finite.min() ?? 0, finite.max() ?? 0)
    // What does not move lies in the middle.
    let room = high > low ? 0.06 * (high - low) : max(abs(high), 1)
    range = (low - room)...(high + room)
  }

  private func x(_ day: Double) -> Double {
    let length = Double(days.upperBound - days.lowerBound)
    return length > 0 ? Self.right * (day - Double(days.lowerBound)) / length : Self.right
  }

  private func y(_ value: Double) -> Double {
    Self.height * (range.upperBound - value) / (range.upperBound - range.lowerBound)
  }

  func write(to parent: inout Markup) {
    let nights = series.nightly.nights.filter(\.value.isFinite)
    guard let last = nights.last else { return parent.write("no night") }
    parent.element(
      "svg",
      ["class": "sparkline", "role": "img", "viewBox": "0 0 240 40", "aria-label": words(last)]
    ) { svg in
      let columns = Self.columns(nights)
      let upper = columns.map { (x: x($0.day), y: y($0.value + $0.uncertainty)) }
      let lower = columns.reversed().map { (x: x($0.day), y: y($0.value - $0.uncertainty)) }
      if columns.contains(where: { $0.uncertainty > 0 }) {
        svg.drawPath("sigma", Self.path(upper + lower) + "z")
      }
      for bound in SeriesPicture.bounds(of: series.limit) where range.contains(bound.value) {
        svg.drawPath("bound", line(at: bound.value))
      }
      if let level = series.baseline?.level { svg.drawPath("level", line(at: level)) }
      svg.drawPath("median", Self.path(columns.map { (x: x($0.day), y: y($0.value)) }))
      for change in series.told {
        let place = SVG.place(x(Double(change.point.day) - 0.5))
        svg.drawPath("shift", "M\(place) 0V40")
        svg.drawPath("shift-mark", "M\(place) 6l-3.5-6h7z")
      }
      svg.empty(
        "circle",
        [
          "class": "newest", "cx": SVG.place(x(Double(last.day))),
          "cy": SVG.place(y(last.value)), "r": "2.6",
        ])
    }
  }

  private func line(at value: Double) -> String { "M0 \(SVG.place(y(value)))H240" }

  /// At most 120 places: of several nights their middle one in size, so that a lone night is no level.
  private static func columns(
    _ nights: [Night]
  ) -> [(day: Double, value: Double, uncertainty: Double)] {
    let count = min(120, nights.count)
    return (0..<count).compactMap { column in
      let own = nights[(column * nights.count / count)..<((column + 1) * nights.count / count)]
        .sorted { ($0.value, $0.day) < ($1.value, $1.day) }
      guard !own.isEmpty else { return nil }
      let middle = own[own.count / 2]
      return (Double(middle.day), middle.value, middle.uncertainty)
    }
  }

  private static func path(_ points: [(x: Double, y: Double)]) -> String {
    points.enumerated().map { index, point in
      (index == 0 ? "M" : "L") + "\(SVG.place(point.x)) \(SVG.place(point.y))"
    }.joined()
  }

  private func words(_ last: Night) -> String {
    let unit = series.nightly.unit
    let values = series.nightly.nights.map(\.value)
    func size(_ value: Double?) -> String { Shown.size(value ?? 0, unit) }
    return "\(Count.of(values.count, "night")) from \(size(values.min())) to "
      + "\(size(values.max())), the newest \(size(last.value)), "
      + Count.of(series.changes.count, "change")
  }
}
