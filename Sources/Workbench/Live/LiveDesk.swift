import JSONText

/// What works on this machine now, as live folders tell it (decision 043).
struct LiveDesk: Sendable {
  /// The rows of `GET live`; each has at least `id`, `state`, `rig`, `process`, `events`.
  func rows() -> [JSONValue] { [] }

  /// The lines of a run's events from a number on, at most so many; `nil` where there is no such run.
  func events(_ id: String, from first: Int, limit: Int) -> [JSONValue]? { nil }

  /// `working`, `ended` or `dead`; what nobody knows of is dead.
  func state(_ id: String) -> String { "dead" }

  /// The process that holds a live folder's lock; `nil` where none does.
  func process(_ id: String) -> Int? { nil }

  /// Bins of a range of frames; `nil` where there is no such run or it has no waves.
  func waves(_ id: String, range: Range<Int>?, columns: Int, channels: [Int]?) -> WaveBins? { nil }

  /// Bins of the newest seconds.
  func newest(_ id: String, columns: Int, seconds: Double, channels: [Int]?) -> WaveBins? { nil }
}
