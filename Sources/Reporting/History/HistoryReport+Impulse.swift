public import Acceptance

extension HistoryReport {
  /// How the actuator answered to an impulse in the newest night, and in the night it is held against.
  public struct ImpulseComparison: Sendable, Equatable {
    /// A run and what it measured.
    public struct Side: Sendable, Equatable {
      /// The run.
      public var run: String
      /// What the probe told in it.
      public var impulse: RunRecord.Impulse

      /// Makes a side.
      public init(run: String, impulse: RunRecord.Impulse) {
        self.run = run
        self.impulse = impulse
      }
    }

    /// The newest night's last run.
    public var newest: Side
    /// The run it is held against; `nil` where none is at hand.
    public var baseline: Side?

    /// Makes a comparison.
    public init(newest: Side, baseline: Side?) {
      self.newest = newest
      self.baseline = baseline
    }

    /// How far they lie apart, as a share of the baseline's effective value; `nil` where they cannot be
    /// compared.
    public var difference: Double? { baseline?.impulse.difference(to: newest.impulse) }
  }
}
