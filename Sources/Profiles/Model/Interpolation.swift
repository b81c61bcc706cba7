// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Where a number stands among rising nodes: between which two, and how far.
struct Interpolation {
  let lower: Int
  let upper: Int
  let share: Double

  /// Finds the place, held to the ends; O(log n).
  init(of x: Double, in nodes: [Double], logarithmic: Bool = false) {
    var (low, high) = (0, nodes.count - 1)
    guard nodes.count > 1, x > nodes[low] else {
      (lower, upper, share) = (0, 0, 0)
      return
    }
    guard x < nodes[high] else {
      (lower, upper, share) = (high, high, 0)
      return
    }
    while high - low > 1 {
      let middle = (low + high) / 2
      if nodes[middle] <= x { low = middle } else { high = middle }
    }
    (lower, upper) = (low, high)
    share =
      logarithmic
      ? log(x / nodes[low]) / log(nodes[high] / nodes[low])
      : (x - nodes[low]) / (nodes[high] - nodes[low])
  }

  /// The value between the two nodes by a straight line.
  func value(_ values: [Double]) -> Double {
    values[lower] + share * (values[upper] - values[lower])
  }
}
