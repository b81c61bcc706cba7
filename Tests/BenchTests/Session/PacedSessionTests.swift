// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Glibc
import Synchronization
import Testing
import Units
import VirtualDevices

/// A session with devices that keep their own time.
///
/// The fake device goes on as the session tells how far it got, so no test waits for a clock.
struct PacedSessionTests {
  private static let lead = 4096

  private func play(
    _ take: TakeDrive, _ script: FakeScript = FakeScript(), rig: RigDescription = SessionTests.rig,
    progress: (@Sendable (FakeRig, Double) -> Void)? = nil
  ) async -> (fake: FakeRig, recording: Recording) {
    var script = script
    script.isPaced = true
    let fake = FakeRig(rig, script)
    fake.permitted.store(Self.lead, ordering: .releasing)
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

  @Test func `a fault of the drive is the recording's`() async throws {
    let (fake, recording) = await play(try SessionTests.take(), FakeScript(writeFault: 20_000))
    #expect(recording.fault == FakeRig.fault("write"))
    #expect(recording.frameCount == fake.playedFrames)
    #expect(fake.trace.contains("silence"))
  }

  @Test func `a fault of the sensors keeps what came before`() async throws {
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

  @Test func `a fault while the rig comes to rest leaves the take interrupted`() async throws {
    let (fake, recording) = await play(
      try SessionTests.take(), FakeScript(writeFault: 20_500, interruption: 20_000))
    #expect(recording.fault?.code == .interrupted)
    #expect(recording.fault?.errno == SIGINT)
    #expect(fake.trace.contains("silence"))
  }

  /// A clock that stands still until somebody sleeps on it or moves it.
  private final class ManualClock: DeviceClock {
    private let time = Mutex<UInt64>(1_000_000_000)

    func now() -> UInt64 { time.withLock { $0 } }

    func sleep(until nanoseconds: UInt64) { time.withLock { $0 = max($0, nanoseconds) } }

    func advance(seconds: Double) { time.withLock { $0 += UInt64(seconds * 1e9) } }
  }

  /// Plays on a simulated rig in real time; the caller sleeps for so long, once in the middle or
  /// several times evenly apart.
  private func playSimulated(
    _ take: TakeDrive, asleep seconds: Double, times: Int = 1, slack: DriveSlack = .live,
    faults: [SimulationDescription.Fault] = []
  ) async throws -> Recording {
    var simulation = SimulationDescription(
      seed: 7, clock: .real, plant: try #require(PlantParameters.named("linX-170")))
    simulation.faults = faults
    let rig = Rigs.described(device: .simulated(simulation))
    let clock = ManualClock()
    let devices = try SimulatedRig(rig, clock: clock, slack: slack)
    let session = Session(
      rig: rig, output: devices.drive, input: devices.sensors, stop: StopSignal(), isPaced: true)
    let slept = Atomic<Int>(0)
    return await session.play(take) { share in
      let count = slept.load(ordering: .relaxed)
      guard count < times, share > Double(count + 1) / Double(times + 1) else { return }
      slept.add(1, ordering: .relaxed)
      clock.advance(seconds: seconds)
    }
  }

  @Test func `a caller in time loses nothing on devices that only block`() async throws {
    let take = try SessionTests.take()
    let recording = try await playSimulated(take, asleep: 0)
    #expect(recording.fault == nil)
    #expect(recording.frameCount == take.layout.frameCount)
    #expect(recording.driveEvents.filter { $0.kind == .underrun }.isEmpty)
    #expect(recording.gaps.isEmpty)
  }

  @Test
  func `a recorded take loses nothing while its caller is held up for less than the queue's slack`()
    async throws
  {
    let take = try SessionTests.take()
    let recording = try await playSimulated(take, asleep: 0.4, slack: .recorded)
    #expect(recording.fault == nil)
    #expect(recording.frameCount == take.layout.frameCount)
    #expect(recording.driveEvents.filter { $0.kind == .underrun }.isEmpty)
    #expect(recording.gaps.isEmpty)
  }

  @Test func `lateness does not add up until captured frames are lost`() async throws {
    let take = try SessionTests.take()
    // More than the capture's second together, each less than the drive's half.
    let recording = try await playSimulated(take, asleep: 0.3, times: 4, slack: .recorded)
    #expect(recording.fault == nil)
    #expect(recording.frameCount == take.layout.frameCount)
    #expect(recording.gaps.isEmpty)
  }

  @Test(arguments: [DriveSlack.live, .recorded])
  func `what was captured until the plug was pulled is there`(slack: DriveSlack) async throws {
    let take = try SessionTests.take()
    let recording = try await playSimulated(
      take, asleep: 0, slack: slack, faults: [.init(kind: .unplug, time: 0.25)])
    #expect(recording.fault?.code == .unplugged)
    let captured = Double(recording.frameCount) / SessionTests.rig.drive.rate.hertz
    #expect(abs(captured - 0.25) < 0.01)
  }

  @Test func `progress is told twenty times a second at most, and at the end`() async throws {
    let take = try SessionTests.take()
    let shares = Mutex<[Double]>([])
    _ = await play(take) { _, share in shares.withLock { $0.append(share) } }
    let seconds = Double(take.layout.frameCount) / SessionTests.rig.drive.rate.hertz
    let told = shares.withLock(\.self)
    #expect(told.count <= Int(20 * seconds) + 1)
    #expect(told.last == 1)
  }

  @Test func `frames that come too late are told as an underrun, and the rest stays in time`()
    async throws
  {
    let take = try SessionTests.take()
    let total = take.layout.frameCount
    let whole = try #require(await playSimulated(take, asleep: 0).channel(.reference)).samples
    let recording = try await playSimulated(take, asleep: 0.1)
    let underruns = recording.driveEvents.filter { $0.kind == .underrun }.map(\.frames)
    // The drive holds four periods; the rest of the 0.1 s was not there in time.
    let lost = underruns.reduce(0) { $0 + $1.count }
    #expect((4800 - 5 * 256...4800).contains(lost), "\(underruns)")
    #expect(recording.fault == nil)
    #expect(recording.frameCount == total)
    let reference = try #require(recording.channel(.reference)).samples
    expect(
      Array(reference), equal: Array(whole), but: underruns, "reference")
  }
}
