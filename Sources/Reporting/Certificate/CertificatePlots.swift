// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import Perception
package import Profiles

struct CertificatePlots {
  typealias Curve = CalibrationFigures.Curve

  let certificate: Certificate

  private var figures: CalibrationFigures { certificate.figures }
  var profile: CalibrationProfile { certificate.profile }

  var curves: [Plot] {
    [response, phase, impulse, distortion, levels, noise].compactMap(\.self) + motor
  }

  /// Curves over frequency on an ordinate of some decades; nil of none.
  func overFrequency(
    _ title: String, _ identifier: String, _ series: [PlotSeries], y: PlotAxis,
    marks: [PlotMark] = [], caption: String
  ) -> Plot? {
    guard !series.isEmpty else { return nil }
    let x = PlotAxis("frequency, Hz", of: series.flatMap(\.x), isLogarithmic: true, decades: 4)
    return Plot(
      title: title, identifier: identifier, x: x, y: y, series: series, marks: marks,
      caption: caption)
  }

  private var response: Plot? {
    let model = figures.model.map { PlotSeries($0, colour: "hue-6", dash: .dashed) }
    let series = Self.family(figures.responses) + [model].compactMap(\.self)
    return overFrequency(
      "Response", "plot-response", series,
      y: PlotAxis(
        "acceleration per volt, m/s² per V", of: series.flatMap(\.y), isLogarithmic: true,
        decades: 3, room: 0.05),
      marks: resonances, caption: "At each level of the sweeps, with the model at small signal.")
  }

  private var resonances: [PlotMark] {
    profile.model.modes.map { mode in
      PlotMark(place: .x(mode.f0.value), label: "f0 \(QuantityText(mode.f0).value) Hz")
    }
  }

  private var phase: Plot? {
    let series = Self.family(figures.phases)
    return overFrequency(
      "Phase", "plot-phase", series.map(Self.withoutTurns),
      y: PlotAxis("phase, degrees", of: series.flatMap(\.y) + [-180, 180], room: 0.03, count: 6),
      marks: resonances.map { PlotMark(place: $0.place, label: "") },
      caption: "Acceleration after voltage, the delay taken out.")
  }

  private var impulse: Plot? {
    guard let curve = figures.impulse, !curve.x.isEmpty else { return nil }
    let times = curve.x.map { 1e3 * $0 }
    return Plot(
      title: "Impulse response", identifier: "plot-impulse", x: PlotAxis("time, ms", of: times),
      y: PlotAxis("share of the greatest value", of: curve.y + [-1, 1], room: 0.04),
      series: [PlotSeries(label: "", x: times, y: curve.y, colour: "trace-response")],
      caption: "At small signal.")
  }

  private var distortion: Plot? {
    let series = Self.family(
      figures.distortion.map { Curve(label: $0.label, x: $0.x, y: $0.y.map { 100 * $0 }) })
    guard series.contains(where: { $0.y.contains { $0 > 0 } }) else { return nil }
    return overFrequency(
      "Harmonics", "plot-distortion", series,
      y: PlotAxis(
        "harmonics of the fundamental, %", of: series.flatMap(\.y) + [10], isLogarithmic: true,
        decades: 4, room: 0.05),
      marks: [
        PlotMark(place: .y(10), label: "10 %"), PlotMark(place: .y(3), label: "3 % from f0 up"),
      ],
      caption: "Harmonics 2 to 5 together, over the frequency of the fundamental.")
  }

  private var levels: Plot? {
    let series = figures.levels.enumerated().compactMap { index, curve -> PlotSeries? in
      guard let first = curve.y.first, first != 0 else { return nil }
      return PlotSeries(
        label: curve.label, x: curve.x, y: curve.y.map { 100 * ($0 / first - 1) },
        colour: PlotSeries.hue(index), dash: PlotSeries.dash(index),
        marker: PlotSeries.marker(index))
    }
    guard !series.isEmpty else { return nil }
    return Plot(
      title: "Dependence on level", identifier: "plot-levels",
      x: PlotAxis("drive, V peak", of: series.flatMap(\.x), room: 0.03),
      y: PlotAxis("change from the least drive, %", of: series.flatMap(\.y) + [0], room: 0.08),
      series: series,
      caption: "Resonance, quality factor and gain as the drive rises.")
  }

  private var noise: Plot? {
    guard let curve = figures.noise, curve.y.contains(where: { $0 > 0 }) else { return nil }
    return Plot(
      title: "Noise at rest", identifier: "plot-noise",
      x: PlotAxis("frequency, Hz", of: curve.x, isLogarithmic: true, decades: 3),
      y: PlotAxis(
        "noise density, m/s² per √Hz", of: curve.y, isLogarithmic: true, decades: 5, room: 0.05),
      series: [PlotSeries(curve, label: "", colour: "trace-drive")],
      caption: "The sensor's signal while nothing was driven.")
  }

