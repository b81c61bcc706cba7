// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Units

/// How series go with the temperature of their nights, in words: the sure ones alone.
enum TemperatureText {
  /// `-0.100 ± 0.012 %/K` for what is a share of a level, `+0.012 ± 0.003 dB/K` for the rest.
  static func slope(_ effect: TemperatureEffect, _ unit: MeasurementUnit) -> String {
    let sign = effect.perKelvin > 0 ? "+" : ""
    if isRelative(unit), effect.level != 0 {
      let share = 100 / abs(effect.level)
      return sign
        + EngineeringFormat.text(
          effect.perKelvin * share, .percent, uncertainty: effect.uncertainty * share) + "/K"
    }
    let text = Shown.size(
      effect.perKelvin, unit, uncertainty: effect.uncertainty)
    return "\(sign)\(text)\(unit == .one || unit == .count ? " " : "")/K"
  }

  /// Frequencies and levels are told as shares; what is a difference or a logarithm already is not.
  private static func isRelative(_ unit: MeasurementUnit) -> Bool {
    [.hertz, .metrePerSecondSquared, .volt].contains(unit)
  }

  static func basis(_ effect: TemperatureEffect) -> String {
    let (coldest, warmest) = (effect.temperatures.lowerBound, effect.temperatures.upperBound)
    return "\(Count.of(effect.count, "night")), \(EngineeringFormat.fixed(coldest, 1)) to "
      + "\(EngineeringFormat.fixed(warmest, 1)) degC"
  }
}

extension HistoryReport {
  /// The series that surely go with the temperature.
  var warmSeries: [(series: Series, effect: TemperatureEffect)] {
    series.compactMap { series in
      series.temperature.flatMap { $0.isSure ? (series, $0) : nil }
    }
  }
}
