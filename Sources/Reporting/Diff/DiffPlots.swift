// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
private import Glibc
import Profiles
import Units

/// The profiles of the sides laid over each other.
struct DiffPlots {
  let report: DiffReport

  var all: [Plot] { [sensitivity, ceiling, impulse].compactMap(\.self) }

  private static let frequencies = (0...120).map { 40 * pow(12.5, Double($0) / 120) }

  private func label(_ side: Int, _ actuator: String) -> String {
    "\(report.sides[side].label): \(actuator)"
  }

  private func series(_ side: Int, _ actuator: String, x: [Double], y: [Double]) -> PlotSeries {
    PlotSeries(
      label: label(side, actuator), x: x, y: y, colour: PlotSeries.hue(side),
      dash: PlotSeries.dash(side))
  }

  private var sensitivity: Plot? {
    let series = report.profiles.compactMap { side -> PlotSeries? in
      guard !side.profile.model.modes.isEmpty else { return nil }
      return self.series(
        side.side, side.profile.actuator.id, x: Self.frequencies,
        y: Self.frequencies.map(side.profile.model.magnitude))
    }
    guard !series.isEmpty else { return nil }
    return Plot(
      title: "Sensitivity", identifier: "plot-sensitivity",
      x: PlotAxis("frequency, Hz", of: Self.frequencies, isLogarithmic: true),
      y: PlotAxis(
        "acceleration per volt, m/s² per V", of: series.flatMap(\.y), isLogarithmic: true,
        decades: 3, room: 0.05),
      series: series, caption: "What the profiles say of the actuators at small signal.")
  }

  private var ceiling: Plot? {
    let series = report.profiles.compactMap { side -> PlotSeries? in
      let points = side.profile.ceiling.points
      guard !points.isEmpty else { return nil }
      return self.series(
        side.side, side.profile.actuator.id, x: points.map(\.frequency),
        y: points.map(\.acceleration))
    }
    guard !series.isEmpty else { return nil }
    return Plot(
      title: "Ceiling", identifier: "plot-ceiling",
      x: PlotAxis("frequency, Hz", of: series.flatMap(\.x), isLogarithmic: true),
      y: PlotAxis(
        "strongest steady acceleration, m/s²", of: series.flatMap(\.y), isLogarithmic: true,
        decades: 3, room: 0.05),
      series: series, caption: "The strongest steady vibration that each holds.")
  }

  private var impulse: Plot? {
    guard let first = report.impulses.first else { return nil }
    let series = report.impulses.map { side in
      let impulse = side.impulse
      return self.series(
        side.side, impulse.pattern,
        x: impulse.values.indices.map { 1e3 * (impulse.start + Double($0) * impulse.step) },
        y: impulse.values)
    }
    let differences = report.impulses.dropFirst().compactMap { other in
      first.impulse.difference(to: other.impulse).map {
        "\(report.sides[other.side].label) is off by \(Shown.percent($0, decimals: 1))"
      }
    }
    return .impulse(
      series, unit: first.impulse.unit,
      caption: "What the probes say of the actuators, 60 to 450 Hz. "
        + (differences.isEmpty ? "" : differences.joined(separator: "; ") + "."))
  }
}

extension ActuatorModel {
  /// |H(f)| of the modes at small signal, m/s2 per volt.
  ///
  /// H = sum of (a + b s) s^2 / (s^2 + s w / Q + w^2), in real numbers at s = j 2 pi f.
  fileprivate func magnitude(at frequency: Double) -> Double {
    let s = 2 * Double.pi * frequency
    var (real, imaginary) = (0.0, 0.0)
    for (index, mode) in modes.enumerated() {
      let (a, b) = numerator(of: index)
      let w = 2 * Double.pi * mode.f0.value
      let (c, d) = (w * w - s * s, s * w / mode.q.value)
      let size = c * c + d * d
      // (a + j b s) (-s^2) (c - j d) / |c + j d|^2.
      real += -s * s * (a * c + b * s * d) / size
      imaginary += -s * s * (b * s * c - a * d) / size
    }
    return (real * real + imaginary * imaginary).squareRoot()
  }
}
