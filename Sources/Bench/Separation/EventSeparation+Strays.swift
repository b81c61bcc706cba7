private import Glibc

extension EventSeparation {
  /// Stretches of the leftover are averaged over this, in seconds: about a period of the response.
  private static let strayWidth = 0.006
  /// A response at least this strong beside the pattern's own counts.
  private static let strayShare = 0.1
  /// So many times stronger than the noise, and than what the events make where it lies.
  private static let strayNoise = 6.0
  /// Two that are nearer than this are one, in seconds.
  private static let strayGap = 0.03

  /// When the actuator answered something that no event asked for, in seconds of the pattern.
  ///
  /// Looked for in what the joint fit leaves over, where that is stronger than what the events make around
  /// it: beside a strong event the leftover is the model's error, not a response.
  func strays() -> [Double]? {
    let width = max(1, Int(Self.strayWidth * grid.rate))
    let power = { (values: [Double]) in Self.powers(values, width: width) }
    let (left, made) = (power(rest), power(whole))
    guard left.count == made.count, !left.isEmpty else { return [] }
    let typical = parts.keys.compactMap { index -> Double? in
      shareFrames(of: index).map { made[$0.clamped(to: made.indices)].max() ?? 0 }
    }.sorted()
    guard !typical.isEmpty else { return [] }
    let least = max(
      Self.strayShare * Self.strayShare * typical[typical.count / 2],
      Self.strayNoise * Self.strayNoise * quiet * quiet)
    let around = Self.largest(made, reach: 2 * width)
    var found: [(first: Int, last: Int)] = []
    for index in left.indices where left[index] > least && left[index] > around[index] {
      if let last = found.last, Double(index - last.last) < Self.strayGap * grid.rate {
        found[found.count - 1].last = index
      } else {
        found.append((index, index))
      }
    }
    return found.map { seconds(of: $0.first) }
  }

  /// The mean power about each value.
  private static func powers(_ values: [Double], width: Int) -> [Double] {
    var sums = [0.0]
    sums.reserveCapacity(values.count + 1)
    for value in values { sums.append((sums.last ?? 0) + value * value) }
    return values.indices.map { index in
      let (first, last) = (max(0, index - width / 2), min(values.count, index + width / 2 + 1))
      return (sums[last] - sums[first]) / Double(last - first)
    }
  }

  /// The largest value within a reach of each place.
  private static func largest(_ values: [Double], reach: Int) -> [Double] {
    // A queue of candidates, each larger than those that came after it.
    var queue: [Int] = []
    var (head, next) = (0, 0)
    return values.indices.map { index in
      while next < values.count, next <= index + reach {
        while queue.count > head, values[queue[queue.count - 1]] <= values[next] {
          queue.removeLast()
        }
        queue.append(next)
        next += 1
      }
      while queue[head] < index - reach { head += 1 }
      return values[queue[head]]
    }
  }
}
