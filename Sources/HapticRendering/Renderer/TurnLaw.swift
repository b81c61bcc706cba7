private import Glibc
import Perception

/// A sharpness law counted in turns a frame, split so that many vibrations share one control.
///
/// An offset of sharpness multiplies the frequency under a logarithmic law, (high/low)^offset, and
/// adds to it under a linear one, (high - low) offset. So what the control does, the *bend*, is found
/// once a frame for all vibrations, and each only multiplies or adds, and holds to the law's ends.
struct TurnLaw {
  /// Whether a bend multiplies; otherwise it adds.
  let bendMultiplies: Bool
  /// The fewest turns a frame.
  let lowest: Float
  /// The most turns a frame, half a turn at the most.
  let highest: Float
  /// Octaves, or turns a frame, that an offset of 1 does.
  private let reach: Float
  private let law: SharpnessLaw
  private let rate: Double

  init(_ law: SharpnessLaw, rate: Double) {
    self.law = law
    self.rate = rate
    switch law {
    case .logarithmic(let low, let high):
      bendMultiplies = true
      reach = Float(log2(high / low))
    case .linear(let low, let high):
      bendMultiplies = false
      reach = Float((high - low) / rate)
    }
    let ends = (law.frequency(of: 0) / rate, law.frequency(of: 1) / rate)
    lowest = Float(min(0.5, min(ends.0, ends.1)))
    highest = Float(min(0.5, max(ends.0, ends.1)))
  }

  /// Turns a frame of a sharpness, below half a turn or not.
  func turns(of sharpness: Double) -> Double { law.frequency(of: sharpness) / rate }

  /// Turns offsets of sharpness -1...1 into bends, in place.
  @_noAllocation @_noLocks
  func bend(_ offsets: UnsafeMutablePointer<Float>, count: Int) {
    if bendMultiplies {
      for index in 0..<count { offsets[index] = powerOfTwo(reach * offsets[index]) }
    } else {
      for index in 0..<count { offsets[index] *= reach }
    }
  }
}
