// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Testing
import Units

/// Rigs with a reference wire, and what is expected of a measurement of one.
enum Loops {
  /// A rig of a haptic output, a reference output and a reference input.
  static func rig(_ device: DeviceSelection = .file(FileDescription())) -> RigDescription {
    Rigs.described(
      drive: [.haptic: 1, .reference: 2], capture: [.reference], device: device)
  }

  /// Measures a loop.
  static func measured(
    _ loop: Loop, restarts: Int = 1, seconds: Double = 2
  ) async throws -> LatencyMeasurement {
    try await LoopRig(loop, rig: rig()).measured(
      LatencyPlan(restarts: restarts, duration: seconds))
  }

  /// The sentence with which the latency of a loop is refused.
  static func refusal(
    of loop: Loop, seconds: Double = 1.3, at location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    do {
      let found = try await measured(loop, seconds: seconds)
      Issue.record("a delay of \(found.delay) was found", sourceLocation: location)
      return ""
    } catch let refusal as LatencyRefusal {
      return refusal.description
    }
  }

  /// Frames of the standard rate in a microsecond.
  static let microsecond = SampleRate.standard.hertz * 1e-6

  /// The RMS of a sweep's steady part, as it comes back from a drive of 1: -12 dB of a sine.
  static let sweepLevel = 0.251_189 / 2.0.squareRoot()

  /// White noise so many dB below a sweep.
  static func noise(decibels: Double) -> Double {
    sweepLevel * Decibels.amplitude(-decibels)
  }
}
