/// A curve over 0...1 looked up while rendering, where no call into the C library is allowed.
struct LookupCurve: ~Copyable {
  private let values: UnsafeMutablePointer<Float>
  private let steps: Int

  init(steps: Int, _ value: (Double) -> Double) {
    self.steps = steps
    values = .allocate(capacity: steps + 1)
    for index in 0...steps {
      (values + index).initialize(to: Float(value(Double(index) / Double(steps))))
    }
  }

  deinit { values.deallocate() }

  /// The value at 0...1, between its steps by a straight line; held outside.
  @_noAllocation @_noLocks
  func value(at position: Float) -> Float {
    let limited = position > 0 ? (position < 1 ? position : 1) : 0
    let place = limited * Float(steps)
    let index = Int(place)
    let lower = index < steps ? index : steps - 1
    let base = values[lower]
    return base + (place - Float(lower)) * (values[lower + 1] - base)
  }
}
