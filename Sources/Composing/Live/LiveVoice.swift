// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Synchronization

/// A method while a render thread works with it: the memory that is lent, and what can be set meanwhile.
///
/// To be kept until nobody works with it any more.
package final class LiveVoice: @unchecked Sendable {
  // Sendable: one render thread works on the states; the settings are atomic.

  /// What is set and what is told, numbers as their bits.
  private struct Board: ~Copyable {
    let gain = Atomic<UInt64>(Double.nan.bitPattern)
    let gate = Atomic<UInt64>(LiveMethod.standardGate.bitPattern)
    let bands = Atomic<UInt64>(0)
    /// The mean square of the loudest hop since somebody looked, and the highest intensity: the bits of numbers from 0
    /// on are in their order.
    let loudest = Atomic<UInt64>(0)
    let highest = Atomic<UInt64>(0)
    let gainInForce = Atomic<UInt64>(0)
    let isOpen = Atomic<Bool>(false)
    let sharpness = Atomic<UInt64>(0)

    @_noAllocation @_noLocks
    func tell(_ method: LiveMethod, intensity: Double, sharpness: Double) {
      loudest.max(method.heard.bitPattern, ordering: .relaxed)
      highest.max(intensity.bitPattern, ordering: .relaxed)
      gainInForce.store(method.gain.bitPattern, ordering: .relaxed)
      isOpen.store(method.isOpen, ordering: .relaxed)
      guard intensity > 0 else { return }
      self.sharpness.store(sharpness.bitPattern, ordering: .relaxed)
    }
  }

  /// What a render thread works on.
  private struct State {
    var method: LiveMethod
    /// What was worked on before, whose gain is gone on with.
    var before: UnsafeMutablePointer<State>?
    let board: UnsafePointer<Board>
  }

  private let board: UnsafeMutablePointer<Board>
  private var states: [UnsafeMutablePointer<State>] = []

  /// Makes a voice without a method.
  package init() {
    board = .allocate(capacity: 1)
    board.initialize(to: Board())
  }

  deinit {
    for state in states { state.deallocate() }
    board.deinitialize(count: 1)
    board.deallocate()
  }

  /// A method in memory of its own, which goes on with the gain of the one before; one thread at a time asks.
  package func state(of method: LiveMethod) -> UnsafeMutableRawPointer {
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    state.initialize(
      to: State(method: method, before: states.last, board: UnsafePointer(board)))
    states.append(state)
    return UnsafeMutableRawPointer(state)
  }

  /// Holds the gain at a value in dB; nil lets it ride.
  package func setGain(_ gain: Double?) {
    board.pointee.gain.store((gain ?? .nan).bitPattern, ordering: .relaxed)
  }

  /// Sets the level in dB of full scale below which the input is silence.
  package func setGate(_ level: Double) {
    board.pointee.gate.store(level.bitPattern, ordering: .relaxed)
  }

  /// Sets the gains of the four bands, in whole dB.
  package func setBands(_ gains: [Double]) {
    precondition(gains.count == 4, "there are four bands, not \(gains.count)")
    let bits = gains.enumerated().reduce(UInt64(0)) { bits, gain in
      bits | UInt64(UInt16(bitPattern: Int16(gain.element.rounded()))) << UInt64(16 * gain.offset)
    }
    board.pointee.bands.store(bits, ordering: .relaxed)
  }

  /// How the sound is and what is made of it; asked by one thread.
  package var present: LivePresent {
    let loudest = board.pointee.loudest.exchange(0, ordering: .relaxed)
    let highest = board.pointee.highest.exchange(0, ordering: .relaxed)
    return LivePresent(
      heard: decibels(ofPower: Double(bitPattern: loudest)),
      gain: Double(bitPattern: board.pointee.gainInForce.load(ordering: .relaxed)),
      isOpen: board.pointee.isOpen.load(ordering: .relaxed),
      intensity: Double(bitPattern: highest),
      sharpness: Double(bitPattern: board.pointee.sharpness.load(ordering: .relaxed)))
  }

  /// Works through a hop in the memory of a state; fills intensity, sharpness, and those of a tap.
  package static let hear:
    @convention(c) (
      UnsafeMutableRawPointer, UnsafePointer<Float>, UnsafeMutablePointer<Double>
    ) -> Void = { work($0, $1, $2) }

  @_noAllocation @_noLocks
  private static func work(
    _ memory: UnsafeMutableRawPointer, _ samples: UnsafePointer<Float>,
    _ cue: UnsafeMutablePointer<Double>
  ) {
    let state = memory.assumingMemoryBound(to: State.self)
    if let before = state.pointee.before {
      state.pointee.method.takeOver(before.pointee.method)
      state.pointee.before = nil
    }
    let board = state.pointee.board
    state.pointee.method.set(
      gain: Double(bitPattern: board.pointee.gain.load(ordering: .relaxed)),
      gate: Double(bitPattern: board.pointee.gate.load(ordering: .relaxed)),
      bands: board.pointee.bands.load(ordering: .relaxed))
    let hop = UnsafeBufferPointer(start: samples, count: state.pointee.method.hopLength)
    let found = state.pointee.method.hear(hop.span)
    let isTap = found.tapIntensity > found.intensity
    board.pointee.tell(
      state.pointee.method, intensity: isTap ? found.tapIntensity : found.intensity,
      sharpness: isTap ? found.tapSharpness : found.sharpness)
    cue[0] = found.intensity
    cue[1] = found.sharpness
    cue[2] = found.tapIntensity
    cue[3] = found.tapSharpness
  }
}
