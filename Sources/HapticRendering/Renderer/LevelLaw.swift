import Perception

/// An intensity law for the render loop: intensities to amplitudes, in place.
struct LevelLaw: ~Copyable {
  private let fullScale: Float
  private let isSquare: Bool
  private let isLinear: Bool
  /// The other laws, in so many steps that a straight line between two is within 2e-7.
  private let curve: LookupCurve

  init(_ law: IntensityLaw, fullScale: Double) {
    self.fullScale = Float(fullScale)
    isSquare = law == .square
    isLinear = law == .linear
    // A law may jump where it leaves 0: the curve begins above the jump.
    curve = LookupCurve(steps: isSquare || isLinear ? 1 : 4096) {
      law.share(of: max($0, .leastNormalMagnitude))
    }
  }

  @_noAllocation @_noLocks
  func apply(to values: UnsafeMutablePointer<Float>, count: Int) {
    if isSquare {
      for index in 0..<count { values[index] *= fullScale * values[index] }
    } else if isLinear {
      for index in 0..<count { values[index] *= fullScale }
    } else {
      for index in 0..<count {
        let level = values[index]
        values[index] = level > 0 ? fullScale * curve.value(at: level) : 0
      }
    }
  }
}
