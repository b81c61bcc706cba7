import Acceptance
import ChangeDetection
import Units

/// A series in the size of a line of text.
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
      [
        "class": "sparkline", "role": "img", "viewBox": "0 0 240 40", "aria-label": words(last),
      ]
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
      for change in series.changes {
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
      (index == 0 ? "M" : "L")
        + "\(SVG.place(point.x)) \(SVG.place(point.y))"
    }.joined()
  }

  /// What it shows, for those who cannot see it.
  private func words(_ last: Night) -> String {
    let unit = series.nightly.unit
    let values = series.nightly.nights.map(\.value)
    func size(_ value: Double?) -> String { EngineeringFormat.text(value ?? 0, unit) }
    return "\(Count.of(values.count, "night")) from \(size(values.min())) to "
      + "\(size(values.max())), the newest \(size(last.value)), "
      + Count.of(series.changes.count, "change")
  }
}
