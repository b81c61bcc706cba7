// SPDX-License-Identifier: Apache-2.0

package import ChangeDetection

extension HistoryReport {
  /// Changes that have one cause, or may have, with what is shown of each.
  package struct Incident: Sendable, Equatable {
    package struct Other: Sendable, Equatable {
      package var change: Change
      package var tie: ChangeDetection.Incident.Tie
    }

    package var lead: Change
    /// What follows from it first.
    package var others: [Other]

    package var standing: Alarm.Standing { lead.standing }
    package var changes: [Change] { [lead] + others.map(\.change) }

    /// The nights until the first of its changes is confirmed, at the earliest; `nil` where it is more
    /// than suspected already, and where nobody can say.
    package var nightsToConfirm: Int? {
      isOpen ? changes.compactMap(\.alarm.nightsToConfirm).min() : nil
    }

    /// Whether the next nights decide on it.
    var isOpen: Bool { [.suspected, .unconfirmed].contains(standing) }

    /// The nights of its changes: its first and the last on which one of them begins.
    package var days: ClosedRange<Int> {
      let days = changes.map(\.point.day)
      let first = days.min() ?? lead.point.day
      return first...(days.max() ?? first)
    }

    /// Why it stands as it does.
    var reason: String {
      guard standing == .suspected || lead.alarm.isWeak else { return lead.alarm.reason }
      return lead.alarm.reason + ", " + needed
    }

    /// Why it stands as it does, for people: a control that holds it back by its plain name.
    var shownReason: String { standing == .heldBack ? Shown.plain(reason) : reason }

    /// How many more nights it needs.
    var needed: String {
      nightsToConfirm.map { "\(Count.of($0, "more night")) to confirm" }
        ?? (lead.alarm.isWeak
          ? "a month of such nights would not confirm it"
          : "nobody can say yet how many more it needs")
    }

    /// How many changes it has beside the one that leads, as the end of a sentence about that.
    var company: String {
      others.isEmpty ? "" : ", and \(Count.of(others.count, "more reading")) with it"
    }
  }

  /// What happened, each thing once: changes and suspicions that begin together on this rig, what
  /// needs a person first.
  package var incidents: [Incident] {
    let told = series.flatMap(\.told)
    let changes = Dictionary(told.map { ($0.alarm, $0) }) { first, _ in first }
    return ChangeDetection.Incident.among(told.map(\.alarm)).compactMap { incident in
      changes[incident.lead].map { lead in
        Incident(
          lead: lead,
          others: incident.others.compactMap { other in
            changes[other.alarm].map { .init(change: $0, tie: other.tie) }
          })
      }
    }
  }
}
