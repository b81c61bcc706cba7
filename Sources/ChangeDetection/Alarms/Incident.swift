// SPDX-License-Identifier: Apache-2.0

/// Changes of one rig that have one cause, or may have: they begin in the same nights.
///
/// It is led by the simplest reading that explains the others. What it does not explain stays in it
/// and is told apart: of two things that happened in one night on one actuator one cause is the
/// likelier.
public struct Incident: Sendable, Hashable {
  /// How a change hangs together with the one that leads.
  public enum Tie: Sendable, Hashable {
    /// It follows from the leading one; by how much of its unit, where that can be told.
    case follows(by: Double?)
    /// It is of a reading that moves with the leading one, but the leading one's size explains only
    /// so much of it.
    case exceeds(Double)
    /// The leading change follows from it; it does not lead as it asks for less.
    case precedes
    /// Nothing but the night ties them together.
    case beside
  }

  /// A change that does not lead.
  public struct Other: Sendable, Hashable {
    /// The change.
    public let alarm: Alarm
    /// How it hangs together with the leading one.
    public let tie: Tie
  }

  /// The change that names it: the simplest that explains most of the others, of those that ask for
  /// most.
  public let lead: Alarm
  /// The other changes: what follows first, then by simplicity.
  public let others: [Other]

  /// What it leads to: the heaviest of what its changes do.
  public var standing: Alarm.Standing { lead.standing }

  /// All its changes, the leading one first.
  public var alarms: [Alarm] { [lead] + others.map(\.alarm) }

  /// Takes changes apart into incidents, each change in exactly one.
  ///
  /// The surest change gathers those that begin near it, of each series the nearest; then the
  /// surest of what is left. Near is at most one night away, or no more than the doubt of their
  /// places where one may follow from another that is. Actuators stay apart, unless something of
  /// the rig's chain moved as well, or the same happened to them.
  ///
  /// The order is that of what asks for most, then of the days; the same changes in another order
  /// give the same incidents.
  public static func among(_ alarms: [Alarm]) -> [Incident] {
    var left = alarms.sorted {
      ($1.sigmas, $0.key, $0.point.day) < ($0.sigmas, $1.key, $1.point.day)
    }
    var incidents: [Incident] = []
    while let surest = left.first {
      let gathered = gather(about: surest, from: &left)
      incidents += Incident.apart(gathered)
    }
    return incidents.sorted { one, other in
      let (first, second) = (one.lead, other.lead)
      return (first.urgency, first.point.day, second.sigmas, first.key)
        < (second.urgency, second.point.day, first.sigmas, second.key)
    }
  }

  private static func gather(about surest: Alarm, from left: inout [Alarm]) -> [Alarm] {
    let gaps = left.map { $0.key.rig == surest.key.rig ? $0.point.gap(to: surest.point) : .max }
    let core = left.indices.filter { gaps[$0] <= 1 }.map { left[$0] }
    var nearest: [SeriesKey: Int] = [surest.key: 0]
    for (index, alarm) in left.enumerated() where alarm.key != surest.key {
      let isNear =
        gaps[index] <= 1
        || gaps[index] <= max(alarm.doubt, surest.doubt) && core.contains(where: alarm.isTied)
      guard isNear, gaps[index] < nearest[alarm.key].map({ gaps[$0] }) ?? .max else { continue }
      nearest[alarm.key] = index
    }
    let own = Set(nearest.values)
    defer { left = left.indices.filter { !own.contains($0) }.map { left[$0] } }
    return own.sorted().map { left[$0] }
  }

  /// Changes of one time by actuators, where nothing says that they hang together.
  private static func apart(_ alarms: [Alarm]) -> [Incident] {
    let whole = Incident(of: alarms)
    guard Set(alarms.map(\.key.actuator)).count > 1, !alarms.contains(where: \.key.isOfRig) else {
      return [whole]
    }
    var groups: [[Alarm]] = []
    for actuator in Set(alarms.map(\.key.actuator)).sorted() {
      let own = alarms.filter { $0.key.actuator == actuator }
      let lead = Incident(of: own).lead
      let place = groups.firstIndex { group in
        guard case .follows = lead.tie(to: Incident(of: group).lead) else { return false }
        return true
      }
      if let place { groups[place] += own } else { groups.append(own) }
    }
    return groups.map(Incident.init)
  }

  /// One incident of changes, of which there is at least one.
  private init(of alarms: [Alarm]) {
    let heaviest = alarms.map(\.urgency).min()
    let heavy = alarms.filter { $0.urgency == heaviest }
    let worse = heavy.filter { $0.course == .worse }
    func merit(_ alarm: Alarm) -> (Int, Int, Double) {
      let followers = alarms.count { $0.key != alarm.key && $0.tie(to: alarm).isExplained }
      return (-followers, alarm.key.rank, -alarm.sigmas)
    }
    let lead =
      (worse.isEmpty ? heavy : worse).map { (merit: merit($0), alarm: $0) }
      .min { one, other in
        one.merit == other.merit ? one.alarm.key < other.alarm.key : one.merit < other.merit
      }?.alarm ?? alarms[0]
    self.lead = lead
    others = alarms.filter { $0.key != lead.key }
      .map { Other(alarm: $0, tie: $0.tie(to: lead)) }
      .sorted { one, other in
        (one.tie.isExplained ? 0 : 1, one.alarm.key.rank, one.alarm.key)
          < (other.tie.isExplained ? 0 : 1, other.alarm.key.rank, other.alarm.key)
      }
  }
}

extension Incident.Tie {
  /// Whether the leading change accounts for it.
  public var isExplained: Bool { if case .follows = self { true } else { false } }
}

extension Alarm {
  /// The size of the change in its standard uncertainties.
  public var sigmas: Double {
    point.uncertainty > 0 ? abs(point.effect) / point.uncertainty : 0
  }

  /// What the change means by the reading's usual direction.
  public var course: BetterDirection.Course {
    BetterDirection(reading: key.reading).course(from: point.before, to: point.after)
  }

  /// Whether one of two changes may follow from the other.
  fileprivate func isTied(to other: Alarm) -> Bool {
    tie(to: other) != .beside || other.tie(to: self) != .beside
  }

  /// How it hangs together with a change that leads.
  fileprivate func tie(to lead: Alarm) -> Incident.Tie {
    switch explanation(by: lead) {
    case let tie?: tie
    case nil: lead.explanation(by: self).map(\.isExplained) == true ? .precedes : .beside
    }
  }

  private func explanation(by lead: Alarm) -> Incident.Tie? {
    let isSame = lead.key.actuator == key.actuator
    guard lead.key.isControl || !key.isControl,
      isSame || lead.key.isOfRig || lead.key.quantity == key.quantity
    else { return nil }
    switch ReadingOrigin.movement(of: key.quantity, with: lead.key.quantity) {
    case .movedBy(let times):
      let share = times * lead.point.effect
      let own = times * lead.point.uncertainty
      let doubt = 3 * (point.uncertainty * point.uncertainty + own * own).squareRoot()
      let isAll = abs(point.effect - share) <= max(0.5 * abs(point.effect), doubt)
      return isAll ? .follows(by: share) : .exceeds(share)
    case .moved: return .follows(by: nil)
    case .apart: return lead.key.isControl ? .follows(by: nil) : nil
    }
  }
}
