// SPDX-License-Identifier: Apache-2.0

import Devices
import SeededRandom
import USBModels
import USBTransport

@testable import SampledSensors

/// A breakout in a world, on the time of a bus: samples by a clock of its own, each of which comes some time after its
/// instant.
final class WorldBreakout: SampleSource {
  /// What every sample waits for, in seconds.
  static let wait = 0.4e-3
  /// From one frame of the bus to the next, for which a sample waits too.
  private static let frame = 1e-3
  /// One sample in so many is held up, by up to so long, and those behind it with it.
  private static let hold = (share: 1e-3, longest: 4e-3)

  private struct State: Sendable {
    /// The next sample, and when it comes.
    var next = 0
    var due: Double?
    /// When the sample before came: none overtakes another.
    var latest = 0.0
    var random: SeededRandom
  }

  private let world: World
  private let bus: FakeUSBBus
  /// Samples a second of the world's time.
  private let rate: Double
  private let state: Guarded<State>

  init(world: World, bus: FakeUSBBus, rate: Double, seed: UInt64) {
    self.world = world
    self.bus = bus
    self.rate = rate
    state = Guarded(State(random: SeededRandom(seed: seed)))
  }

  var isVirtual: Bool { true }

  var now: UInt64 { bus.clock() }

  func restart() {
    let time = Double(now) * 1e-9
    state.withLock { state in
      state.next = Int(time * rate) + 1
      state.due = nil
    }
  }

  private static func arrival(_ taken: Double, _ random: inout SeededRandom) -> Double {
    let framed = ((taken + wait) / frame).rounded(.up) * frame
    let isHeld = random.uniform() < hold.share
    return framed + (isHeld ? random.uniform(0...hold.longest) : 0)
  }

  func read(milliseconds: Int32) throws(DeviceError) -> [SensorEvent] {
    if milliseconds > 0 {
      do throws(USBFailure) {
        try bus.serveEvents(microseconds: 1000 * Int(milliseconds))
      } catch {
        throw DeviceError(.stalled, device: "breakout", message: "the bus failed")
      }
    }
    let time = Double(now) * 1e-9
    return state.withLock { state in
      var events: [SensorEvent] = []
      while true {
        let taken = Double(state.next) / rate
        let due = state.due ?? max(state.latest, Self.arrival(taken, &state.random))
        state.due = due
        guard due <= time else { return events }
        let motion = world.sense(at: taken).motion + 9.8
        // Stamped when it came, as by a thread that listens: a take in virtual time looks now and then.
        events.append(
          .sample(
            SensorSample(
              counter: UInt32(state.next), time: UInt64(due * 1e9), acceleration: [motion])))
        state.latest = due
        state.due = nil
        state.next += 1
      }
    }
  }
}
