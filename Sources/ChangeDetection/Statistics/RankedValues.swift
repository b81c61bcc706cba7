/// Many values of which a few ranks are asked for: quicker than sorting them.
struct RankedValues {
  private var values: [Double]

  init(_ values: [Double]) { self.values = values }

  /// The value at a rank from 0, straight between neighbours; the first or last beyond the ends.
  ///
  /// - Complexity: O(n) for n values, as a rule; asking changes their order alone.
  mutating func value(at rank: Double) -> Double {
    let clamped = min(max(rank, 0), Double(values.count - 1))
    let below = Int(clamped)
    let lower = select(below)
    guard clamped > Double(below) else { return lower }
    // What is not selected lies beyond, the smallest of it first in order.
    var upper = Double.infinity
    for value in values[(below + 1)...] where value < upper { upper = value }
    return lower + (clamped - Double(below)) * (upper - lower)
  }

  /// Puts the value of a rank in its place, smaller ones before and larger ones after it (Hoare 1961).
  private mutating func select(_ rank: Int) -> Double {
    values.withUnsafeMutableBufferPointer { values in
      var first = 0
      var last = values.count - 1
      while first < last {
        let pivot = Self.middle(values[first], values[(first + last) / 2], values[last])
        var left = first
        var right = last
        while left <= right {
          while values[left] < pivot { left += 1 }
          while values[right] > pivot { right -= 1 }
          if left <= right {
            values.swapAt(left, right)
            left += 1
            right -= 1
          }
        }
        if rank <= right {
          last = right
        } else if rank >= left {
          first = left
        } else {
          break
        }
      }
      return values[rank]
    }
  }

  private static func middle(_ one: Double, _ two: Double, _ three: Double) -> Double {
    max(min(one, two), min(max(one, two), three))
  }
}
