// SPDX-License-Identifier: Apache-2.0

import Profiles

/// The course of a vibration, its phase continuous: of a pattern rendered whole and of a player alike.
///
/// Rendered in short loops of one kind of work each, which the compiler turns into vectors.
struct VibrationVoice {
  private let sharpness: Float
  /// Turns a frame at the vibration's own sharpness.
  private let turns: Float
  /// The step of the phase while no control moves the sharpness.
  private let steadyStep: UInt32
  private(set) var phase: UInt32

  @_noAllocation @_noLocks
  init(sharpness: Float, turns: Float, steadyStep: UInt32, phase: UInt32) {
    self.sharpness = sharpness
    self.turns = turns
    self.steadyStep = steadyStep
    self.phase = phase
  }

  /// Goes on in the phase of another.
  @_noAllocation @_noLocks
  mutating func takePhase(of other: VibrationVoice) { phase = other.phase }

  /// Adds frames of which `memory` holds the intensities (`levels`), what the sharpness control does
  /// where `movesSharpness`, and what a tap leaves where `isDucked`.
  @_noAllocation @_noLocks
  mutating func add(
    to output: UnsafeMutablePointer<Float>, count: Int, movesSharpness: Bool, isDucked: Bool,
    laws: borrowing RenderLaws, memory: borrowing StretchMemory
  ) {
    let (levels, phases) = (memory.levels, memory.phases)
    if laws.hasProfile {
      let offsets = memory.sharpnessControl
      for index in 0..<count {
        let command = laws.vibrations.value(
          intensity: levels[index],
          sharpness: movesSharpness ? sharpness + offsets[index] : sharpness)
        levels[index] = command.amplitude
        phases[index] = phaseUnits(ofTurns: Double(command.turns))
      }
    } else {
      laws.levelLaw.apply(to: levels, count: count)
    }
    if isDucked {
      let gains = memory.ducking
      for index in 0..<count { levels[index] *= gains[index] }
    }
    guard laws.hasProfile || movesSharpness, laws.isTone else {
      addSteady(to: output, count: count, laws: laws, memory: memory)
      return
    }
    if !laws.hasProfile {
      laws.turnLaw.fillSteps(
        phases, turns: turns, sharpness: sharpness, control: memory.sharpnessControl, count: count)
    }
    var sum = phase
    for index in 0..<count {
      let step = phases[index]
      phases[index] = sum
      sum &+= step
    }
    phase = sum
    for index in 0..<count { output[index] += levels[index] * sine(ofPhase: phases[index]) }
  }

  /// Adds frames of the steady frequency, whose amplitudes stand in `memory.levels`.
  @_noAllocation @_noLocks
  mutating func addSteady(
    to output: UnsafeMutablePointer<Float>, count: Int, laws: borrowing RenderLaws,
    memory: borrowing StretchMemory
  ) {
    let (levels, phases, first) = (memory.levels, memory.phases, phase)
    guard laws.isTone else {
      for index in 0..<count { output[index] += levels[index] }
      return
    }
    let step = steadyStep
    for index in 0..<count {
      phases[index] = first &+ UInt32(truncatingIfNeeded: index) &* step
    }
    phase = first &+ UInt32(truncatingIfNeeded: count) &* step
    for index in 0..<count { output[index] += levels[index] * sine(ofPhase: phases[index]) }
  }
}
