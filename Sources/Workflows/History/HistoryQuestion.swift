public import ChangeDetection
private import Glibc

/// Which nights are looked at.
public struct HistoryQuestion: Sendable {
  /// How many days, where nothing else is said.
  public static let standardDays = 365

  /// The rig's name.
  public var rig: String
  /// The plan's name.
  public var plan: String
  /// How many days up to the last.
  public var days = Self.standardDays
  /// The last day; the newest night where it is `nil`.
  public var until: CalendarDay?
  /// The folder of the page that links to runs; `nil` for no links.
  public var pageFolder: String?
  /// Which series are shown, all where it is `nil`; the control's are looked at all the same.
  public var selection: SeriesSelection?

  /// Asks about all nights of the standard time.
  public init(rig: String, plan: String) {
    self.rig = rig
    self.plan = plan
  }

  /// Whether a series is shown.
  func isShown(_ key: SeriesKey) -> Bool { selection?.contains(key) ?? true }
}

/// Which series are shown; what is `nil` does not narrow it.
public struct SeriesSelection: Sendable {
  /// The actuator, by its id.
  public var actuator: String?
  /// The pattern; empty for readings of the whole run.
  public var pattern: String?
  /// A glob that names of readings match, such as `latency.*`.
  public var reading: String?

  /// Shows all that match.
  public init(actuator: String? = nil, pattern: String? = nil, reading: String? = nil) {
    self.actuator = actuator
    self.pattern = pattern
    self.reading = reading
  }

  /// Whether a series is one of them.
  func contains(_ key: SeriesKey) -> Bool {
    (actuator ?? key.actuator) == key.actuator && (pattern ?? key.pattern) == key.pattern
      && (reading.map { fnmatch($0, key.reading, 0) == 0 } ?? true)
  }

  /// Whether it leaves anything out.
  public var isNarrow: Bool { actuator != nil || pattern != nil || reading != nil }
}
