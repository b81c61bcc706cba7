// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Calibration
import Perception
import Profiles

extension CertificatePlots {
  var ceiling: Plot? {
    let points = profile.ceiling.points
    guard !points.isEmpty else { return nil }
    var series = [
      PlotSeries(
        label: "", x: points.map(\.frequency), y: points.map(\.acceleration),
        colour: "trace-drive")
    ]
    for (index, binding) in ReachableCeiling.Binding.allCases.enumerated() {
      let bound = points.filter { $0.binding == binding }
      guard !bound.isEmpty else { continue }
      series.append(
        PlotSeries(
          label: binding.words, x: bound.map(\.frequency), y: bound.map(\.acceleration),
          colour: PlotSeries.hue(index), dash: nil, marker: PlotSeries.marker(index),
          isFilled: index < 5))
    }
    let laws = profile.laws
    let wanted = points.map(\.frequency)
    let accelerations = wanted.map {
      laws.contour.acceleration(sensationLevel: laws.referenceLevel, at: $0)
    }
    series.append(
      PlotSeries(label: "intensity 1", x: wanted, y: accelerations, colour: "hue-6", dash: .dashed))
    return overFrequency(
      "Strongest steady vibration", "plot-ceiling", series,
      y: PlotAxis(
        "acceleration, m/s² peak", of: series.flatMap(\.y), isLogarithmic: true, decades: 3,
        room: 0.06),
      caption: "What keeps it from being stronger, and what intensity 1 asks for.")
  }

  /// What it can do, as it is felt: its strongest steady vibration over what intensities ask for.
  var reach: Plot? {
    let laws = profile.laws
    let ends = [laws.sharpness.frequency(of: 0), laws.sharpness.frequency(of: 1)].sorted()
    let band = (0.8 * ends[0])...(1.25 * ends[1])
    let points = profile.ceiling.points.filter { band.contains($0.frequency) }
    guard !points.isEmpty else { return nil }
    func level(_ acceleration: Double, _ frequency: Double) -> Double {
      laws.contour.sensationLevel(acceleration: acceleration, at: frequency)
    }
    let steps = (0...40).map { laws.sharpness.frequency(of: Double($0) / 40) }
    let dashes: [PlotSeries.Dash] = [.dashed, .mixed, .dotted]
    var series = [
      PlotSeries(
        label: "strongest it can do", x: points.map(\.frequency),
        y: points.map { level($0.acceleration, $0.frequency) }, colour: "trace-response")
    ]
    for (intensity, dash) in zip([1, 0.5, 0.25], dashes) {
      series.append(
        PlotSeries(
          label: "intensity \(Shown.number(intensity))", x: steps,
          y: steps.map {
            level(laws.target.acceleration(intensity: intensity, frequency: $0), $0)
          }, colour: "hue-6", dash: dash))
    }
    let measured = profile.verification?.grid.filter {
      $0.isInside && $0.level.isFinite && $0.frequency.isFinite
    }
    if let measured, !measured.isEmpty {
      series.append(
        PlotSeries(
          label: "measured", x: measured.map(\.frequency), y: measured.map(\.level),
          colour: "trace-target", dash: nil, marker: .circle))
    }
    return Plot(
      title: "How strong, by frequency", identifier: "plot-reach",
      x: PlotAxis("frequency, Hz", of: [band.lowerBound, band.upperBound], isLogarithmic: true),
      y: PlotAxis(
        "dB above the threshold of feeling", of: series.flatMap(\.y) + [0], room: 0.04),
      series: series,
      caption: "Where the solid line lies above a broken one, it reaches that intensity. Circles: "
        + "tones that were measured with the profile, played as asked.")
  }
}
