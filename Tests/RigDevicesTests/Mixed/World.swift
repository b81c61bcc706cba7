// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import SeededRandom

/// A wire and an actuator between two devices with clocks of their own, both on the world's time.
///
/// What is driven is kept by drive frame, and read between frames by a windowed sinc, so that a capture
/// sees it at instants of its own clock: the delay, the drift and the motion are known in closed form.
final class World: Sendable {
  /// Seconds from a drive frame's instant to the reference at the capture.
  static let wire = 2.3456e-3
  /// Seconds from there to the motion.
  static let transport = 0.7654e-3
  /// The resonator's frequency in hertz, and its quality.
  static let frequency = 163.7
  static let quality = 9.3
  /// m/s2 a volt at resonance.
  static let gain = 12.0

  private struct State: Sendable {
    /// Drive frames a second of the world's time, and when frame 0 was.
    var driveRate: Double
    var driveStart: Double?
    var captureStart: Double?
    var reference: [Double] = []
    var motion: [Double] = []
    /// The resonator's last two drives and motions.
    var memory = (x1: 0.0, x2: 0.0, y1: 0.0, y2: 0.0)
    /// Frames that were asked for before they were driven.
    var missing = 0
    var noise: SeededRandom
  }

  private let state: Guarded<State>
  private let nominal: Double
  private let motionNoise: Double
  private let isWired: Bool
  /// Frames of the whole take: what is asked for after them is not missing.
  private let length: Int

  /// Makes a world around a drive.
  ///
  /// - Parameters:
  ///   - rate: The drive's nominal frames a second.
  ///   - drift: How much faster its clock is than the world's, in parts per million.
  ///   - noise: The standard deviation of the motion's noise, in m/s2.
  ///   - isWired: Whether the reference's wire leads anywhere.
  ///   - length: The take's frames.
  ///   - seed: The noise's.
  init(rate: Double, drift: Double, noise: Double, isWired: Bool, length: Int, seed: UInt64) {
    nominal = rate
    motionNoise = noise
    self.isWired = isWired
    self.length = length
    state = Guarded(
      State(driveRate: rate * (1 + drift * 1e-6), noise: SeededRandom(seed: seed)))
  }

  /// When drive frame 0 and capture frame 0 were, in seconds of the world.
  var starts: (drive: Double, capture: Double)? {
    state.withLock { state in
      guard let drive = state.driveStart, let capture = state.captureStart else { return nil }
      return (drive, capture)
    }
  }

  /// Frames that a capture asked for before they were driven.
  var missing: Int { state.withLock { $0.missing } }

  /// Says when drive frame 0 is.
  func begin(drive time: Double) { state.withLock { $0.driveStart = time } }

  /// Takes the next drive frame: volts at the actuator, and on the wire.
  func play(frame: Int, volts: Double, reference: Double) {
    state.withLock { state in
      // What was not played is zero; the order is that of time.
      while state.motion.count < frame { Self.append(&state, 0, 0, rate: nominal) }
      if state.motion.count == frame { Self.append(&state, volts, reference, rate: nominal) }
    }
  }

  /// What a capture sees at an instant: volts on the wire, m/s2 with noise.
  func sense(at time: Double) -> (reference: Double, motion: Double) {
    state.withLock { state in
      if state.captureStart == nil { state.captureStart = time }
      var noise = 0.0
      if motionNoise > 0 { noise = motionNoise * state.noise.gaussian() }
      guard let start = state.driveStart else { return (0, noise) }
      let late = (time - start - Self.wire) * state.driveRate
      if late > 0, Int(late) + 14 > state.motion.count, state.motion.count < length {
        state.missing += 1
      }
      return (
        isWired ? Self.read(state.reference, at: late) : 0,
        Self.read(state.motion, at: late - Self.transport * state.driveRate) + noise
      )
    }
  }

  /// The motion without noise at eight instants a drive frame, from a frame on.
  func motion(from frame: Int, count: Int) -> [Double] {
    state.withLock { state in
      (0..<count).map { Self.read(state.motion, at: Double(frame) + Double($0) / 8) }
    }
  }

  /// One step of the resonator, matched at its poles: y = g (1 - z^-1)^2 / (1 - 2 r cos w z^-1 + r^2 z^-2).
  private static func append(
    _ state: inout State, _ volts: Double, _ reference: Double, rate: Double
  ) {
    let turn = 2 * .pi * frequency / rate
    let radius = exp(-turn / (2 * quality))
    let pole = turn * (1 - 1 / (4 * quality * quality)).squareRoot()
    let memory = state.memory
    let value =
      gain / quality * (volts - 2 * memory.x1 + memory.x2)
      + 2 * radius * cos(pole) * memory.y1 - radius * radius * memory.y2
    state.memory = (volts, memory.x1, value, memory.y1)
    state.motion.append(value)
    state.reference.append(reference)
  }

  /// A value between frames: a sinc of 24 frames under a window.
  private static func read(_ values: [Double], at place: Double) -> Double {
    let base = Int(place.rounded(.down))
    guard base > -14, base < values.count + 14 else { return 0 }
    let part = place - Double(base)
    if part < 1e-9 { return values.indices.contains(base) ? values[base] : 0 }
    let wave = sin(.pi * part) / .pi
    var sum = 0.0
    for tap in -11...12 where values.indices.contains(base + tap) {
      let distance = part - Double(tap)
      let window = 1 - distance * distance / 144
      let sign = tap.isMultiple(of: 2) ? 1.0 : -1.0
      sum += values[base + tap] * sign * wave / distance * window * window
    }
    return sum
  }
}
