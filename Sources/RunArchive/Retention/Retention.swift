/// How long what is kept.
public struct Retention: Sendable, Hashable {
  /// Days after which a run's recordings go; they stay where this is `nil`.
  public let recordings: Int?
  /// Days after which a whole run goes; it stays where this is `nil`.
  public let runs: Int?

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - recordings: Days for recordings.
  ///   - runs: Days for whole runs, at least those for recordings.
  /// - Throws: `ArchiveError` where the days make no rule.
  public init(recordings: Int?, runs: Int?) throws(ArchiveError) {
    for (option, days) in [("--keep-recordings", recordings), ("--keep-runs", runs)] {
      guard let days, !(0...36_500).contains(days) else { continue }
      throw ArchiveError(path: option, message: "takes 0 to 36500 days, not \(days)")
    }
    guard recordings != nil || runs != nil else {
      throw ArchiveError(
        path: "prune", message: "say what is old: --keep-recordings DAYS, --keep-runs DAYS, or both"
      )
    }
    if let recordings, let runs, runs < recordings {
      throw ArchiveError(
        path: "--keep-runs",
        message:
          "\(runs) days are fewer than the \(recordings) of --keep-recordings: recordings go "
          + "first, records last")
    }
    self.recordings = recordings
    self.runs = runs
  }
}

/// What pruning freed, or would free.
public struct PruneAccount: Sendable, Equatable {
  /// Something that goes.
  public struct Item: Sendable, Equatable {
    /// The run, or the hidden folder.
    public var name: String
    /// How many files.
    public var files: Int
    /// How many bytes they have.
    public var bytes: Int
  }

  /// Runs that lose their recordings.
  public var recordings: [Item] = []
  /// Runs that go whole.
  public var runs: [Item] = []
  /// Hidden folders of runs that were killed, and of pruning that was.
  public var leftovers: [Item] = []
  /// Runs that are old enough and stay: a baseline is pinned to them.
  public var pinned: [String] = []
  /// What could not be read or removed.
  public var problems: [ArchiveError] = []

  /// All bytes of all items.
  public var bytes: Int { (recordings + runs + leftovers).reduce(0) { $0 + $1.bytes } }
}
