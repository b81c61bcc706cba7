// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Profiles
import Workflows

extension CalibrationProfile {
  /// Whole days since it was measured, by UTC; `nil` where its date is none.
  var ageDays: Int? {
    guard let made = CalendarDay(source.date), let today = CalendarDay(Host.time("%Y-%m-%d"))
    else { return nil }
    return today.number - made.number
  }
}
