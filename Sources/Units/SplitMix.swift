// SPDX-License-Identifier: Apache-2.0

/// SplitMix64 (Steele, Lea and Flood 2014): the same draws from a seed with every version of Swift.
package struct SplitMix: Sendable {
  private var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Fisher and Yates, from the end; a 64-bit draw's bias on places of an array is below 1e-14.
  package mutating func shuffle<Value>(_ values: inout [Value]) {
    guard values.count > 1 else { return }
    for last in stride(from: values.count - 1, to: 0, by: -1) {
      values.swapAt(last, Int(next().multipliedFullWidth(by: UInt64(last + 1)).high))
    }
  }
}
