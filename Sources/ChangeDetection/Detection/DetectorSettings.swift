/// How sure a detector must be, and how far it looks.
public struct DetectorSettings: Sendable, Hashable {
  /// The chance of a change by noise, at most, of a split that is reported.
  public var significance = 1e-3
  /// The chance that makes a split on the last nights worth a second look.
  public var candidateSignificance = 5e-3
  /// The length of the windows in which splits are looked for, in nights.
  public var window = 60
  /// How many nights before and after a split are compared, at most.
  public var reach = 60
  /// The fewest nights between two changes, and before and after one.
  public var fewestNights = 3
  /// The smallest change that matters; `nil` for the usual one of the series' unit.
  public var minimum: MinimumEffect?

  /// Makes the settings that docs/NIGHTLY.md gives the figures of.
  public init() {}
}
