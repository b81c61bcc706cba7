import Units

/// The probe of a motor with an eccentric mass: a step from rest to a steady voltage, then one down to half of it.
///
/// A sweep says nothing about a motor whose strength is a voltage. The first step tells how it gets going, the
/// second how its speed goes with the voltage. Both change within 2 ms, so that a step stays one that an amplifier
/// can follow.
enum MotorProbe {
  /// One steady voltage, as a share of the safe full scale.
  struct Step {
    let share: Double
    let seconds: Double
  }

  /// Both levels; the first lasts six time constants of a slow motor.
  static let steps = [Step(share: 0.8, seconds: 0.4), Step(share: 0.4, seconds: 0.3)]
  /// How long a change of level takes, in seconds.
  static let ramp = 0.002

  /// The probe as shares of the safe full scale, from its first frame on.
  static func samples(at rate: SampleRate) -> [Double] {
    var before = 0.0
    var samples: [Double] = []
    let frames = rate.wholeFrames(ramp)
    for step in steps {
      for frame in 0..<rate.wholeFrames(step.seconds) {
        let part = min(1, (Double(frame) + 0.5) / Double(frames))
        samples.append(before + (step.share - before) * part)
      }
      before = step.share
    }
    // Back to rest as evenly.
    let last = samples.count
    for frame in 0..<min(frames, last) {
      samples[last - 1 - frame] *= (Double(frame) + 0.5) / Double(frames)
    }
    return samples
  }
}
