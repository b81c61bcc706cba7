// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Glibc
import Testing
import Units

/// A session with devices that wait for the frames: served in place.
struct SessionTests {
  static let rig = Rigs.described()

  static func take() throws -> TakeDrive {
    TakeBuilder(rig: rig, hasProbe: false).build(try Rigs.pattern([AHAPText.tap(at: 0)]))
  }

  /// All of a take as its device gets it.
  static func frames(_ take: TakeDrive, _ rig: RigDescription = Self.rig) -> [Float] {
    take.frames.interleaved(
      0..<take.layout.frameCount, roles: rig.drive.channels, channelCount: rig.drive.channelCount)
  }

  private func play(
    _ take: TakeDrive, _ script: FakeScript = FakeScript()
  ) async -> (fake: FakeRig, recording: Recording) {
    let fake = FakeRig(Self.rig, script)
    let session = Session(
      rig: Self.rig, output: fake.drive, input: fake.sensors, stop: fake.stop, isPaced: false)
    return (fake, await session.play(take))
  }

  /// The recording is of the first frames of what was played, channel by channel.
  private func expectEcho(_ recording: Recording, of played: [Float]) {
    let width = Self.rig.drive.channelCount
    for (place, channel) in recording.channels.enumerated() {
      let sent = (0..<recording.frameCount).map { played[$0 * width + place] }
      #expect(channel.samples == sent, "channel \(channel.description.name)")
    }
  }

  @Test func `a take reaches the device frame for frame, and comes back whole`() async throws {
    let take = try Self.take()
    let (fake, recording) = await play(take)
    #expect(fake.played == Self.frames(take))
    #expect(recording.fault == nil)
    #expect(recording.frameCount == take.layout.frameCount)
    #expect(recording.driveFrameCount == take.layout.frameCount)
    #expect(recording.channels.map(\.description) == fake.channels)
    expectEcho(recording, of: fake.played)
  }

  @Test(arguments: [(1_000, 300), (17, Int.max), (Int.max, 5)])
  func `a device may take and give as few frames at once as it likes`(
    writeLimit: Int, readLimit: Int
  ) async throws {
    let take = try Self.take()
    let (fake, recording) = await play(
      take, FakeScript(writeLimit: writeLimit, readLimit: readLimit))
    #expect(fake.played == Self.frames(take))
    #expect(recording.frameCount == take.layout.frameCount)
    expectEcho(recording, of: fake.played)
  }

  @Test(arguments: [1, 999, 20_000])
  func `a capture that stays behind the drive is read to its end`(lag: Int) async throws {
    let take = try Self.take()
    let (fake, recording) = await play(take, FakeScript(lag: lag))
    #expect(recording.frameCount == take.layout.frameCount)
    #expect(recording.fault == nil)
    expectEcho(recording, of: fake.played)
  }

  @Test func `both devices start before the first frame and stop after the last`() async throws {
    let (fake, _) = await play(try Self.take())
    let trace = fake.trace
    #expect(Array(trace.prefix(3)) == ["drive start", "capture start", "write"])
    let end = try #require(trace.firstIndex(of: "drive stop"))
    #expect(!trace[end...].contains("write"))
    #expect(trace.last == "capture stop")
    #expect(!trace.contains("silence"))
  }

  @Test func `what the devices tell of themselves is in the recording`() async throws {
    let (_, recording) = await play(try Self.take())
    #expect(recording.driveEvents == [StreamEvent(kind: .underrun, frame: 3, length: 1)])
    #expect(recording.captureEvents == [StreamEvent(kind: .overload, frame: 7, length: 2)])
    #expect(recording.driveClock.map(\.frame) == recording.driveClock.map(\.frame).sorted())
    #expect(recording.driveClock.count > 10)
    #expect(recording.captureClock.isEmpty)
  }

  @Test func `a fault of the drive ends the take and keeps what was captured`() async throws {
    let take = try Self.take()
    let (fake, recording) = await play(take, FakeScript(writeFault: 5_000))
    #expect(recording.fault == FakeRig.fault("write"))
    #expect(recording.driveFrameCount == fake.playedFrames)
    #expect((4_000...take.layout.frameCount).contains(recording.frameCount))
    #expect(recording.frameCount <= fake.playedFrames)
    expectEcho(recording, of: fake.played)
    let silence = try #require(fake.trace.firstIndex(of: "silence"))
    #expect(!fake.trace[silence...].contains("write"))
  }

  @Test func `a fault of the sensors silences the drive`() async throws {
    let (fake, recording) = await play(try Self.take(), FakeScript(readFault: 5_000))
    #expect(recording.fault == FakeRig.fault("read"))
    #expect((5_000..<7_000).contains(recording.frameCount))
    expectEcho(recording, of: fake.played)
    #expect(fake.trace.contains("silence"))
    #expect(fake.trace.contains("drive stop"))
    #expect(fake.trace.last == "capture stop")
  }

  @Test(arguments: [true, false])
  func `a device that does not start is a fault before anything is driven`(
    isDrive: Bool
  ) async throws {
    let (fake, recording) = await play(
      try Self.take(), FakeScript(driveStartFails: isDrive, captureStartFails: !isDrive))
    #expect(recording.fault == FakeRig.fault("start"))
    #expect(recording.frameCount == 0)
    #expect(recording.driveFrameCount == 0)
    #expect(recording.channels.count == 3)
    #expect(fake.played.isEmpty)
    #expect(fake.trace.contains("silence"))
  }

  @Test func `a request to stop in the middle drives zero and keeps what was captured`()
    async throws
  {
    let take = try Self.take()
    let (fake, recording) = await play(take, FakeScript(interruption: 10_000))
    let fault = try #require(recording.fault)
    #expect(fault.code == .interrupted)
    #expect(fault.errno == SIGINT)
    #expect(fault.message.contains("\(SIGINT)"))
    let rest = Self.rig.drive.periodFrames
    // The period in which it came, and one of zeros.
    #expect((10_000...(10_000 + 2 * rest)).contains(fake.playedFrames))
    #expect(recording.frameCount == fake.playedFrames - rest)
    expectEcho(recording, of: fake.played)
    let silence = try #require(fake.trace.firstIndex(of: "silence"))
    #expect(fake.trace[silence...].filter { $0 == "write" }.count == 1)
    #expect(fake.played.suffix(rest * Self.rig.drive.channelCount).allSatisfy { $0 == 0 })
  }

  @Test(arguments: [false, true])
  func `a request from before the take lets nothing out`(isPaced: Bool) async throws {
    let fake = FakeRig(Self.rig, FakeScript(isPaced: isPaced))
    let session = Session(
      rig: Self.rig, output: fake.drive, input: fake.sensors, stop: fake.stop, isPaced: isPaced)
    fake.stop.request(SIGTERM)
    let recording = await session.play(try Self.take())
    #expect(recording.fault?.code == .interrupted)
    #expect(recording.fault?.errno == SIGTERM)
    #expect(fake.played.allSatisfy { $0 == 0 })
    #expect(recording.frameCount == 0)
  }
}
