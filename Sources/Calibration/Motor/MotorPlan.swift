import Units

/// Steady voltages one after the other, or a slow rise, for a motor with an eccentric mass.
struct MotorPlan: Sendable, Equatable {
  /// One step.
  struct Step: Sendable, Equatable {
    /// The voltage at its end.
    var volts: Double
    /// Its length in seconds.
    var duration: Double
    /// Whether the voltage rises to it evenly; otherwise within 2 ms.
    var isRamp = false
    /// The point of the plane that it verifies, if any.
    var place: MotorPlaces.Place?
  }

  /// The steps in their order.
  var steps: [Step]
  /// The silence after them, in seconds.
  var silence = 0.5

  /// The voltage.
  func volts(at rate: SampleRate) -> [Float] {
    var output: [Float] = []
    var before = 0.0
    for step in steps + [Step(volts: 0, duration: silence)] {
      let count = rate.wholeFrames(step.duration)
      let rise = step.isRamp ? count : max(1, rate.wholeFrames(0.002))
      for frame in 0..<count {
        let share = min(1, Double(frame) / Double(rise))
        output.append(Float(before + (step.volts - before) * share))
      }
      before = step.volts
    }
    return output
  }

  /// The frames of each step.
  func ranges(at rate: SampleRate) -> [Range<Int>] {
    var first = 0
    return steps.map { step in
      let count = rate.wholeFrames(step.duration)
      defer { first += count }
      return first..<first + count
    }
  }
}
