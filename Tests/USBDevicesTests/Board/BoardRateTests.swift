// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Testing
import USBModels
import Units

@testable import USBDevices

/// A world that moves by itself: a tone from frame 0 of the drive on, whatever is driven.
struct TonePlant: BoardPlant {
  let frequency: Double
  private var start: UInt64?

  init(frequency: Double) { self.frequency = frequency }

  mutating func drive(_ samples: [Int32], frame: Int?, at tick: UInt64) {
    if frame == 0 { start = tick }
  }

  func sense(at tick: UInt64) -> [Int32] {
    let time = Double(tick - (start ?? tick)) / Double(BoardRateTests.ticks)
    return [Int32((16_384 * sin(2 * .pi * frequency * time)).rounded())]
  }
}

/// Boards whose sensors run at another rate than their drive, on one clock.
struct BoardRateTests {
  static let ticks: UInt32 = 16_000_000

  private func identity(drive: [UInt32], sensors: [UInt32]) -> BoardIdentity {
    BoardIdentity(
      tickRate: Self.ticks, driveRates: drive, sensorRates: sensors,
      driveChannelCount: drive.isEmpty ? 0 : 1, sensorChannelCount: 1, bufferFrames: 2400,
      fullScaleMicrovolts: drive.isEmpty ? 0 : 4_000_000, sensorFullScale: 160_000_000,
      serial: "HR-0001")
  }

  private func description(rate: Double) -> RigDescription {
    var rig = BoardFixture.description(rate: rate)
    rig.capture.channels[0] = CaptureChannelDescription(
      name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1)
    return rig
  }

  private func open(
    _ identity: BoardIdentity, rate: Double, halves: TakeHalves = [.drive, .sensors],
    faults: [FakeUSBFault] = []
  ) throws(DeviceError) -> USBRig {
    let bus = FakeUSBBus()
    bus.plug(
      FakeBoard(BoardDevice(identity, plant: TonePlant(frequency: 1000))), faults: faults)
    return try USBRig(
      description(rate: rate), device: USBDescription(selection: USBSelection()), halves: halves,
      on: bus)
  }

  /// The largest difference from the tone, where all the samples around a frame are there.
  private func error(of heard: [Float], rate: Double, but lost: Range<Int> = 0..<0) -> Double {
    heard.indices.dropFirst(500).filter { !lost.contains($0) }.map { frame in
      abs(Double(heard[frame]) - 80 * sin(2 * .pi * 1000 * Double(frame) / rate))
    }.max() ?? .infinity
  }

  @Test(
    arguments: [
      ([48_000], [26_667], 48_000.0), ([8000], [48_000], 8000), ([48_000], [4000, 3200], 48_000),
      ([48_000], [8000, 48_000], 48_000),
    ] as [([UInt32], [UInt32], Double)])
  func `sensors of another rate are felt at the drive's frames`(
    drive: [UInt32], sensors: [UInt32], rate: Double
  ) throws {
    let rig = try open(identity(drive: drive, sensors: sensors), rate: rate)
    let heard = try rig.play(frames: 4800) { _ in 0.1 }
    #expect(heard.count == 4800)
    #expect(rig.sensors?.takeEvents() == [])
    #expect(rig.drive?.takeEvents() == [])
    // A tick of 62.5 ns is 0.04 % of the tone, a step of the samples 0.006 %.
    #expect(error(of: heard, rate: rate) < 80 * 1e-3, "\(sensors) Hz")
    let again = try rig.play(frames: 4800) { _ in 0.1 }
    #expect(error(of: again, rate: rate) < 80 * 1e-3, "\(sensors) Hz, the second take")
  }

  @Test func `the record says at what rate the sensors ran`() throws {
    let rig = try open(identity(drive: [48_000], sensors: [3200, 26_667]), rate: 48_000)
    #expect(rig.statistics()?.statements.map(\.sensorRate) == [26_667])
  }

  @Test func `a lost packet of another rate is zeros at the drive's frames, and a drop`() throws {
    let rig = try open(
      identity(drive: [48_000], sensors: [26_667]), rate: 48_000,
      faults: [FakeUSBFault(.lose, endpoint: 0x81, transfer: 60)])
    let heard = try rig.play(frames: 4800) { _ in 0.1 }
    let events = try #require(rig.sensors).takeEvents()
    let (first, last) = (try #require(events.first), try #require(events.last))
    let lost = first.frames.lowerBound..<last.frames.upperBound
    #expect(events.allSatisfy { $0.kind == .drop })
    // A hole may be told in pieces, which follow each other: 26 frames of the sensors.
    #expect(events.reduce(0) { $0 + $1.length } == lost.count)
    #expect((46...49).contains(lost.count), "\(lost)")
    #expect(lost.allSatisfy { heard[$0] == 0 })
    // Beside the hole a frame is made of what is there, and of a line over the rest.
    let beside = (lost.lowerBound - 80)..<(lost.upperBound + 80)
    #expect(error(of: heard, rate: 48_000, but: beside) < 80 * 1e-3)
  }

  @Test func `a board that only feels needs no drive rate, and not the rig's`() throws {
    let rig = try open(identity(drive: [], sensors: [26_667]), rate: 48_000, halves: .sensors)
    #expect(rig.sensors?.format.rate.hertz == 48_000)
    #expect(rig.drive == nil)
  }

  @Test(
    arguments: [
      ([8000, 96_000], "write 'rate' as one of 8000 Hz, 96000 Hz"),
      ([4000], "it has 4000 Hz, and a rig file's 'rate' is 8 to 192 kHz"),
      ([], "it has no drive rate"),
    ] as [([UInt32], String)])
  func `a rate that the drive does not have is refused with those that a rig file can name`(
    rates: [UInt32], phrase: String
  ) throws {
    let error = #expect(throws: DeviceError.self) {
      try open(identity(drive: rates, sensors: [26_667]), rate: 48_000)
    }
    #expect(error?.code == .refused)
    #expect(error?.message.contains(phrase) == true, "\(error?.message ?? "nothing")")
  }

  @Test func `a board without a sensor rate is refused as a sensor`() throws {
    let error = #expect(throws: DeviceError.self) {
      try open(identity(drive: [48_000], sensors: []), rate: 48_000)
    }
    #expect(error?.message.contains("the board names no sensor rate") == true)
  }
}
