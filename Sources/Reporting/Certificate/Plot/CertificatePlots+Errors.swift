import Calibration
import Perception
import Profiles

extension CertificatePlots {
  /// The ceiling with what it comes from.
  var ceiling: Picture? {
    let points = profile.ceiling.points
    guard !points.isEmpty else { return nil }
    var series = [
      PlotSeries(
        label: "", x: points.map(\.frequency), y: points.map(\.acceleration),
        colour: "trace-drive")
    ]
    let bindings = ReachableCeiling.Binding.allCases
    for (index, binding) in bindings.enumerated() {
      let bound = points.filter { $0.binding == binding }
      guard !bound.isEmpty else { continue }
      series.append(
        PlotSeries(
          label: binding.words, x: bound.map(\.frequency), y: bound.map(\.acceleration),
          colour: PlotSeries.hues[index % 7], dash: nil,
          marker: PlotSeries.Marker.allCases[index % 5], isFilled: index < 5))
    }
    let laws = profile.laws
    let wanted = points.map(\.frequency)
    series.append(
      PlotSeries(
        label: "intensity 1", x: wanted,
        y: wanted.map {
          laws.contour.acceleration(sensationLevel: laws.referenceLevel, at: $0)
        }, colour: "hue-6", dash: .dashed))
    let plot = Plot(
      title: "Strongest steady vibration", identifier: "plot-ceiling",
      x: Self.frequencies(series),
      y: PlotAxis(
        "acceleration, m/s² peak", of: series.flatMap(\.y), isLogarithmic: true, decades: 3,
        room: 0.06),
      series: series)
    return (plot, "What keeps it from being stronger, and what intensity 1 asks for.")
  }

  /// Errors of level over the grid, without and with the profile, and those with it alone.
  var errors: [Picture] { [beforeAndAfter, remaining, pattern].compactMap(\.self) }

  private var beforeAndAfter: Picture? {
    let before = figures.grid.compactMap { point in
      point.beforeLevel.map { (point.targetFrequency, $0 - point.targetLevel) }
    }
    guard !before.isEmpty else { return nil }
    let after = figures.grid.map { ($0.targetFrequency, $0.level - $0.targetLevel) }
    let series = [
      PlotSeries(
        label: "without a profile (model)", x: before.map(\.0), y: before.map(\.1),
        colour: "hue-1", dash: nil, marker: .square, isFilled: false),
      PlotSeries(
        label: "with the profile (measured)", x: after.map(\.0), y: after.map(\.1),
        colour: "hue-0", dash: nil, marker: .circle),
    ]
    let plot = Plot(
      title: "Level error before and after", identifier: "plot-before",
      x: Self.grid(figures.grid.map(\.targetFrequency)),
      y: PlotAxis("level less target, dB", of: series.flatMap(\.y) + [0], room: 0.06),
      series: series)
    return (plot, "All points of the grid, those beyond reach among them.")
  }

  private var remaining: Picture? {
    let points = profile.verification?.grid.filter(\.isInside) ?? []
    guard !points.isEmpty else { return nil }
    func series(
      _ label: String, _ points: [ProfileVerification.GridPoint], _ index: Int
    ) -> PlotSeries? {
      guard !points.isEmpty else { return nil }
      return PlotSeries(
        label: label, x: points.map(\.targetFrequency),
        y: points.map { $0.level - $0.targetLevel }, colour: PlotSeries.hues[index % 7], dash: nil,
        marker: PlotSeries.Marker.allCases[index % 5], isFilled: index < 5,
        spreads: points.map(\.uncertainty))
    }
    let grid = points.filter { !$0.isHeldOut }
    let intensities = Set(grid.map(\.intensity)).sorted()
    var all: [PlotSeries?]
    if intensities.count <= 6 {
      all = intensities.enumerated().map { index, intensity in
        series(
          "intensity \(Shown.number(intensity))", grid.filter { $0.intensity == intensity }, index)
      }
    } else {
      all = [series("grid", grid, 0)]
    }
    all.append(series("held out", points.filter(\.isHeldOut), 6))
    let shown = all.compactMap(\.self)
    let reach = points.map { abs($0.level - $0.targetLevel) + $0.uncertainty }.filter(\.isFinite)
    let height = max(1.2, reach.max() ?? 0)
    let plot = Plot(
      title: "Level error with the profile", identifier: "plot-after",
      x: Self.grid(points.map(\.targetFrequency)),
      y: PlotAxis("level less target, dB", of: [-height, height], room: 0.04), series: shown,
      marks: [
        PlotMark(place: .y(1.1), label: "goal for 95 %"), PlotMark(place: .y(-1.1), label: ""),
      ])
    return (plot, "Points that the actuator reaches; bars are the expanded uncertainty, k = 2.")
  }

  /// The envelope of the pattern that nothing was fitted to.
  private var pattern: Picture? {
    guard let asked = figures.pattern.first, figures.pattern.count == 2 else { return nil }
    let measured = figures.pattern[1]
    let series = [
      PlotSeries(label: asked.label, x: asked.x, y: asked.y, colour: "hue-6", dash: .dashed),
      PlotSeries(
        label: measured.label, x: measured.x, y: measured.y, colour: "trace-response", dash: nil,
        marker: .circle),
    ]
    let plot = Plot(
      title: "Envelope of a held-out pattern", identifier: "plot-pattern",
      x: PlotAxis("time, s", of: asked.x),
      y: PlotAxis("acceleration, m/s²", of: asked.y + measured.y, room: 0.06), series: series)
    return (plot, "Windows of 20 ms in which the actuator reaches all that is asked.")
  }

  private static func grid(_ frequencies: [Double]) -> PlotAxis {
    PlotAxis("frequency asked for, Hz", of: frequencies, isLogarithmic: true, room: 0.06)
  }

  /// Every tap: acceleration as wanted and as measured, and the voltage that made it.
  var taps: [Picture] {
    figures.taps.enumerated().flatMap { index, tap -> [Picture] in
      let name =
        "intensity \(Shown.number(tap.intensity)), sharpness \(Shown.number(tap.sharpness))"
      let times = tap.time.map { 1e3 * $0 }
      guard !times.isEmpty else { return [] }
      var marks = [PlotMark(place: .x(1e3 * tap.end), label: "intended end")]
      if let t20 = tap.t20 {
        marks.append(
          PlotMark(
            place: .x(1e3 * (tap.end + t20)), label: "-20 dB, \(Shown.fixed(1e3 * t20, 1, "ms"))"))
      }
      let motion = [
        PlotSeries(label: "wanted", x: times, y: tap.wanted, colour: "hue-6", dash: .dashed),
        PlotSeries(label: "measured", x: times, y: tap.measured, colour: "trace-response"),
      ]
      let drive = PlotSeries(label: "voltage", x: times, y: tap.volts, colour: "trace-drive")
      let axis = PlotAxis("time, ms", of: times)
      return [
        (
          Plot(
            title: "Tap, \(name)", identifier: "plot-tap-\(index + 1)", x: axis,
            y: PlotAxis("acceleration, m/s²", of: motion.flatMap(\.y), room: 0.08), series: motion,
            marks: marks), ""
        ),
        (
          Plot(
            title: "Its drive", identifier: "plot-tap-\(index + 1)-drive", x: axis,
            y: PlotAxis("voltage, V", of: drive.y + [0], room: 0.08), series: [drive],
            marks: [marks[0]]), ""
        ),
      ]
    }
  }
}
