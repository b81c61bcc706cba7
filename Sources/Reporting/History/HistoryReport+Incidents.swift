package import ChangeDetection
import Units

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
    /// The nights until the first of what is suspected is a confirmed change, at the earliest.
    package var nightsToConfirm: Int?

    package var standing: Alarm.Standing { lead.standing }
    package var changes: [Change] { [lead] + others.map(\.change) }

    /// The nights of its changes: its first and the last on which one of them begins.
    package var days: ClosedRange<Int> {
      let days = changes.map(\.point.day)
      let first = days.min() ?? lead.point.day
      return first...(days.max() ?? first)
    }

    /// Why it stands as it does.
    var reason: String {
      guard standing == .suspected else { return lead.alarm.reason }
      let needed = nightsToConfirm.map { "\(Count.of($0, "more night")) to confirm" }
      return lead.alarm.reason + ", " + (needed ?? "nobody can say yet how many more it needs")
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
    let changes = Dictionary(told.map { (ChangeIdentity($0.alarm), $0) }) { first, _ in first }
    return ChangeDetection.Incident.among(told.map(\.alarm)).compactMap { incident in
      guard let lead = changes[ChangeIdentity(incident.lead)] else { return nil }
      return Incident(
        lead: lead,
        others: incident.others.compactMap { other in
          changes[ChangeIdentity(other.alarm)].map { .init(change: $0, tie: other.tie) }
        }, nightsToConfirm: incident.nightsToConfirm)
    }
  }

  private struct ChangeIdentity: Hashable {
    let key: SeriesKey
    let index: Int
    let standing: Alarm.Standing

    init(_ alarm: Alarm) { (key, index, standing) = (alarm.key, alarm.point.index, alarm.standing) }
  }

  func suspicion(of incident: Incident) -> String {
    let (point, unit) = (incident.lead.point, incident.lead.unit)
    return "Suspected since \(CalendarDay(number: point.day)): \(subject(of: incident.lead)) "
      + "\(Self.effect(of: point, unit)) (\(EngineeringFormat.text(point.before, unit)) to "
      + "\(EngineeringFormat.text(point.after, unit)))\(incident.company); \(incident.reason)"
  }

  /// What the leading change is to another one of its incident: `explains 218 of 220 us`.
  static func words(of tie: ChangeDetection.Incident.Tie, _ change: Change) -> String {
    func share(_ amount: Double) -> String {
      let whole = EngineeringFormat.text(change.point.effect, change.unit)
      let part = EngineeringFormat.text(amount, change.unit)
      guard let unit = whole.split(separator: " ").last, part.hasSuffix(" \(unit)") else {
        return "\(part) of \(whole)"
      }
      return "\(part.dropLast(unit.count + 1)) of \(whole)"
    }
    return switch tie {
    case .follows(let amount?): "explains \(share(amount))"
    case .follows(nil): "follows from it"
    case .exceeds(let amount): "explains only \(share(amount))"
    case .precedes: "explains it"
    case .beside: "not explained by it"
    }
  }
}
