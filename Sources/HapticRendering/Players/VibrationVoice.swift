import AHAP
import Profiles

/// A tap or a vibration of a player while it is felt.
struct VibrationVoice {
  /// Whose.
  let slot: Int
  /// Which event.
  let index: Int
  let event: LiveEvent
  /// When it begins, in frames of the clock, with the fraction.
  let start: Double
  /// The gain over its life; for a tap only what cuts it.
  var gain: LiveEnvelope
  /// The amplitude of a tap.
  let amplitude: Float
  private let step: UInt32
  private var phase: UInt32

  /// Begins a vibration at an instant in frames, at the turns a frame of its first moment.
  @_noAllocation @_noLocks
  init(
    slot: Int, index: Int, event: LiveEvent, start: Double, first: Int, turns: Float,
    envelope: LiveEnvelope
  ) {
    self.slot = slot
    self.index = index
    self.event = event
    self.start = start
    gain = envelope
    amplitude = 0
    step = 0
    phase = phaseUnits(ofTurns: (Double(first) - start) * Double(turns))
  }

  /// Begins a tap at an instant in frames.
  @_noAllocation @_noLocks
  init(
    slot: Int, index: Int, event: LiveEvent, start: Double, first: Int, amplitude: Float,
    turns: Float, phase: Double
  ) {
    self.slot = slot
    self.index = index
    self.event = event
    self.start = start
    gain = LiveEnvelope(start: start)
    self.amplitude = amplitude
    step = phaseUnits(ofTurns: Double(turns))
    self.phase = phaseUnits(ofTurns: phase + (Double(first) - start) * Double(turns))
  }

  /// Adds a tap's frames; the output points at frame `from`.
  @_noAllocation @_noLocks
  mutating func addTap(
    to output: UnsafeMutablePointer<Float>, gains: UnsafeMutablePointer<Float>, from: Int,
    count: Int, halfTurnsPerFrame: Double, isTone: Bool
  ) {
    var sum = phase
    for index in 0..<count {
      let age = Double(from + index) - start
      let turn = 0.5 * halfTurnsPerFrame * age
      // A quarter of a turn ahead the sine is the cosine; after half a turn the tap is over.
      let fall = turn < 0.5 ? 0.5 + 0.5 * sine(ofPhase: phaseUnits(ofTurns: 0.25 + turn)) : 0
      output[index] += amplitude * gains[index] * fall * (isTone ? sine(ofPhase: sum) : 1)
      sum &+= step
    }
    phase = sum
  }

  /// Adds a vibration's frames from its amplitudes and steps; the output points at frame `from`.
  @_noAllocation @_noLocks
  mutating func addTone(
    to output: UnsafeMutablePointer<Float>, amplitudes: UnsafeMutablePointer<Float>,
    steps: UnsafeMutablePointer<UInt32>, count: Int
  ) {
    var sum = phase
    for index in 0..<count {
      output[index] += amplitudes[index] * sine(ofPhase: sum)
      sum &+= steps[index]
    }
    phase = sum
  }
}
