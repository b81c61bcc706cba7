/// Noise of triangular density, two steps wide, that makes a narrowing an added noise of its own.
///
/// Repeatable: a seed gives the same sequence on every machine.
package struct Dither: Sendable {
  private var state: UInt64

  /// Starts a sequence.
  @_noAllocation @_noLocks
  package init(seed: UInt64) { state = seed }

  /// The next value, in steps of the converter: the sum of two even ones, in -1...1.
  @_noAllocation @_noLocks @inline(__always)
  mutating func next() -> Double {
    // SplitMix64 (Steele, Lea, Flood 2014): one draw holds both halves.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    let (high, low) = (Int(mixed >> 32), Int(mixed & 0xFFFF_FFFF))
    return Double(high - low) * 0x1p-32
  }
}
