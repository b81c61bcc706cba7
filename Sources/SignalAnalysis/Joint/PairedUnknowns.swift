/// Pairs of unknowns, a gain and a delay each, in the order of the stretches that they belong to.
enum PairedUnknowns {
  /// How many places further in the order a stretch may be that touches another, however both have moved.
  ///
  /// - Parameters:
  ///   - stretches: The frames of each, by rising first frame.
  ///   - room: Frames by which an end may come nearer to the next one's beginning.
  /// - Returns: The number of places; 0 where none touches another.
  static func span(of stretches: [Range<Int>], room: Int) -> Int {
    var (span, next) = (0, 0)
    for (index, stretch) in stretches.enumerated() {
      next = max(next, index)
      while next + 1 < stretches.count, stretches[next + 1].lowerBound < stretch.upperBound + room {
        next += 1
      }
      span = max(span, next - index)
    }
    return span
  }

  /// For each owner the other one that its gains are most correlated with; `nil` where no other touches it.
  ///
  /// - Parameters:
  ///   - inverse: The inverse normal matrix in its band, two rows a stretch, the gain's first.
  ///   - owners: Whom each stretch belongs to.
  ///   - count: How many owners there are.
  ///   - stretches: The frames of each, by rising first frame.
  /// - Returns: One for each owner.
  static func partners(
    _ inverse: BandedMatrix, owners: [Int], count: Int, stretches: [Range<Int>]
  ) -> [Int?] {
    var best = [(partner: Int, correlation: Double)?](repeating: nil, count: count)
    for column in stretches.indices {
      let last = min(inverse.size - 1, 2 * column + inverse.bandwidth)
      for row in stride(from: 2 * column + 2, through: last, by: 2) {
        let (one, other) = (owners[column], owners[row / 2])
        guard one != other, stretches[row / 2].lowerBound < stretches[column].upperBound else {
          continue
        }
        let scale = (inverse[row, row] * inverse[2 * column, 2 * column]).squareRoot()
        guard scale > 0 else { continue }
        let correlation = abs(inverse[row, 2 * column]) / scale
        if correlation > best[one]?.correlation ?? 0 { best[one] = (other, correlation) }
        if correlation > best[other]?.correlation ?? 0 { best[other] = (one, correlation) }
      }
    }
    return best.map { $0?.partner }
  }
}
