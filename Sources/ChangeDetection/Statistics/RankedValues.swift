private import Glibc

/// Many values of which a few ranks are asked for: quicker than sorting them.
///
/// Of many, a sorted sample tells between which two a rank lies, as a rule; one pass counts what is below
/// and keeps what is between (after Floyd & Rivest, "Expected time bounds for selection", 1975).
struct RankedValues {
  private let values: [Double]
  /// Every so many-th value in order; none where there are too few to be worth it.
  private let sample: [Double]
  /// What was kept for the last rank, and how many are below: a rank near it lies there too.
  private var near: (first: Int, values: [Double]) = (0, [])

  private static let sampleCount = 1024

  /// Takes values that are numbers.
  init(_ values: [Double]) {
    self.values = values
    let step = values.count / Self.sampleCount
    sample =
      step < 8 ? [] : (0..<Self.sampleCount).map { values[$0 * step + step / 2] }.sorted()
  }

  /// The value at a rank from 0, straight between neighbours; the first or last beyond the ends.
  ///
  /// - Complexity: O(n) for n values, as a rule.
  mutating func value(at rank: Double) -> Double {
    let clamped = min(max(rank, 0), Double(values.count - 1))
    let below = Int(clamped)
    let ranks = below...min(below + 1, values.count - 1)
    if !isNear(ranks), let bounds = bounds(of: below) { near = between(bounds) }
    if !isNear(ranks) { near = (0, values) }
    let place = below - near.first
    let lower = Self.select(place, of: &near.values)
    guard clamped > Double(below) else { return lower }
    // What is not selected lies beyond, the smallest of it first in order.
    var upper = Double.infinity
    for value in near.values[(place + 1)...] where value < upper { upper = value }
    return lower + (clamped - Double(below)) * (upper - lower)
  }

  private func isNear(_ ranks: ClosedRange<Int>) -> Bool {
    near.first <= ranks.lowerBound && ranks.upperBound < near.first + near.values.count
  }

  /// Two values of the sample between which a rank lies but once in some hundred times; `nil` without a
  /// sample.
  private func bounds(of rank: Int) -> ClosedRange<Double>? {
    guard !sample.isEmpty else { return nil }
    let size = Double(sample.count)
    let place = (Double(rank) + 0.5) / Double(values.count) * size
    // Three standard deviations of the rank that a sample's value has, in the middle, where they are largest.
    let margin = 1.5 * size.squareRoot()
    let (low, high) = (Int((place - margin).rounded(.down)), Int((place + margin).rounded(.up)))
    return (low < 0 ? -.infinity : sample[low])...(high < sample.count ? sample[high] : .infinity)
  }

  /// The values from one bound to another, and how many are below.
  private func between(_ bounds: ClosedRange<Double>) -> (first: Int, values: [Double]) {
    let (low, high) = (bounds.lowerBound, bounds.upperBound)
    var below = 0
    let kept = [Double](unsafeUninitializedCapacity: values.count) { kept, count in
      var (end, less) = (0, 0)
      for value in values {
        // No branch, which half of the values would take: each is written, and the next over it.
        kept.initializeElement(at: end, to: value)
        let (isBelow, isAbove) = (value < low ? 1 : 0, value > high ? 1 : 0)
        less &+= isBelow
        end &+= 1 &- isBelow &- isAbove
      }
      (count, below) = (end, less)
    }
    return (below, kept)
  }

  /// Puts the value of a rank in its place, smaller ones before and larger ones after it (Hoare 1961).
  private static func select(_ rank: Int, of values: inout [Double]) -> Double {
    values.withUnsafeMutableBufferPointer { values in
      var first = 0
      var last = values.count - 1
      while first < last {
        let pivot = middle(values[first], values[(first + last) / 2], values[last])
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
