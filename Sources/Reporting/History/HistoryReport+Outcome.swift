public import ChangeDetection

extension HistoryReport {
  /// What all of it comes to, the heaviest that holds.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// A confirmed change for the worse that nobody accepted and nothing made good: `haprig regress`
    /// ends with 1.
    case regression
    /// The control moved: the rig is looked at first, and changes of the product near it wait.
    case rigMoved = "rig moved"
    /// No regression, but the newest night's runs are outside a limit of the plan.
    case outsideLimits = "outside limits"
    /// A change on the last nights that is not confirmed yet.
    case unconfirmed
    /// Nothing changed for the worse.
    case steady
    /// There is no night to say something of.
    case empty
  }

  /// What all of it comes to.
  public var outcome: Outcome {
    let standings = Set(changes.map(\.standing))
    return if standings.contains(.raised) {
      .regression
    } else if standings.contains(.heldBack) || hasMovedControl {
      .rigMoved
    } else if !violations.isEmpty {
      .outsideLimits
    } else if standings.contains(.unconfirmed) {
      .unconfirmed
    } else {
      days == nil ? .empty : .steady
    }
  }

  /// Every change of every series, what needs a person first: raised, held back, the rig's own, not
  /// confirmed, then the rest; within one standing the earliest first, of one day the largest.
  public var changes: [Change] {
    series.flatMap(\.changes).sorted { left, right in
      let order = (Self.rank(left.standing), left.point.day)
      let other = (Self.rank(right.standing), right.point.day)
      guard order == other else { return order < other }
      let (size, otherSize) = (Self.size(left.point), Self.size(right.point))
      return size == otherSize ? left.alarm.key < right.alarm.key : size > otherSize
    }
  }

  /// The changes of one standing, ordered as `changes` is.
  public func changes(_ standing: Alarm.Standing) -> [Change] {
    changes.filter { $0.standing == standing }
  }

  /// The newest night; `nil` where there is none.
  public var newestDay: Int? { days?.upperBound }

  /// How many nights at the end of the series a moved control speaks about.
  static let recentNights = 14

  /// Whether the control changed lately: older changes of it have no alarm of the product left to hold.
  private var hasMovedControl: Bool {
    guard let newestDay else { return false }
    return changes(.rigMoved).contains { $0.point.day > newestDay - Self.recentNights }
  }

  private static func rank(_ standing: Alarm.Standing) -> Int {
    switch standing {
    case .raised: 0
    case .heldBack: 1
    case .rigMoved: 2
    case .unconfirmed: 3
    case .improved: 4
    case .recovered: 5
    case .accepted: 6
    }
  }

  /// How far a level moved, in its own standard uncertainties: what compares units.
  private static func size(_ point: ChangePoint) -> Double {
    point.uncertainty > 0 ? abs(point.effect) / point.uncertainty : 0
  }
}
