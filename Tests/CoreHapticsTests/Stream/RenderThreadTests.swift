// SPDX-License-Identifier: Apache-2.0

import AHAP
import Actuators
import AllocationCounter
import Devices
import Glibc
import HapticRendering
import Profiles
import Synchronization
import Testing

@testable import CoreHaptics

/// What the thread that renders does while the app's threads ask.
struct RenderThreadTests {
  /// How far the two threads have come, in milliseconds of the stream.
  private final class Progress: Sendable {
    let sent = Atomic<Int>(0)
    let rendered = Atomic<Int>(0)
  }

  @Test(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
  func `no memory is asked for while another thread sends parameters at a kilohertz`() throws {
    let bench = EngineBench(clock: .stepped)
    let queue = RealtimeQueue<StreamCommand>(capacity: 8192)
    let told = RealtimeQueue<StampedNotice>(capacity: 65_536)
    let commands = Guarded(queue.producer)
    var notices = told.consumer
    let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 3.6)
    let laws = RenderConfiguration(rig: bench.rig, limits: limits, profile: nil)
    let stage = StageConfiguration(laws: laws, limits: limits, fullScaleVolts: 3.6)
    var core = RenderCore(
      stage: PlayerStage(stage), drive: bench.rig.drive, commands: queue.consumer,
      notices: told.producer)
    let (frames, milliseconds, slots) = (48, 300, 0..<4)
    let samples = frames * core.width
    let sent = RealtimeQueue<Float>(capacity: samples * milliseconds)
    let recorded = RealtimeQueue<Float>(capacity: samples * milliseconds)
    var kept = sent.consumer
    var echo = recorded.consumer
    var tape = StreamTape(drive: sent.producer, response: recorded.producer, isKept: true)
    let program = PlayerProgram(
      HapticPattern(events: [
        HapticEvent(kind: .hapticContinuous, time: 0, duration: 0.05),
        HapticEvent(kind: .hapticTransient, time: 0.01),
      ]), configuration: laws)
    for slot in slots {
      #expect(commands.withLock { $0.push(.add(ProgramLoan(program), slot: slot)) })
      for action in [PlayerAction.loop(true), .start] {
        let command = StreamCommand.ask(action, slot: slot, time: 0, delay: 0, order: slot)
        #expect(commands.withLock { $0.push(command) })
      }
    }
    let progress = Progress()
    let sender = try RealtimeThread(name: "sender", priority: nil) {
      for step in 0..<milliseconds {
        while progress.rendered.load(ordering: .acquiring) < step { sched_yield() }
        for slot in slots {
          let value = ControlStep(.hapticIntensity, value: Double((7 * step + slot) % 10) / 10)
          _ = commands.withLock {
            $0.push(.ask(.control(value), slot: slot, time: 0, delay: 0, order: 10 + step))
          }
        }
        progress.sent.store(step + 1, ordering: .releasing)
      }
    }
    allocationCounterStart()
    for block in 0..<milliseconds {
      while progress.sent.load(ordering: .acquiring) <= block { sched_yield() }
      core.fill(frames, now: 0)
      let span = Span(_unsafeStart: UnsafePointer(core.block), count: samples)
      tape.keep(sent: span)
      tape.keep(recorded: span)
      progress.rendered.store(block + 1, ordering: .releasing)
    }
    let counts = allocationCounterStop()
    sender.join()
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
    let (drive, response) = (kept.takeAll(), echo.takeAll())
    let lost = tape.lost
    #expect(lost == 0)
    #expect(drive.count == samples * milliseconds)
    #expect(response == drive)
    #expect(drive.contains { abs($0) > 0.1 })
    var steps = 0
    while let told = notices.pop() {
      if case .control = told.notice.kind { steps += 1 }
    }
    #expect(steps == milliseconds * slots.count, "each step that was sent came into force")
    withExtendedLifetime(program) {}
  }
  @Test func `a tape keeps samples whole or not at all, and counts those that find no room`() {
    for isKept in [true, false] {
      let sent = RealtimeQueue<Float>(capacity: 8)
      let recorded = RealtimeQueue<Float>(capacity: 4)
      var kept = sent.consumer
      var tape = StreamTape(drive: sent.producer, response: recorded.producer, isKept: isKept)
      let samples: [Float] = [1, 2, 3]
      for _ in 0..<3 { tape.keep(sent: samples.span) }
      for _ in 0..<2 { tape.keep(recorded: samples.span) }
      let lost = tape.lost
      #expect(lost == (isKept ? 6 : 0))
      let all = kept.takeAll()
      #expect(all == (isKept ? samples + samples : []))
    }
  }
}
