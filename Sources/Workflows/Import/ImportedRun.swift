// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
package import RunArchive

/// One run as tables tell of it: everything that they say of one moment, rig, plan and actuator.
package struct ImportedRun: Sendable {
  package struct Key: Sendable, Hashable, Comparable {
    package let began: Moment
    package let rig: String
    package let plan: String
    package let actuator: String

    package static func < (left: Self, right: Self) -> Bool {
      (left.began, left.rig, left.plan, left.actuator)
        < (right.began, right.rig, right.plan, right.actuator)
    }
  }

  /// By what a reading of a run is known again.
  struct Identity: Hashable {
    let name: ReadingName
    let pattern: String?
    let take: Int?
    let event: Int?
    let channel: String?

    init(_ reading: Reading) {
      name = reading.name
      pattern = reading.pattern
      take = reading.take
      event = reading.event
      channel = reading.channel
    }
  }

  /// Where a reading stands: the table by its place among those that were read, and its row in it.
  struct Place: Hashable {
    let table: Int
    let row: Int
    let line: Int
    let column: Int
  }

  package let key: Key
  var environment: [String: String] = [:]
  var readings: [Reading] = []
  /// Of each reading.
  var places: [Place] = []

  init(_ key: Key) { self.key = key }

  /// The rows of a table that the readings come from, those that follow one another as one range.
  func rows(of table: Int) -> [ClosedRange<Int>] {
    var ranges: [ClosedRange<Int>] = []
    for row in Set(places.filter { $0.table == table }.map(\.row)).sorted() {
      if let last = ranges.last, last.upperBound + 1 == row {
        ranges[ranges.count - 1] = last.lowerBound...row
      } else {
        ranges.append(row...row)
      }
    }
    return ranges
  }
}
