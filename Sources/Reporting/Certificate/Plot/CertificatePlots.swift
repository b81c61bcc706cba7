import Calibration
import Profiles

/// The pictures of a certificate, each with what stands below it.
struct CertificatePlots {
  typealias Picture = (plot: Plot, caption: String)
  typealias Curve = CalibrationFigures.Curve

  let certificate: Certificate

  var figures: CalibrationFigures { certificate.figures }
  var profile: CalibrationProfile { certificate.profile }

  /// The curves, what was not measured left out.
  var all: [Picture] {
    [response, phase, impulse, distortion, levels, noise].compactMap(\.self) + motor
  }

  private var response: Picture? {
    let model = figures.model
    var series = Self.family(figures.responses)
    if let model {
      series.append(
        PlotSeries(label: model.label, x: model.x, y: model.y, colour: "hue-6", dash: .dashed))
    }
    guard !series.isEmpty else { return nil }
    let plot = Plot(
      title: "Response", identifier: "plot-response", x: Self.frequencies(series),
      y: PlotAxis(
        "acceleration per volt, m/s² per V", of: series.flatMap(\.y), isLogarithmic: true,
        decades: 3, room: 0.05),
      series: series, marks: resonances)
    return (plot, "At each level of the sweeps, with the model at small signal.")
  }

  private var resonances: [PlotMark] {
    profile.model.modes.map { mode in
      PlotMark(place: .x(mode.f0.value), label: "f0 \(QuantityText(mode.f0).value) Hz")
    }
  }

  private var phase: Picture? {
    let series = Self.family(figures.phases)
    guard !series.isEmpty else { return nil }
    let plot = Plot(
      title: "Phase", identifier: "plot-phase", x: Self.frequencies(series),
      y: PlotAxis("phase, degrees", of: series.flatMap(\.y) + [-180, 180], room: 0.03, count: 6),
      series: series.map(Self.withoutTurns),
      marks: resonances.map { PlotMark(place: $0.place, label: "") })
    return (plot, "Acceleration after voltage, the delay taken out.")
  }

  private var impulse: Picture? {
    guard let curve = figures.impulse, !curve.x.isEmpty else { return nil }
    let times = curve.x.map { 1e3 * $0 }
    let plot = Plot(
      title: "Impulse response", identifier: "plot-impulse", x: PlotAxis("time, ms", of: times),
      y: PlotAxis("share of the greatest value", of: curve.y + [-1, 1], room: 0.04),
      series: [PlotSeries(label: "", x: times, y: curve.y, colour: "trace-response")])
    return (plot, "At small signal.")
  }

  private var distortion: Picture? {
    let series = Self.family(
      figures.distortion.map { Curve(label: $0.label, x: $0.x, y: $0.y.map { 100 * $0 }) })
    guard series.contains(where: { $0.y.contains { $0 > 0 } }) else { return nil }
    let plot = Plot(
      title: "Harmonics", identifier: "plot-distortion", x: Self.frequencies(series),
      y: PlotAxis(
        "harmonics of the fundamental, %", of: series.flatMap(\.y) + [10], isLogarithmic: true,
        decades: 4, room: 0.05),
      series: series,
      marks: [
        PlotMark(place: .y(10), label: "10 %"), PlotMark(place: .y(3), label: "3 % from f0 up"),
      ])
    return (plot, "Harmonics 2 to 5 together, over the frequency of the fundamental.")
  }

  private var levels: Picture? {
    let series = figures.levels.enumerated().compactMap { index, curve -> PlotSeries? in
      guard let first = curve.y.first, first != 0 else { return nil }
      return PlotSeries(
        label: curve.label, x: curve.x, y: curve.y.map { 100 * ($0 / first - 1) },
        colour: PlotSeries.hues[index % 7], dash: PlotSeries.Dash.allCases[index % 4],
        marker: PlotSeries.Marker.allCases[index % 5])
    }
    guard !series.isEmpty else { return nil }
    let plot = Plot(
      title: "Dependence on level", identifier: "plot-levels",
      x: PlotAxis("drive, V peak", of: series.flatMap(\.x), room: 0.03),
      y: PlotAxis("change from the least drive, %", of: series.flatMap(\.y) + [0], room: 0.08),
      series: series)
    return (plot, "Resonance, quality factor and gain as the drive rises.")
  }

