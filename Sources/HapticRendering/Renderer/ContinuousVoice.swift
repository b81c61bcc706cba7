import Perception
import Units

/// A vibration while it sounds: intensity and sharpness under their controls, phase continuous.
///
/// Rendered in short loops of one kind of work each, which the compiler turns into vectors.
struct ContinuousVoice {
  let firstFrame: Int
  let endFrame: Int
  private let envelope: EnvelopeFrames
  private let intensity: Float
  private let fullScale: Float
  private let isSquare: Bool
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
    firstFrame = Int(start.rounded(.up))
    endFrame = Int((event.end * rate).rounded(.up))
    envelope = EnvelopeFrames(event.envelope, start: start, rate: rate)
    intensity = Float(min(1, max(0, event.intensity)))
    fullScale = Float(configuration.fullScale)
    isSquare = configuration.intensityLaw == .square
    isTone = configuration.waveform == .tone
    self.turnLaw = turnLaw
    let steady = turnLaw.turns(of: event.sharpness)
    turns = Float(steady)
    steadyStep = phaseUnits(ofTurns: min(0.5, steady))
    // The phase is zero where the event starts, between two frames.
    let first = turnLaw.turns(of: intent.sharpness(of: event, at: event.start))
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
    fillAmplitudes(amplitudes, from: from, count: count, control: controls.intensity)
    guard isTone else {
      for index in 0..<count { output[index] += amplitudes[index] }
      return
    }
    let phases = controls.phases
    if controls.bendIsNeutral {
      fillSteadyPhases(phases, count: count)
    } else {
      fillPhases(phases, count: count, bends: controls.bends)
    }
    for index in 0..<count { output[index] += amplitudes[index] * sine(ofPhase: phases[index]) }
  }

  @_noAllocation @_noLocks
  private func fillAmplitudes(
    _ amplitudes: UnsafeMutablePointer<Float>, from: Int, count: Int,
    control: UnsafeMutablePointer<Float>
  ) {
    for index in 0..<count { amplitudes[index] = intensity * control[index] }
    if !envelope.holds(from, from + count) {
      for index in 0..<count { amplitudes[index] *= envelope.gain(at: from + index) }
    }
    if isSquare {
      for index in 0..<count { amplitudes[index] *= fullScale * amplitudes[index] }
    } else {
      for index in 0..<count { amplitudes[index] *= fullScale }
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
    let (lowest, highest) = (turnLaw.lowest, turnLaw.highest)
    if turnLaw.bendMultiplies {
      for index in 0..<count {
        phases[index] = Self.step(turns * bends[index], lowest, highest)
      }
    } else {
      for index in 0..<count {
        phases[index] = Self.step(turns + bends[index], lowest, highest)
      }
    }
    var sum = phase
    for index in 0..<count {
      let step = phases[index]
      phases[index] = sum
      sum &+= step
    }
    phase = sum
  }

  @_noAllocation @_noLocks @inline(__always)
  private static func step(_ turns: Float, _ lowest: Float, _ highest: Float) -> UInt32 {
    let raised = turns > lowest ? turns : lowest
    return phaseUnits(ofTurns: Double(raised < highest ? raised : highest))
  }
}
