/// Plans of FFTW for one length, as their addresses, as far as they were needed.
struct PlanPair {
  var forward: UInt?
  var inverse: UInt?
}

/// The plans that are kept for the life of the process.
///
/// A plan holds about as many bytes of tables as a transform has samples to work on: so there is room for
/// few long lengths, and the first come stay.
struct PlanShelf {
  private var kept: [Int: PlanPair] = [:]
  private var room = 1 << 21

  /// Whether the plans of a length are kept, so that nobody may destroy them.
  func keeps(_ length: Int) -> Bool { kept[length] != nil }

  /// The kept plan of a length for one way, or a new one, which is kept where there is room.
  mutating func plan(
    _ way: WritableKeyPath<PlanPair, UInt?>, of length: Int, make: () -> UInt
  ) -> UInt {
    if let plan = kept[length]?[keyPath: way] { return plan }
    let plan = make()
    if kept[length] == nil, length <= room {
      room -= length
      kept[length] = PlanPair()
    }
    kept[length]?[keyPath: way] = plan
    return plan
  }
}