  private var noise: Picture? {
    guard let curve = figures.noise, curve.y.contains(where: { $0 > 0 }) else { return nil }
    let plot = Plot(
      title: "Noise at rest", identifier: "plot-noise",
      x: PlotAxis(
        "frequency, Hz", of: curve.x, isLogarithmic: true, decades: 3),
      y: PlotAxis(
        "noise density, m/s² per √Hz", of: curve.y, isLogarithmic: true, decades: 5, room: 0.05),
      series: [PlotSeries(label: "", x: curve.x, y: curve.y, colour: "trace-drive")])
    return (plot, "The sensor's signal while nothing was driven.")
  }

  private var motor: [Picture] {
    var curves = figures.motor
    if curves.isEmpty, let points = profile.motorCurve?.points {
      curves = [
        Curve(label: "speed", x: points.map(\.volts), y: points.map(\.frequency)),
        Curve(label: "acceleration", x: points.map(\.volts), y: points.map(\.acceleration)),
      ]
    }
    return curves.enumerated().filter { !$0.element.x.isEmpty }.map { index, curve in
      let isOverTime = curve.label == "spin-up"
      let x = isOverTime ? curve.x.map { 1e3 * $0 } : curve.x
      let plot = Plot(
        title: curve.label == "spin-up" ? "Spin-up" : "Motor: \(curve.label)",
        identifier: "plot-motor-\(index + 1)",
        x: PlotAxis(isOverTime ? "time, ms" : "voltage, V", of: x, room: 0.02),
        y: PlotAxis(
          curve.label == "acceleration"
            ? "acceleration, m/s² peak" : "speed, turns per second (Hz)",
          of: curve.y + [0], room: 0.05),
        series: [
          PlotSeries(
            label: "", x: x, y: curve.y, colour: "trace-response",
            marker: isOverTime ? nil : .circle)
        ])
      return (plot, isOverTime ? "Speed after a step of the voltage." : "Steady states.")
    }
  }

  /// Curves of several levels, each in the colour of its level; sweeps down are dotted.
  ///
  /// The level is the number that a label begins with; without one the order counts.
  static func family(_ curves: [Curve]) -> [PlotSeries] {
    let numbers = curves.compactMap { curve in
      Double(curve.label.prefix { $0.isNumber || $0 == "." })
    }
    let levels =
      numbers.count == curves.count ? numbers : curves.indices.map { Double($0) }
    let ranks = Set(levels).sorted()
    return zip(curves, levels).map { curve, level in
      PlotSeries(
        label: curve.label, x: curve.x, y: curve.y,
        colour: PlotSeries.ramp(ranks.firstIndex(of: level) ?? 0, of: ranks.count),
        dash: curve.label.hasSuffix("down") ? .dotted : .solid)
    }
  }

  static func frequencies(_ series: [PlotSeries]) -> PlotAxis {
    PlotAxis("frequency, Hz", of: series.flatMap(\.x), isLogarithmic: true, decades: 4)
  }

  /// A phase that passes 180 degrees goes on at -180: the jump is no part of the curve.
  private static func withoutTurns(_ series: PlotSeries) -> PlotSeries {
    var (cut, x, y) = (series, [Double](), [Double]())
    for (index, value) in series.y.enumerated() where index < series.x.count {
      if let last = y.last, abs(value - last) > 180 {
        x.append(series.x[index])
        y.append(.nan)
      }
      x.append(series.x[index])
      y.append(value)
    }
    (cut.x, cut.y) = (x, y)
    return cut
  }
}
