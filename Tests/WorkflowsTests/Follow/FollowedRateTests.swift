// SPDX-License-Identifier: Apache-2.0

import Bench
import Composing
import CoreHaptics
import Devices
import Glibc
import SeededRandom
import Synchronization
import Testing
import Units
import Workflows

@testable import ALSADevices

/// What the drive is from the moment on at which the rate of its input changes, on a clock of the test's own.
struct FollowedRateTests {
  private final class Clock: Sendable {
    private let time = Mutex(0.0)
    var now: Double { time.withLock { $0 } }
    func move(to seconds: Double) { time.withLock { $0 = seconds } }
  }

  /// An input of noise whose rate changes after a second.
  private struct ChangingInput: ~Copyable, HeardPCM {
    enum Change {
      /// It breaks and does not start again: a loopback whose player has begun anew at another rate.
      case isRefused
      /// It is stopped by its server, which starts again at another rate.
      case isStopped
      /// Frames come at another rate, and nobody says so.
      case isUntold(Double)
    }

    let change: Change
    let clock: Clock
    let period: Int
    var random = SeededRandom(seed: 0x8a7e)
    var due = 0.0

    private var hasChanged: Bool { clock.now >= FollowedRateTests.changed }

    mutating func begin() -> Int32 {
      if case .isRefused = change, hasChanged { return -EIO }
      return 0
    }

    mutating func wait(milliseconds: Int32) -> Int32 {
      if hasChanged {
        switch change {
        case .isRefused: return -EPIPE
        case .isStopped: return -EIO
        case .isUntold: break
        }
      }
      return clock.now >= due ? 1 : 0
    }

    mutating func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
      var rate = 48_000.0
      if hasChanged, case .isUntold(let other) = change { rate = other }
      due += Double(period) / rate
      for index in 0..<period { samples[index] = Float(random.uniform(-0.3...0.3)) }
      return period
    }

    mutating func delay() -> Int { 0 }
  }

  /// When the rate changes, in seconds.
  private static let changed = 2.0
  /// How long what is felt takes to fade, in seconds.
  private static let fade = 3e-3

  /// Follows an input in blocks of the drive; gives when its end was told, what it was, and the drive.
  private func follow(
    _ change: ChangingInput.Change, period: Int
  ) throws -> (told: Double, end: FollowDirector.End?, drive: [Float]) {
    let builder = TakeBuilder(rig: .standard, hasProbe: false)
    let queue = RealtimeQueue<Float>(capacity: 1 << 16)
    let (feed, clock) = (SoundFeed(), Clock())
    var request = FollowRequest(.pcm("a card"), settings: ComposeSettings(.envelope))
    request.gain = 0
    let tape = StageDirectorTests.DriveTape(width: builder.rig.drive.channelCount)
    let director = try FollowWorkflow.open(
      request, builder, isStepped: true, samples: queue.consumer, feed: feed, watcher: tape,
      by: RigOperator(version: "test", stop: StopSignal()))
    let rate = director.stage.rate
    var loop = ListenLoop(
      ChangingInput(change: change, clock: clock, period: period), name: "a card", rate: rate,
      periodFrames: period, samples: queue.producer)
    var told: Double?
    var frame = 0
    while clock.now < (told ?? 8) + 0.5 {
      if told == nil, let error = loop.step(feed, { clock.now }) {
        feed.finish(.failed(error))
        told = clock.now
      }
      #expect(director.stage.advance(frames: Self.block))
      frame += Self.block
      clock.move(to: rate.seconds(Double(frame)))
      if frame.isMultiple(of: 480) { _ = director.look(at: clock.now) }
    }
    return (try #require(told), director.end, tape.samples.withLock { $0 })
  }

  private static let block = 32

  /// Asserts that the drive is felt until a moment and zero from another on.
  private func expectSilence(_ drive: [Float], from zero: Double, since felt: Double) {
    let (zero, felt) = (Int(zero * 48_000), Int(felt * 48_000))
    #expect(drive[(felt - 480)..<felt].contains { abs($0) > 0.03 })
    #expect(drive[zero...].allSatisfy { $0 == 0 })
    #expect(drive.count > zero + 9_600)
  }

  @Test(arguments: [64, 512])
  func `a rate that the card refuses or the server takes away is silence within a period`(
    period: Int
  ) throws {
    for change in [ChangingInput.Change.isRefused, .isStopped] {
      let (told, end, drive) = try follow(change, period: period)
      #expect(told - Self.changed < 2e-3, "the card tells at once")
      guard case .failed(let error) = end else {
        Issue.record("\(String(describing: end))")
        continue
      }
      #expect(error.message.contains("rate"))
      // From the frame on at which it is told, and however much of the sound waits.
      expectSilence(drive, from: told + Self.fade, since: told)
    }
  }

  @Test(arguments: [64, 256, 512], [44_100.0, 52_245, 24_000])
  func `a rate that nobody tells of is silence as soon as it is known`(
    period: Int, other: Double
  ) throws {
    let (told, end, drive) = try follow(.isUntold(other), period: period)
    guard case .failed(let error) = end else {
      Issue.record("\(String(describing: end))")
      return
    }
    #expect(error.code == .garbled && error.message.contains("frames a second"))
    let uneven = Double(period) / min(48_000, other) + 1e-3
    let soonest = (0.005 + 2 * uneven) / (abs(other / 48_000 - 1) - 0.02)
    let due = max(other < 48_000 ? 1.3 : 0, soonest) + 2 * (0.01 + uneven)
    #expect(told - Self.changed < due, "\(told - Self.changed) s, \(due) s")
    #expect(drive[..<Int(told * 48_000)].suffix(4_800).contains { abs($0) > 0.03 })
    #expect(drive[Int((told + Self.fade) * 48_000)...].allSatisfy { $0 == 0 })
  }
}
