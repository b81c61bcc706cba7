import Bench
import Devices
import Glibc
import Synchronization
import Testing
import Units

/// A session with devices that keep their own time: served by a thread.
///
/// The fake device goes on as the session tells how far it got, so no test waits for a clock.
struct ThreadedSessionTests {
  private static let lead = 4096

  private func play(
    _ take: TakeDrive, _ script: FakeScript = FakeScript(), rig: RigDescription = SessionTests.rig,
    progress: (@Sendable (FakeRig, Double) -> Void)? = nil
  ) async -> (fake: FakeRig, recording: Recording) {
    var script = script
    script.isPaced = true
    let fake = FakeRig(rig, script)
    let total = take.layout.frameCount
    let session = Session(
      rig: rig, output: fake.drive, input: fake.sensors, stop: fake.stop, isPaced: true)
    let recording = await session.play(take) { share in
      fake.permitted.store(Int(share * Double(total)) + Self.lead, ordering: .releasing)
      progress?(fake, share)
    }
    return (fake, recording)
  }

  /// Each frame that no event names is as it should be, and each that one does is zero.
  private func expect(
    _ samples: [Float], equal truth: [Float], but losses: [Range<Int>], _ name: String
  ) {
    var wrong: [Int] = []
    for frame in samples.indices {
      let isLost = losses.contains { $0.contains(frame) }
      if samples[frame] != (isLost ? 0 : truth[frame]) { wrong.append(frame) }
    }
    #expect(
      wrong.isEmpty, "\(name): \(wrong.count) wrong, from \(wrong.first ?? 0), lost \(losses)")
  }

  @Test func `a take reaches the device frame for frame, and comes back whole`() async throws {
    let take = try SessionTests.take()
    let (fake, recording) = await play(take)
    #expect(fake.played == SessionTests.frames(take))
    #expect(recording.fault == nil)
    #expect(recording.frameCount == take.layout.frameCount)
    for (place, channel) in recording.channels.enumerated() {
      #expect(
        channel.samples == stride(from: place, to: fake.played.count, by: 3).map { fake.played[$0] }
      )
    }
  }

  @Test func `a device may take and give few frames at once, and stay behind`() async throws {
    let take = try SessionTests.take()
    let (fake, recording) = await play(
      take, FakeScript(writeLimit: 100, readLimit: 77, lag: 3_000))
    #expect(fake.played == SessionTests.frames(take))
    #expect(recording.frameCount == take.layout.frameCount)
  }

  @Test func `a fault on the thread is the recording's`() async throws {
    let (fake, recording) = await play(try SessionTests.take(), FakeScript(writeFault: 20_000))
    #expect(recording.fault == FakeRig.fault("write"))
    #expect(recording.frameCount == fake.playedFrames)
    #expect(fake.trace.contains("silence"))
  }

  @Test func `a fault of the sensors on the thread keeps what came before`() async throws {
    let (fake, recording) = await play(try SessionTests.take(), FakeScript(readFault: 20_000))
    #expect(recording.fault == FakeRig.fault("read"))
    #expect((20_000..<21_000).contains(recording.frameCount))
    #expect(fake.trace.contains("silence"))
  }

  @Test func `a request to stop silences the drive and keeps what was captured`() async throws {
    let (fake, recording) = await play(try SessionTests.take(), FakeScript(interruption: 20_000))
    let fault = try #require(recording.fault)
    #expect(fault.code == .interrupted)
    #expect(fault.errno == SIGINT)
    #expect(fake.trace.contains("silence"))
    #expect(fake.trace.contains("drive stop"))
    // Zeros from the next period on, a tenth of a second of them in the recording.
    let format = SessionTests.rig.drive.format
    let played = fake.played
    let silent = (20_000 + format.periodFrames) * format.channelCount
    #expect(played[silent...].allSatisfy { $0 == 0 })
    let rest = format.rate.wholeFrames(0.1)
    #expect((20_000...(20_000 + format.periodFrames)).contains(recording.frameCount - rest))
    #expect(
      recording.channels[0].samples == (0..<recording.frameCount).map { played[$0 * 3] })
  }

  @Test func `frames that come too late are told as an underrun, and the rest stays in time`()
    async throws
  {
    let take = try SessionTests.take()
    let total = take.layout.frameCount
    let rig = SessionTests.rig
    // The caller sleeps through the take: the queue holds less than all of it.
    let (fake, recording) = await play(take) { fake, share in
      guard share > 0, fake.playedFrames < total - 5_256 else { return }
      fake.permitted.store(total - 5_000, ordering: .releasing)
      while fake.playedFrames < total - 5_256 { sched_yield() }
    }
    let played = fake.played
    let underruns = recording.driveEvents.filter { $0.kind == .underrun && $0.length > 1 }
    #expect(!underruns.isEmpty)
    let truth = SessionTests.frames(take, rig)
    for channel in 0..<3 {
      expect(
        (0..<total).map { played[$0 * 3 + channel] },
        equal: (0..<total).map { truth[$0 * 3 + channel] }, but: underruns.map(\.frames),
        "drive channel \(channel)")
    }
    let overruns = recording.captureEvents.filter { $0.kind == .overrun }
    #expect(!overruns.isEmpty)
    #expect(recording.frameCount == total)
    for (place, channel) in recording.channels.enumerated() {
      expect(
        Array(channel.samples), equal: (0..<total).map { played[$0 * 3 + place] },
        but: overruns.map(\.frames), channel.description.name)
    }
  }
}
