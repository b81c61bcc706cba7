// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Glibc
import Testing
import Units

/// Whoever looks at a session's signals sees what the device got and gave, and changes nothing of it.
struct SessionTapTests {
  private final class Watcher: SignalTap {
    struct Seen: Sendable {
      var begun: [Int] = []
      var drive: [Float] = []
      var capture: [Float] = []
      var losses: [StreamEvent] = []
      /// Drive frames that had been seen when each loss was told.
      var moments: [Int] = []
    }

    let seen = Guarded(Seen())
    private let width: Int

    init(_ rig: RigDescription) { width = rig.drive.channelCount }

    func begin() { seen.withLock { $0.begun.append($0.drive.count) } }

    func drive(_ frames: Span<Float>) {
      seen.withLock { seen in for index in frames.indices { seen.drive.append(frames[index]) } }
    }

    func capture(_ frames: Span<Float>) {
      seen.withLock { seen in for index in frames.indices { seen.capture.append(frames[index]) } }
    }

    func lost(_ event: StreamEvent, ofDrive: Bool) {
      let width = width
      seen.withLock { seen in
        seen.losses.append(event)
        seen.moments.append(seen.drive.count / width)
      }
    }
  }

  private func play(
    _ take: TakeDrive, _ script: FakeScript = FakeScript(), takes: Int = 1
  ) async -> (fake: FakeRig, recordings: [Recording], seen: Watcher.Seen) {
    let fake = FakeRig(SessionTests.rig, script)
    let watcher = Watcher(SessionTests.rig)
    let session = Session(
      rig: SessionTests.rig, output: fake.drive, input: fake.sensors, stop: fake.stop,
      isPaced: false, tap: watcher)
    var recordings: [Recording] = []
    for _ in 0..<takes { recordings.append(await session.play(take)) }
    return (fake, recordings, watcher.seen.withLock { $0 })
  }

  @Test(arguments: [(Int.max, Int.max), (1_000, 300), (17, 5)])
  func `each frame is seen once, in its order`(writeLimit: Int, readLimit: Int) async throws {
    let take = try SessionTests.take()
    let (fake, recordings, seen) = await play(
      take, FakeScript(writeLimit: writeLimit, readLimit: readLimit))
    #expect(seen.begun == [0])
    #expect(seen.drive == fake.played)
    #expect(
      seen.capture.count == recordings[0].frameCount * SessionTests.rig.capture.channels.count)
    #expect(seen.capture == fake.played)
  }

  @Test func `a recording is the same whether anybody looks`() async throws {
    let take = try SessionTests.take()
    let losses = [StreamEvent(kind: .overload, frame: 5_000, length: 3_000)]
    let fake = FakeRig(SessionTests.rig, FakeScript(losses: losses))
    let alone = await Session(
      rig: SessionTests.rig, output: fake.drive, input: fake.sensors, stop: fake.stop,
      isPaced: false
    ).play(take)
    let (_, recordings, _) = await play(take, FakeScript(losses: losses))
    #expect(recordings[0] == alone)
    #expect(alone.driveEvents.contains(losses[0]))
  }

  @Test func `a loss is told once, in the block in which it is seen`() async throws {
    let losses = [
      StreamEvent(kind: .underrun, frame: 2_000, length: 100),
      StreamEvent(kind: .overload, frame: 5_000, length: 6_000, channel: "haptic"),
      StreamEvent(kind: .overload, frame: 5_000, length: 1, channel: "reference"),
    ]
    let (_, _, seen) = await play(try SessionTests.take(), FakeScript(losses: losses))
    #expect(seen.losses.map(\.frame) == [2_000, 5_000, 5_000])
    #expect(seen.losses.map(\.channel) == [nil, "haptic", "reference"])
    let block = max(1024, SessionTests.rig.drive.periodFrames)
    for (event, moment) in zip(seen.losses, seen.moments) {
      #expect((event.frame...(event.frame + block)).contains(moment))
    }
  }

  @Test func `what is stopped is seen as far as it went`() async throws {
    let (fake, recordings, seen) = await play(
      try SessionTests.take(), FakeScript(interruption: 10_000))
    #expect(recordings[0].fault?.code == .interrupted)
    // The last period, of zeros, is the end's and nobody's signal.
    let rest = SessionTests.rig.drive.periodFrames * SessionTests.rig.drive.channelCount
    #expect(seen.drive == Array(fake.played.dropLast(rest)))
  }
}
