/// Counts how often the segment under way was played in vain, and knows when it is enough.
struct SegmentPatience: Sendable {
  /// How often the segment under way was played in vain.
  private(set) var repeats = 0

  /// Takes in a verdict: a count more for one that asks again, none after one that counts.
  ///
  /// Refuses where the segment was played as often as it may be.
  mutating func note(
    _ verdict: SegmentVerdict, of segment: CalibrationSegment
  ) throws(CalibrationRefusal) {
    guard case .again(let reason) = verdict else {
      repeats = 0
      return
    }
    repeats += 1
    guard repeats <= CalibrationProcedure.repeatLimit else {
      throw CalibrationRefusal(
        .disturbed,
        "'\(segment.title)' was played \(repeats) times and could not be used: \(reason); find what "
          + "disturbs the rig")
    }
  }
}
