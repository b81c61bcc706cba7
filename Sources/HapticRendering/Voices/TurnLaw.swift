private import Glibc
import Perception

/// A sharpness law counted in turns a frame, split so that many vibrations share one control.
///
/// An offset of sharpness multiplies the frequency under a logarithmic law, (high/low)^offset, and
/// adds to it under a linear one, (high - low) offset. So what the control does, the *bend*, is found
/// once a frame for all vibrations, and each only multiplies or adds, and holds to the law's ends.
/// Under a pinned law the bend is the offset itself, and each vibration picks its line.
struct TurnLaw {
  /// How a bend and a vibration's own sharpness make turns a frame.
  private enum Joining {
    case multiplies, adds, bends
  }

  private let joining: Joining
  /// The fewest turns a frame.
  private let lowest: Float
  /// The most turns a frame, half a turn at the most.
  private let highest: Float
  /// Octaves, or turns a frame, that an offset of 1 does.
  private let reach: Float
  /// The pinned law's lines: turns a frame at sharpness 0 and at the pin, and the slope of each.
  private let low: Float
  private let pin: Float
  private let lowSlope: Float
  private let highSlope: Float
  private let pinnedSharpness: Float
  private let law: SharpnessLaw
  private let rate: Double

  init(_ law: SharpnessLaw, rate: Double) {
    self.law = law
    self.rate = rate
    let first = law.frequency(of: 0) / rate
    let last = law.frequency(of: 1) / rate
    var middle = first
    switch law {
    case .logarithmic(let low, let high):
      joining = .multiplies
      reach = Float(log2(high / low))
    case .linear(let low, let high):
      joining = .adds
      reach = Float((high - low) / rate)
    case .pinned(_, let resonance, _):
      joining = .bends
      reach = 1
      middle = resonance / rate
    }
    low = Float(first)
    pin = Float(middle)
    lowSlope = Float((middle - first) / SharpnessLaw.pinnedSharpness)
    highSlope = Float((last - middle) / (1 - SharpnessLaw.pinnedSharpness))
    pinnedSharpness = Float(SharpnessLaw.pinnedSharpness)
    lowest = Float(min(0.5, min(first, last)))
    highest = Float(min(0.5, max(first, last)))
  }

  /// Turns a frame of a sharpness, below half a turn or not.
  func turns(of sharpness: Double) -> Double { law.frequency(of: sharpness) / rate }

  /// Turns offsets of sharpness -1...1 into bends, in place.
  @_noAllocation @_noLocks
  func bend(_ offsets: UnsafeMutablePointer<Float>, count: Int) {
    switch joining {
    case .multiplies:
      for index in 0..<count { offsets[index] = powerOfTwo(reach * offsets[index]) }
    case .adds:
      for index in 0..<count { offsets[index] *= reach }
    case .bends: break
    }
  }

  /// Fills the steps of the phase of a vibration, by its own turns a frame and sharpness, from bends.
  @_noAllocation @_noLocks
  func fillSteps(
    _ steps: UnsafeMutablePointer<UInt32>, turns: Float, sharpness: Float,
    bends: UnsafeMutablePointer<Float>, count: Int
  ) {
    let law = self
    switch joining {
    case .multiplies:
      for index in 0..<count { steps[index] = law.step(turns * bends[index]) }
    case .adds:
      for index in 0..<count { steps[index] = law.step(turns + bends[index]) }
    case .bends:
      for index in 0..<count { steps[index] = law.step(law.pinned(sharpness + bends[index])) }
    }
  }

  @inline(__always)
  private func pinned(_ sharpness: Float) -> Float {
    sharpness < pinnedSharpness
      ? low + sharpness * lowSlope : pin + (sharpness - pinnedSharpness) * highSlope
  }

  /// The step of the phase for turns a frame, held to the law's ends.
  @inline(__always)
  private func step(_ turns: Float) -> UInt32 {
    let raised = turns > lowest ? turns : lowest
    return phaseUnits(ofTurns: Double(raised < highest ? raised : highest))
  }
}
