// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Synchronization
import Testing
import Units

@testable import ALSADevices

/// What a thread that only listens makes of a source that fails, on a clock that the source moves.
struct ListenLoopTests {
  /// A source that gives periods in time until something happens to it.
  private struct Scripted: ~Copyable, HeardPCM {
    enum Fate {
      case goesOn
      case isKilled
      case stalls
      /// Frames come so many times as fast.
      case changesRate(Double)
      /// It breaks and does not start again, as a loopback whose player has begun anew at another rate.
      case stopsForAnotherRate
      /// It fails in place of giving frames, as the same loopback while nobody has noticed.
      case fails
      /// It breaks and goes on.
      case breaks
      case breaksForEver
    }

    let fate: Fate
    let clock: Clock
    var waits = 0

    mutating func begin() -> Int32 {
      if case .stopsForAnotherRate = fate, waits > 300 { return -EIO }
      return 0
    }

    mutating func wait(milliseconds: Int32) -> Int32 {
      waits += 1
      var period = 0.01
      if waits > 300 {
        switch fate {
        case .goesOn: break
        case .isKilled: return -ENODEV
        case .stalls:
          clock.move(Double(milliseconds) / 1000)
          return 0
        case .changesRate(let factor): period /= factor
        case .stopsForAnotherRate: return -EPIPE
        case .fails: return -EIO
        case .breaks: if waits % 50 == 0 { return -EPIPE }
        case .breaksForEver: return -EPIPE
        }
      }
      clock.move(period)
      return 1
    }

    mutating func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
      for index in 0..<480 { samples[index] = 0.5 }
      return 480
    }

    mutating func delay() -> Int { 240 }
  }

  private final class Clock: Sendable {
    private let time = Mutex(0.0)
    var now: Double { time.withLock { $0 } }
    func move(_ seconds: Double) { time.withLock { $0 += seconds } }
  }

  /// What ended the listening within 20 s, and when it did after the third second.
  private func end(_ fate: Scripted.Fate) -> (error: DeviceError?, after: Double, delivered: Int) {
    let clock = Clock()
    let queue = RealtimeQueue<Float>(capacity: 1 << 21)
    let feed = SoundFeed()
    var loop = ListenLoop(
      Scripted(fate: fate, clock: clock), name: "card", rate: SampleRate(hertz: 48_000),
      periodFrames: 480, samples: queue.producer)
    var error: DeviceError?
    while clock.now < 20, error == nil { error = loop.step(feed) { clock.now } }
    return (error, clock.now - 3, feed.delivered.load(ordering: .relaxed))
  }

  @Test func `a source that goes on is heard, and one that breaks now and then`() {
    #expect(end(.goesOn).error == nil)
    #expect(end(.goesOn).delivered >= 48_000 * 19)
    #expect(end(.breaks).error == nil)
  }

  @Test func `a source that is killed, stalls, breaks or stops ends with its sentence`() {
    let killed = end(.isKilled)
    #expect(killed.error?.code == .unplugged && killed.after < 0.02)
    let stalled = end(.stalls)
    #expect(stalled.error?.code == .stalled && stalled.after < 0.8)
    #expect(end(.breaksForEver).error?.code == .stalled)
    for fate in [Scripted.Fate.stopsForAnotherRate, .fails] {
      let refused = end(fate)
      #expect(refused.error?.code == .ended && refused.error?.message.contains("rate") == true)
      #expect(refused.after < 0.02)
    }
  }

  @Test(arguments: [0.91875, 1.0884, 0.95, 0.97, 0.5, 2.0, 1_000.0])
  func `a rate that nobody tells of is known the sooner, the farther it is off`(factor: Double) {
    let changed = end(.changesRate(factor))
    #expect(changed.error?.code == .garbled)
    #expect(changed.error?.message.contains("frames a second") == true)
    // As FOLLOW.md states it; the change, and the look, lie between two looks.
    let uneven = max(0.01, 0.01 / factor)
    let soonest = (0.005 + 2 * uneven) / (abs(factor - 1) - 0.02)
    let due = max(factor < 1 ? 1.3 : 0, soonest) + 2 * (0.01 + uneven)
    #expect(changed.after > 0 && changed.after < due, "\(changed.after) s, \(due) s")
  }

  @Test(arguments: [0.999, 1.001, 0.985, 1.015])
  func `a clock of its own is no other rate`(factor: Double) {
    #expect(end(.changesRate(factor)).error == nil)
  }
}
