// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import Perception
import ScratchFolder
import SoundFiles
import Testing
import Units

@testable import Bench

/// A drive that passes everything on, and says that it makes tones of its own.
private final class SayingDrive: DriveOutput {
  private let drive: FakeDrive

  init(_ drive: FakeDrive) { self.drive = drive }

  var format: StreamFormat { drive.format }
  var expressible: ExpressibleDrive? { CoarseDrive.expressible }

  func start() throws(DeviceError) { try drive.start() }
  func write(_ frames: Span<Float>) throws(DeviceError) -> Int { try drive.write(frames) }
  func silence() { drive.silence() }
  func stop() throws(DeviceError) { try drive.stop() }
  func takeEvents() -> [StreamEvent] { [] }
  func clockReading() -> ClockReading? { nil }
}

/// What a drive can express, out of the record.
struct ExpressibleRecordTests {
  @Test func `a take is scored again from its record and files to the same readings`() async throws
  {
    let rig = Rigs.described(
      drive: [.haptic: 1, .reference: 2], capture: [.acceleration, .reference],
      rate: SampleRate(hertz: 24_000))
    let fake = FakeRig(rig)
    let session = Session(
      rig: rig, output: SayingDrive(fake.drive), input: fake.sensors, stop: fake.stop,
      isPaced: false)
    let scratch = try ScratchFolder()
    let builder = TakeBuilder(rig: rig, hasProbe: false)
    let pattern = try Rigs.pattern(
      [AHAPText.buzz(at: 0, duration: 0.2, intensity: 0.6), AHAPText.tap(at: 0.4)],
      rate: rig.drive.rate)
    let outcome = try await PlanRun(
      plan: Plan(name: "test", repeats: 1), patterns: [pattern], builder: builder,
      target: IntensityTarget(), folder: scratch.path
    ).execute(session)
    let first = outcome.readings.filter { $0.take == 1 }
    #expect(first.contains { $0.name == ReadingName(.quantisationLevel) && $0.value != nil })

    var account = try #require(outcome.patterns.first?.takes.first)
    func scored(_ account: RunRecord.Take) throws -> [Reading] {
      let take = try RecordedTake(account, rendered: builder.build(pattern), rig: rig) {
        name, channels in
        let file = try RegularFile(path: scratch.path + "/" + name)
        return try RecordedSound(descriptor: file.descriptor, name: name, channels: channels)
      }
      let again = try #require(take)
      return TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
        again.take, again.recording, pattern: pattern.name, number: 1
      ).readings
    }
    #expect(try scored(account) == first)
    // The record it is: another drive in it gives other readings.
    let sent = try #require(account.device?.expressible)
    account.device?.expressible = ExpressibleDrive(
      frequencies: sent.frequencies, amplitudes: sent.amplitudes, updateInterval: 0.05)
    #expect(try scored(account) != first)
  }
}
