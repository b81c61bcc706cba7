// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Reporting

/// The temperatures of a rig's nights, as its runs measured them.
struct NightTemperatures {
  /// By the actuator, then by the day, in degrees Celsius.
  private var nights: [String: [Int: Double]] = [:]

  init(_ all: [NightlySeries]) {
    // Those of whole runs come first; tables may know them by pattern alone.
    for one in all.filter(\.key.isOfSurroundings).sorted(by: { $0.key < $1.key }) {
      nights[one.key.actuator, default: [:]].merge(one.nights.map { ($0.day, $0.value) }) {
        first, _ in first
      }
    }
  }

  /// How a series goes with them; `nil` where they are not known, or too much alike.
  func effect(on history: SeriesHistory) -> TemperatureEffect? {
    guard !history.nightly.key.isOfSurroundings, let own = nights[history.nightly.key.actuator]
    else { return nil }
    return TemperatureEffect(
      of: history.nightly, temperatures: own,
      steps: history.points.filter { $0.state == .confirmed }.map(\.index))
  }
}
