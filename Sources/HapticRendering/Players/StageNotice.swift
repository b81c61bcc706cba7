/// Something that happened on a stage, for whoever tells the players' owners and keeps the record.
public struct StageNotice: Sendable, Equatable, BitwiseCopyable {
  /// What happened.
  public enum Kind: Sendable, Equatable, BitwiseCopyable {
    /// It plays from a place in seconds of the pattern.
    case entered(Double)
    /// It is held.
    case held
    /// It turned from the loop's end to the beginning.
    case turned
    /// It was ended by an action.
    case stopped
    /// It came to its end.
    case finished
    /// It is gone, and its program may be.
    case removed
    /// An event began, or was taken up so many seconds after its beginning.
    case began(event: Int, age: Double)
    /// An event came to its release, or was cut.
    case left(event: Int)
    /// An event was left out: more were in force than there are voices.
    case dropped(event: Int)
    /// A dynamic parameter, by its place in `DynamicParameterID.allCases`, got a new course.
    case control(place: Int, value: Double, slope: Double)
    /// What was asked with a rank was done.
    case took(order: Int)
    /// What was asked with a rank was not done: too much waits already.
    case refused(order: Int)
  }

  /// Whose.
  public let slot: Int
  /// When, in seconds of the clock.
  public let time: Double
  /// What.
  public let kind: Kind

  @_noAllocation @_noLocks
  init(slot: Int, time: Double, kind: Kind) {
    self.slot = slot
    self.time = time
    self.kind = kind
  }
}
