// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Units

@testable import ChangeDetection

/// Makes a series of consecutive nights, or of nights on the days given.
func series(
  _ values: [Double], days: [Int]? = nil, uncertainty: Double = 0, unit: MeasurementUnit = .second,
  key: SeriesKey = SeriesKey(rig: "bench", reading: "latency.onset")
) -> NightlySeries {
  NightlySeries(
    key: key, unit: unit,
    nights: values.enumerated().map { index, value in
      Night(day: days?[index] ?? index, value: value, uncertainty: uncertainty, run: "\(index)")
    })
}

/// Makes nights about a level of 10 with a scatter of 0.2.
func quietNights(_ count: Int, seed: UInt64) -> [Double] {
  var random = SeededRandom(seed: seed)
  return (0..<count).map { _ in 10 + 0.2 * random.gaussian() }
}

/// Makes a change point.
func point(
  day: Int, lastDayBefore: Int? = nil, from before: Double = 10, to after: Double = 11,
  state: ChangePoint.State = .confirmed
) -> ChangePoint {
  ChangePoint(
    index: day, day: day, lastDayBefore: lastDayBefore ?? day - 1, before: before, after: after,
    uncertainty: 0.1, significance: 1e-6, state: state)
}
