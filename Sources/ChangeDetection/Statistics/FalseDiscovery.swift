// SPDX-License-Identifier: Apache-2.0

/// Which of many chances are too small to be chance alone, where as many were asked as there are.
///
/// Benjamini and Hochberg, "Controlling the False Discovery Rate" (1995): of what is told at a rate q, the share q is
/// so by chance; where nothing differs, anything is told as rarely as that. Holds for chances that are independent,
/// and for those that rise together.
public enum FalseDiscovery {
  /// The largest chance that is told at a rate; 0 where none is.
  ///
  /// `count` is how many were asked, where those that said nothing were left out.
  public static func bound(of chances: [Double], among count: Int? = nil, rate: Double) -> Double {
    let sorted = chances.sorted()
    let all = Double(count ?? sorted.count)
    let last = sorted.indices.last { sorted[$0] <= rate * Double($0 + 1) / all }
    return last.map { sorted[$0] } ?? 0
  }

  /// For each chance the least rate at which it is told, in the order of the chances, 1 at most.
  public static func rates(of chances: [Double]) -> [Double] {
    let order = chances.indices.sorted { (chances[$0], $0) < (chances[$1], $1) }
    var rates = [Double](repeating: 1, count: chances.count)
    var least = 1.0
    for (rank, place) in order.enumerated().reversed() {
      least = min(least, chances[place] * Double(chances.count) / Double(rank + 1))
      rates[place] = least
    }
    return rates
  }
}
