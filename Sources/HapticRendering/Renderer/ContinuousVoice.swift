import Perception
import Profiles
import Units

/// A vibration while it sounds: intensity and sharpness under their controls, phase continuous.
///
/// Rendered in short loops of one kind of work each, which the compiler turns into vectors.
struct ContinuousVoice {
  let firstFrame: Int
  let endFrame: Int
  private let envelope: EnvelopeFrames
  private let intensity: Float
  private let sharpness: Float
  private let isTone: Bool
  private let turnLaw: TurnLaw
  private let turns: Float
  private let steadyStep: UInt32
  private var phase: UInt32

  init(
    event: TimelineEvent, intent: Intent, configuration: RenderConfiguration, turnLaw: TurnLaw
  ) {
    let rate = configuration.rate.hertz
    let start = event.start * rate
    firstFrame = frame(atOrAfter: start)
    endFrame = frame(atOrAfter: event.end * rate)
    envelope = EnvelopeFrames(event.envelope, start: start, rate: rate)
    intensity = Float(min(1, max(0, event.intensity)))
    sharpness = Float(event.sharpness)
    isTone = configuration.waveform == .tone
    self.turnLaw = turnLaw
    let steady = turnLaw.turns(of: event.sharpness)
    turns = Float(steady)
    steadyStep = phaseUnits(ofTurns: min(0.5, steady))
    // The phase is zero where the event starts, between two frames.
    let begins = intent.sharpness(of: event, at: event.start)
    var first = turnLaw.turns(of: begins)
    if let profile = configuration.profile {
      first = Double(
        profile.vibrations.value(intensity: intensity, sharpness: Float(begins)).turns)
    }
    phase = phaseUnits(ofTurns: (Double(firstFrame) - start) * min(0.5, first))
  }

  /// Adds frames; `output` and the controls point at frame `from`.
  @_noAllocation @_noLocks
  mutating func add(
    to output: UnsafeMutablePointer<Float>, from: Int, to: Int,
    controls: borrowing VibrationControls
  ) {
    let count = earlier(to, endFrame) - from
    guard count > 0 else { return }
    let amplitudes = controls.amplitudes
    fillLevels(amplitudes, from: from, count: count, control: controls.intensity)
    if controls.hasProfile {
      lookUp(amplitudes, count: count, controls: controls)
    } else {
      controls.levelLaw.apply(to: amplitudes, count: count)
    }
    if controls.isDucked {
      let gains = controls.ducking
      for index in 0..<count { amplitudes[index] *= gains[index] }
    }
    guard isTone else {
      for index in 0..<count { output[index] += amplitudes[index] }
      return
    }
    let phases = controls.phases
    if controls.hasProfile {
      accumulate(phases, count: count)
    } else if controls.bendIsNeutral {
      fillSteadyPhases(phases, count: count)
    } else {
      fillPhases(phases, count: count, bends: controls.bends)
    }
    for index in 0..<count { output[index] += amplitudes[index] * sine(ofPhase: phases[index]) }
  }

  @_noAllocation @_noLocks
  private func fillLevels(
    _ levels: UnsafeMutablePointer<Float>, from: Int, count: Int,
    control: UnsafeMutablePointer<Float>
  ) {
    for index in 0..<count { levels[index] = intensity * control[index] }
    if !envelope.holds(from, from + count) {
      for index in 0..<count { levels[index] *= envelope.gain(at: from + index) }
    }
  }

  @_noAllocation @_noLocks
  private mutating func fillSteadyPhases(_ phases: UnsafeMutablePointer<UInt32>, count: Int) {
    let first = phase
    for index in 0..<count {
      phases[index] = first &+ UInt32(truncatingIfNeeded: index) &* steadyStep
    }
    phase = first &+ UInt32(truncatingIfNeeded: count) &* steadyStep
  }

  @_noAllocation @_noLocks
  private mutating func fillPhases(
    _ phases: UnsafeMutablePointer<UInt32>, count: Int, bends: UnsafeMutablePointer<Float>
  ) {
    let law = turnLaw
    switch law.joining {
    case .multiplies:
      for index in 0..<count { phases[index] = law.step(turns * bends[index]) }
    case .adds:
      for index in 0..<count { phases[index] = law.step(turns + bends[index]) }
    case .bends:
      for index in 0..<count { phases[index] = law.step(law.pinned(sharpness + bends[index])) }
    }
    accumulate(phases, count: count)
  }

  /// Turns steps into phases, in place.
  @_noAllocation @_noLocks
  private mutating func accumulate(_ phases: UnsafeMutablePointer<UInt32>, count: Int) {
    var sum = phase
    for index in 0..<count {
      let step = phases[index]
      phases[index] = sum
      sum &+= step
    }
    phase = sum
  }

  /// Turns intensities into a profile's commands, in place, and leaves the steps of their phases.
  @_noAllocation @_noLocks
  private func lookUp(
    _ levels: UnsafeMutablePointer<Float>, count: Int, controls: borrowing VibrationControls
  ) {
    let steps = controls.phases
    for index in 0..<count {
      let bent = controls.bendIsNeutral ? sharpness : sharpness + controls.bends[index]
      let command = controls.profile.value(intensity: levels[index], sharpness: bent)
      levels[index] = command.amplitude
      steps[index] = phaseUnits(ofTurns: Double(command.turns))
    }
  }
}
