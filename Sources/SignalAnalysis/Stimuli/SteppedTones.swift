private import Glibc
public import Units

/// Tones one after the other whose phase never jumps.
public struct SteppedTones: Sendable, Equatable {
  /// One tone.
  public struct Step: Sendable, Equatable {
    /// The frequency in hertz.
    public var frequency: Double
    /// The peak amplitude, in the unit of the drive.
    public var amplitude: Double
    /// The length in seconds.
    public var duration: Double

    /// Makes a step.
    public init(frequency: Double, amplitude: Double, duration: Double) {
      self.frequency = frequency
      self.amplitude = amplitude
      self.duration = duration
    }
  }

  /// The tones in their order.
  public var steps: [Step]
  /// How long the amplitude goes from one step's to the next, in seconds, at each step's beginning.
  public var ramp: Double

  /// Makes a sequence; traps unless the ramp and all durations are at least zero.
  public init(steps: [Step], ramp: Double = 0.010) {
    precondition(ramp >= 0, "a ramp of \(ramp) s")
    precondition(
      steps.allSatisfy { $0.duration >= 0 && $0.frequency >= 0 }, "a step of negative length")
    self.steps = steps
    self.ramp = ramp
  }

  /// The length in seconds, without the fall at the end.
  public var duration: Double { steps.reduce(0) { $0 + $1.duration } }

  /// The samples at a rate, with the fall to silence after the last step.
  ///
  /// Each step begins at the nearest frame. The amplitude goes by a raised cosine, the phase goes on.
  public func samples(at rate: SampleRate) -> [Double] {
    var output: [Double] = []
    var (phase, before) = (0.0, 0.0)
    let rampFrames = max(1, rate.frames(ramp))
    let fall = Step(frequency: steps.last?.frequency ?? 0, amplitude: 0, duration: ramp)
    for (step, frames) in zip(steps + [fall], ranges(at: rate) + [0..<Int(rampFrames)]) {
      for frame in 0..<frames.count {
        let share = RaisedCosine.rise(Double(frame) / rampFrames)
        let amplitude = before + (step.amplitude - before) * share
        output.append(amplitude * sin(2 * .pi * phase))
        phase += step.frequency / rate.hertz
        phase -= phase.rounded(.down)
      }
      before = step.amplitude
    }
    return output
  }

  /// The frames of each step.
  public func ranges(at rate: SampleRate) -> [Range<Int>] {
    var end = 0.0
    var first = 0
    return steps.map { step in
      end += step.duration
      let last = max(first, Int(rate.frames(end).rounded()))
      defer { first = last }
      return first..<last
    }
  }

  /// The frames of each step in which the response is steady: what is left after `settling` seconds.
  ///
  /// Shift them by the delay of the response. A step that is shorter than the settling has none left.
  public func steadyRanges(at rate: SampleRate, settling: Double) -> [Range<Int>] {
    let wait = Int(rate.frames(settling).rounded(.up))
    return ranges(at: rate).map { min($0.upperBound, $0.lowerBound + wait)..<$0.upperBound }
  }
}
