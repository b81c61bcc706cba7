// SPDX-License-Identifier: Apache-2.0

import DeviceConformance
import Devices
import ScratchFolder
import SoundFiles
import Testing
import Units
import VirtualDevices

/// Sound files as a rig: first the stimulus, later the response.
struct FileRigTests {
  private static let traits: DeviceConformance.Traits = [.repeatable]

  private func write(
    _ channels: [[Float]], to path: String, rate: SampleRate = .standard
  ) throws {
    try SoundFile.write(
      path: path, signals: channels.map { Signal(samples: $0, rate: rate, unit: .one) })
  }

  private func ramp(_ frame: Int) -> Double { Double(frame % 1_000) / 1_000 - 0.5 }

  @Test(arguments: DeviceConformance.checks(traits))
  func `it keeps the contract`(check: DeviceConformance.Check) throws {
    var bench = try FileFixture()
    let samples = [Float](repeating: 0.1, count: 20_000)
    try write([samples, samples], to: bench.path("response.wav"))
    bench.response = "response.wav"
    bench.stimulus = "stimulus.wav"
    let made = bench
    try DeviceConformance(Self.traits) {
      let rig = try made.open()
      return DevicePair(output: rig.drive, input: try #require(rig.sensors))
    }.run(check)
  }

  @Test func `a stimulus played and recorded comes back as its response`() throws {
    var bench = try FileFixture()
    bench.stimulus = "stimulus.wav"
    let writer = try bench.open()
    #expect(writer.sensors == nil)
    for _ in 0..<2 {
      try writer.drive.start()
      try send(writer.drive, 0..<1_500, ramp)
      try writer.drive.stop()
    }
    #expect(!bench.scratch.names.contains("stimulus.wav"), "the file appears when it is whole")
    try writer.drive.finish()
    let stimulus = try SoundFile.read(path: bench.path("stimulus.wav"))
    #expect(stimulus.info.frameCount == 3_000)
    #expect(stimulus.info.channelCount == 2)

    // The recorder was started 77 frames before the player.
    let recorded = stimulus.channels.map { [Float](repeating: 0, count: 77) + $0.samples }
    try write(recorded, to: bench.path("response.wav"))
    (bench.stimulus, bench.response) = (nil, "response.wav")
    let reader = try bench.open(skip: 77)
    let sensors = try #require(reader.sensors)
    for _ in 0..<2 {
      let take = try playTake(reader.drive, sensors, frames: 1_500, signal: ramp)
      #expect(take.channels[0] == (0..<1_500).map { Float(ramp($0)) })
    }
  }

  @Test func `full scale and sensitivity make a response SI`() throws {
    var bench = try FileFixture()
    try write([[0.5, 0.5], [0.25, 0.25]], to: bench.path("r.wav"))
    bench.response = "r.wav"
    bench.capture[0].fullScaleVolts = 2
    bench.capture[0].sensor = SensorCertificate(sensitivity: 0.01)
    bench.capture[1].fullScaleVolts = 5
    (bench.capture[0].input, bench.capture[1].input) = (2, 1)
    let rig = try bench.open()
    let take = try playTake(rig.drive, try #require(rig.sensors), frames: 2) { _ in 0 }
    #expect(take.channels == [[50, 50], [2.5, 2.5]])
  }

  @Test func `a response that is too short is an error at its end`() throws {
    var bench = try FileFixture()
    let samples = [Float](repeating: 0.1, count: 4_800)
    try write([samples, samples], to: bench.path("r.wav"))
    bench.response = "r.wav"
    let rig = try bench.open(skip: 100)
    let sensors = try #require(rig.sensors)
    let error = #expect(throws: DeviceError.self) {
      _ = try playTake(rig.drive, sensors, frames: 9_600) { _ in 0 }
    }
    #expect(error?.code == .ended)
    #expect(error?.message.contains("the response ends at") == true, "\(String(describing: error))")
  }

  @Test func `a response that begins too late is an error`() throws {
    var bench = try FileFixture()
    try write([[0, 0], [0, 0]], to: bench.path("r.wav"))
    bench.response = "r.wav"
    let rig = try bench.open(skip: -480)
    let sensors = try #require(rig.sensors)
    let error = #expect(throws: DeviceError.self) {
      _ = try playTake(rig.drive, sensors, frames: 2) { _ in 0 }
    }
    #expect(error?.message.contains("after the stimulus") == true)
  }

  @Test func `a response that does not fit the rig is refused before anything is written`() throws {
    var bench = try FileFixture()
    bench.stimulus = "stimulus.wav"
    bench.response = "r.wav"
    func refusal() throws -> DeviceError {
      let made = bench
      let error = #expect(throws: DeviceError.self) { _ = try made.open() }
      #expect(bench.scratch.names.filter { $0.contains("stimulus") }.isEmpty)
      return try #require(error)
    }
    #expect(try refusal().code == .notFound)
    try write([[0], [0]], to: bench.path("r.wav"), rate: SampleRate(hertz: 44_100))
    #expect(try refusal().message.contains("44100 Hz"))
    try write([[0]], to: bench.path("r.wav"))
    #expect(try refusal().message.contains("'reference' is input 2, and the response has 1"))
    try bench.scratch.write("no sound", to: "r.wav")
    #expect(try refusal().code == .garbled)
  }

  @Test func `no file at all is refused with what to give`() throws {
    let bench = try FileFixture()
    let error = #expect(throws: DeviceError.self) { _ = try bench.open() }
    #expect(error?.message.contains("--stimulus") == true)
  }

  @Test func `silence writes zeros and clipping is told`() throws {
    var bench = try FileFixture()
    bench.stimulus = "s.wav"
    let rig = try bench.open()
    try rig.drive.start()
    try send(rig.drive, 0..<100) { $0 == 40 ? 3 : 0.5 }
    rig.drive.silence()
    try send(rig.drive, 100..<200) { _ in 0.5 }
    try rig.drive.stop()
    #expect(rig.drive.takeEvents().map(\.frame) == [40, 40])
    try rig.drive.finish()
    let written = try SoundFile.read(path: bench.path("s.wav")).channels[0].samples
    #expect(written[40] == 1 && written[99] == 0.5)
    #expect(written[100...].allSatisfy { $0 == 0 })
  }

  @Test func `a stimulus that is not finished leaves nothing behind`() throws {
    var bench = try FileFixture()
    bench.stimulus = "s.wav"
    do {
      let rig = try bench.open()
      try rig.drive.start()
      try send(rig.drive, 0..<100) { _ in 0.5 }
    }
    #expect(bench.scratch.names.isEmpty, "\(bench.scratch.names)")
  }

  @Test func `reading before the drive's next take gives nothing of the last`() throws {
    var bench = try FileFixture()
    let samples = [Float](repeating: 0.1, count: 4_800)
    try write([samples, samples], to: bench.path("r.wav"))
    bench.response = "r.wav"
    let rig = try bench.open()
    let sensors = try #require(rig.sensors)
    _ = try playTake(rig.drive, sensors, frames: 500) { _ in 0 }
    try sensors.start()
    #expect(try read(sensors, frames: 100).isEmpty)
    try rig.drive.start()
    try send(rig.drive, 0..<100) { _ in 0 }
    #expect(try read(sensors, frames: 200).count == 200)
  }
}
