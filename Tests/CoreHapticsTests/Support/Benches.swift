// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Devices
import Foundation
import Synchronization
import Testing

/// An engine on the standard simulated rig whose clock is moved by the test.
func steppedEngine(
  records: String? = nil, faults: [SimulationDescription.Fault] = [],
  _ change: (inout EngineBench) -> Void = { _ in }
) -> CHHapticEngine {
  var bench = EngineBench(clock: .stepped, records: records)
  if case .simulated(var simulation) = bench.rig.drive.device {
    simulation.faults = faults
    bench.rig.drive.device = .simulated(simulation)
  }
  change(&bench)
  return CHHapticEngine(bench: bench)
}

/// A pattern of one tap, or of a vibration that lasts.
func pattern(
  seconds: TimeInterval? = nil, intensity: Float = 1, sharpness: Float = 0.5,
  at time: TimeInterval = 0
) throws -> CHHapticPattern {
  let parameters = [
    CHHapticEventParameter(parameterID: .hapticIntensity, value: intensity),
    CHHapticEventParameter(parameterID: .hapticSharpness, value: sharpness),
  ]
  let event =
    if let seconds {
      CHHapticEvent(
        eventType: .hapticContinuous, parameters: parameters, relativeTime: time,
        duration: seconds)
    } else {
      CHHapticEvent(eventType: .hapticTransient, parameters: parameters, relativeTime: time)
    }
  return try CHHapticPattern(events: [event], parameters: [])
}

/// What handlers have said, and a way to wait for it.
final class Heard: Sendable {
  private let said = Mutex<[String]>([])
  private let news = NSCondition()

  func say(_ what: String) {
    news.lock()
    said.withLock { $0.append(what) }
    news.broadcast()
    news.unlock()
  }

  var all: [String] { said.withLock { $0 } }

  /// Waits until so many were said; gives up after a minute, which a machine under load may need.
  func wait(for count: Int) -> [String] { wait { $0.count >= count } }

  /// Waits until something was said.
  func wait(until what: String) -> [String] { wait { $0.contains(what) } }

  private func wait(until isDone: ([String]) -> Bool) -> [String] {
    news.lock()
    defer { news.unlock() }
    let deadline = Date(timeIntervalSinceNow: 60)
    while !isDone(all), news.wait(until: deadline) {}
    return all
  }
}

extension Heard {
  /// Hears an engine's own handlers.
  func listen(to engine: CHHapticEngine) {
    engine.stoppedHandler = { self.say("stopped \($0.rawValue)") }
    engine.resetHandler = { self.say("reset") }
  }
}
