/// Plans of FFTW for one length, as their addresses.
struct PlanPair {
  let forward: UInt
  let inverse: UInt
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

  /// The kept plans of a length, or new ones, which are kept where there is room.
  mutating func plans(of length: Int, make: () -> PlanPair) -> PlanPair {
    if let pair = kept[length] { return pair }
    let pair = make()
    if length <= room {
      room -= length
      kept[length] = pair
    }
    return pair
  }
}
