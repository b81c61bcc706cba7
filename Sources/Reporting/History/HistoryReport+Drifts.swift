// SPDX-License-Identifier: Apache-2.0

import Acceptance
package import ChangeDetection
import Units

extension Drift {
  /// How it is coloured: it asks for a look, unless it is for the better.
  var verdict: Verdict { lead.course == .better ? .pass : .marginal }
}

extension HistoryReport {
  /// What drifts, each thing once, the surest first; series of which a step is not sure yet are left to that.
  package var drifts: [Drift] {
    let open: Set<Alarm.Standing> = [.unconfirmed, .suspected]
    return Drift.among(
      series.compactMap { one in
        guard let trend = one.trend, !one.told.contains(where: { open.contains($0.standing) })
        else { return nil }
        return (one.nightly, trend)
      })
  }

  /// Whose change it is.
  package enum Owner: String, Sendable, Hashable {
    /// The measurement's own: the product need not have changed.
    case rig
    case product
  }

  /// Whose the change of a series is; `nil` where the plan has no control that could tell.
  func owner(of key: SeriesKey, _ standing: Alarm.Standing? = nil) -> Owner? {
    if key.isOfRig || standing == .heldBack { return .rig }
    return hasControl ? .product : nil
  }

  /// `peak acceleration of tap falls by 0.020 ± 0.001 m/s2 a month`.
  ///
  /// `typeset` is how sizes are shown.
  func sentence(of line: Drift.Line, typeset: (String) -> String = { $0 }) -> String {
    let size = typeset(
      Shown.size(
        abs(line.trend.perMonth), unit(of: line.key), uncertainty: line.trend.uncertainty))
    let verb = line.trend.perMonth > 0 ? "rises" : "falls"
    return "\(subject(of: line.key)) \(verb) by \(size) a month"
  }

  /// `since 2026-01-05 (60 nights), by -0.110 m/s2 in all`.
  func basis(of line: Drift.Line, typeset: (String) -> String = { $0 }) -> String {
    let sign = line.distance > 0 ? "+" : ""
    return "since \(CalendarDay(number: line.from)) (\(Count.of(line.trend.count, "night"))), by "
      + sign + typeset(Shown.size(line.distance, unit(of: line.key))) + " in all"
  }

  func unit(of key: SeriesKey) -> MeasurementUnit {
    series.first { $0.key == key }?.nightly.unit ?? .one
  }
}
