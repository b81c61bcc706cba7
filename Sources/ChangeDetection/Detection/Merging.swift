// SPDX-License-Identifier: Apache-2.0

/// From proposed splits to those that hold.
extension StepTest {
  /// The squares that a proposed step explains, in deviations: few enough that no step worth a test
  /// is missed.
  private static let proposed = 8.0
  /// How far a split settles before it is tested, in nights.
  private static let settling = 5
  /// Two splits could push each other to and fro for ever.
  private static let mostMoves = 20

  /// The splits that the likeliest model proposes, ascending.
  mutating func proposals() -> [Int] {
    let likeliest = noise.models[noise.likeliest]
    return noise.models[noise.likeliest].filter.divided(
      KalmanFilter.Division(
        least: Self.proposed * likeliest.deviation * likeliest.deviation,
        fewestNights: fewestNights, hasLines: likeliest.hasLines, isSeeded: true)
    ).splits
  }

  /// Takes splits away, the least sure first, until every one that remains holds.
  ///
  /// What is taken away or moved changes the neighbours alone, so only they are tested again. The
  /// order is that of Hunter (Fleming and others, 2023).
  mutating func merged(_ proposed: [Int], significance: Double) -> [Split] {
    var splits = proposed.map { Split(index: $0) }
    var isStale = [Bool](repeating: true, count: splits.count)
    var moves = 0
    while true {
      while let at = isStale.firstIndex(of: true) {
        for at in at..<splits.count where isStale[at] {
          let range = range(around: at, of: splits)
          var place = splits[at].index
          if moves < Self.mostMoves {
            place = settled(place, in: range, within: Self.settling)
            if place != splits[at].index {
              moves += 1
              if at > 0 { isStale[at - 1] = true }
              if at + 1 < splits.count { isStale[at + 1] = true }
            }
          }
          splits[at] = tested(place, in: range)
          isStale[at] = false
        }
      }
      guard
        let weakest = splits.indices.filter({ splits[$0].chance > significance })
          .max(by: { splits[$0].chance < splits[$1].chance })
      else { return splits }
      splits.remove(at: weakest)
      isStale.remove(at: weakest)
      if weakest > 0 { isStale[weakest - 1] = true }
      if weakest < splits.count { isStale[weakest] = true }
    }
  }

  /// The nights of the two levels at a split.
  func range(around at: Int, of splits: [Split]) -> Range<Int> {
    let start = at == 0 ? 0 : splits[at - 1].index
    return start..<(at == splits.count - 1 ? values.count : splits[at + 1].index)
  }
}
