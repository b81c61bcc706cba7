import Actuators
import Perception
package import Profiles

/// What each actuator of a fleet makes felt, as one picture.
package enum FleetPicture {
  /// Draws level over frequency at the five intensities of the grid, one colour an actuator.
  ///
  /// Lines are what the profiles say, signs what was measured at points that are reached as asked; thin
  /// lines are what the laws of the first profile ask for. Actuators differ in sign and dash too, so that
  /// the picture can be read in grey. It is an SVG file of its own, light or dark as its reader's system.
  /// The profiles are under the same laws.
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
