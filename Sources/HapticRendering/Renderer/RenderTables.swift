private import Glibc

/// Curves looked up while rendering, where no call into the C library is allowed.
struct RenderTables: ~Copyable {
  private static var curveSteps: Int { 512 }

  /// A curve over 0...1 in 512 steps.
  struct Curve {
    fileprivate let values: UnsafeMutablePointer<Float>

    fileprivate init(_ value: (Double) -> Double) {
      values = .allocate(capacity: RenderTables.curveSteps + 1)
      for index in 0...RenderTables.curveSteps {
        values[index] = Float(value(Double(index) / Double(RenderTables.curveSteps)))
      }
    }

    /// The value at 0...1, between its steps by a straight line; held outside.
    @_noAllocation @_noLocks
    func look(at position: Float) -> Float {
      let limited = position > 0 ? (position < 1 ? position : 1) : 0
      let place = limited * Float(RenderTables.curveSteps)
      let index = Int(place)
      let lower = index < RenderTables.curveSteps ? index : RenderTables.curveSteps - 1
      let base = values[lower]
      return base + (place - Float(lower)) * (values[lower + 1] - base)
    }
  }

  /// 2^p over pitch -1...1.
  let pitchRatios: Curve
  /// The coefficient of a one-pole low-pass over brightness 0...1; 1 lets everything through.
  let brightness: Curve

  init(rate: Double) {
    pitchRatios = Curve { pow(2, 2 * $0 - 1) }
    // 200 Hz at 0, rising a hundredfold; at 1 the filter is open.
    brightness = Curve { b in
      b >= 1 ? 1 : 1 - exp(-2 * .pi * min(0.45, 200 * pow(100, b) / rate))
    }
  }

  deinit {
    pitchRatios.values.deallocate()
    brightness.values.deallocate()
  }
}