  private var motor: [Plot] {
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
      return Plot(
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
        ],
        caption: isOverTime ? "Speed after a step of the voltage." : "Steady states.")
    }
  }

  /// Curves of several levels, each in the colour of its level; sweeps down are dotted.
  ///
  /// The level is the number that a label begins with; without one the order counts.
  private static func family(_ curves: [Curve]) -> [PlotSeries] {
    let numbers = curves.compactMap { Double($0.label.prefix { $0.isNumber || $0 == "." }) }
    let levels = numbers.count == curves.count ? numbers : curves.indices.map { Double($0) }
    let ranks = Set(levels).sorted()
    return zip(curves, levels).map { curve, level in
      PlotSeries(
        curve, colour: PlotSeries.ramp(ranks.firstIndex(of: level) ?? 0, of: ranks.count),
        dash: curve.label.hasSuffix("down") ? .dotted : .solid)
    }
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

extension PlotSeries {
  fileprivate init(
    _ curve: CalibrationFigures.Curve, label: String? = nil, colour: String,
    dash: Dash? = .solid, marker: Marker? = nil
  ) {
    self.init(
      label: label ?? curve.label, x: curve.x, y: curve.y, colour: colour, dash: dash,
      marker: marker)
  }
}

extension CertificatePlots {
  var errors: [Plot] { [beforeAndAfter, remaining, pattern].compactMap(\.self) }

  private var beforeAndAfter: Plot? {
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
    return Plot(
      title: "Level error before and after", identifier: "plot-before",
      x: Self.grid(figures.grid.map(\.targetFrequency)),
      y: PlotAxis("level less target, dB", of: series.flatMap(\.y) + [0], room: 0.06),
      series: series,
      caption: "All points of the grid, those beyond reach among them.")
  }

  private var remaining: Plot? {
    let points = profile.verification?.grid.filter(\.isInside) ?? []
    guard !points.isEmpty else { return nil }
    func series(
      _ label: String, _ points: [ProfileVerification.GridPoint], _ index: Int
    ) -> PlotSeries? {
      guard !points.isEmpty else { return nil }
      return PlotSeries(
        label: label, x: points.map(\.targetFrequency),
        y: points.map { $0.level - $0.targetLevel }, colour: PlotSeries.hue(index), dash: nil,
        marker: PlotSeries.marker(index), isFilled: index < 5,
        spreads: points.map(\.uncertainty))
    }
    let grid = points.filter { !$0.isHeldOut }
    let intensities = Set(grid.map(\.intensity)).sorted()
    var all =
      intensities.count > 6
      ? [series("grid", grid, 0)]
      : intensities.enumerated().map { index, intensity in
        let own = grid.filter { $0.intensity == intensity }
        return series("intensity \(Shown.number(intensity))", own, index)
      }
    all.append(series("held out", points.filter(\.isHeldOut), 6))
    let reach = points.map { abs($0.level - $0.targetLevel) + $0.uncertainty }.filter(\.isFinite)
    let height = max(1.2, reach.max() ?? 0)
    return Plot(
      title: "Level error with the profile", identifier: "plot-after",
      x: Self.grid(points.map(\.targetFrequency)),
      y: PlotAxis("level less target, dB", of: [-height, height], room: 0.04),
      series: all.compactMap(\.self),
      marks: [
        PlotMark(place: .y(1.1), label: "goal for 95 %"), PlotMark(place: .y(-1.1), label: ""),
      ],
      caption: "Points that the actuator reaches; bars are the expanded uncertainty, k = 2.")
  }

  private var pattern: Plot? {
    guard let asked = figures.pattern.first, figures.pattern.count == 2 else { return nil }
    let measured = figures.pattern[1]
    let series = [
      PlotSeries(asked, colour: "hue-6", dash: .dashed),
      PlotSeries(measured, colour: "trace-response", dash: nil, marker: .circle),
    ]
    return Plot(
      title: "Envelope of a held-out pattern", identifier: "plot-pattern",
      x: PlotAxis("time, s", of: asked.x),
      y: PlotAxis("acceleration, m/s²", of: asked.y + measured.y, room: 0.06), series: series,
      caption: "Windows of 20 ms in which the actuator reaches all that is asked.")
  }

  private static func grid(_ frequencies: [Double]) -> PlotAxis {
    PlotAxis("frequency asked for, Hz", of: frequencies, isLogarithmic: true, room: 0.06)
  }

  var taps: [Plot] {
    var pictures: [Plot] = []
    for (index, tap) in figures.taps.enumerated() where !tap.time.isEmpty {
      let name =
        "intensity \(Shown.number(tap.intensity)), sharpness \(Shown.number(tap.sharpness))"
      let times = tap.time.map { 1e3 * $0 }
      let end = PlotMark(place: .x(1e3 * tap.end), label: "intended end")
      let tail = tap.t20.map {
        PlotMark(
          place: .x(1e3 * (tap.end + $0)), label: "-20 dB, \(Shown.fixed(1e3 * $0, 1, "ms"))")
      }
      let motion = [
        PlotSeries(label: "wanted", x: times, y: tap.wanted, colour: "hue-6", dash: .dashed),
        PlotSeries(label: "measured", x: times, y: tap.measured, colour: "trace-response"),
      ]
      let drive = PlotSeries(label: "voltage", x: times, y: tap.volts, colour: "trace-drive")
      let axis = PlotAxis("time, ms", of: times)
      let acceleration = Plot(
        title: "Tap, \(name)", identifier: "plot-tap-\(index + 1)", x: axis,
        y: PlotAxis("acceleration, m/s²", of: motion.flatMap(\.y), room: 0.08), series: motion,
        marks: [end, tail].compactMap(\.self))
      let voltage = Plot(
        title: "Its drive", identifier: "plot-tap-\(index + 1)-drive", x: axis,
        y: PlotAxis("voltage, V", of: drive.y + [0], room: 0.08), series: [drive], marks: [end])
      pictures += [acceleration, voltage]
    }
    return pictures
  }
}

package enum FleetPicture {
  /// Draws level over frequency at the five intensities of the grid, of profiles under the same laws.
  ///
  /// Lines are what the profiles say, signs what was measured at points that are reached as asked; thin
  /// lines are what the laws ask for. Actuators differ in sign and dash too, to be read in grey.
  package static func svg(of profiles: [CalibrationProfile]) -> String {
    let series =
      (profiles.first.map { targets($0.laws) } ?? [])
      + profiles.enumerated().flatMap { index, profile in curves(of: profile, index) }
    let plot = Plot(
      title: title(profiles), identifier: "fleet",
      x: PlotAxis(
        "frequency, Hz", of: series.flatMap(\.x), isLogarithmic: true, room: 0.04, count: 7),
      y: PlotAxis("level, dB above threshold", of: series.flatMap(\.y), room: 0.05, count: 6),
      series: series)
    var markup = Markup()
    plot.write(to: &markup, standsAlone: true)
    markup.breakLine()
    return markup.text
  }

  private static func title(_ profiles: [CalibrationProfile]) -> String {
    let count = Count.of(profiles.count, "actuator")
    let intensities = FeltGrid.intensities.map { Shown.number($0) }.joined(separator: ", ")
    return
      "What \(count) \(profiles.count == 1 ? "makes" : "make") felt at intensity \(intensities)"
  }

  private static let sharpnesses = (0...24).map { Double($0) / 24 }

  private static func targets(_ laws: ProfileLaws) -> [PlotSeries] {
    let frequencies = sharpnesses.map { laws.sharpness.frequency(of: $0) }
    return FeltGrid.intensities.enumerated().map { index, intensity in
      PlotSeries(
        label: index == 0 ? "asked for" : "", x: frequencies,
        y: frequencies.map {
          laws.contour.sensationLevel(
            acceleration: laws.target.acceleration(intensity: intensity, frequency: $0), at: $0)
        }, colour: "asked")
    }
  }

  private static func curves(of profile: CalibrationProfile, _ index: Int) -> [PlotSeries] {
    let (colour, dash) = (PlotSeries.hue(index), PlotSeries.dash(index))
    let isFilled = index / PlotSeries.Marker.allCases.count % 2 == 0
    let lines = FeltGrid.intensities.map { intensity in
      let felt = FeltGrid(
        predicting: profile, at: sharpnesses.map { (intensity: intensity, sharpness: $0) })
      return PlotSeries(
        label: "", x: felt.points.map(\.frequency), y: felt.points.map(\.level), colour: colour,
        dash: dash)
    }
    let points = FeltGrid(measuredIn: profile)?.points.filter(\.isInside) ?? []
    let measured = PlotSeries(
      label: profile.actuator.id, x: points.map(\.frequency), y: points.map(\.level),
      colour: colour, dash: nil, marker: PlotSeries.marker(index), isFilled: isFilled,
      legendDash: dash)
    return lines + [measured]
  }
}
