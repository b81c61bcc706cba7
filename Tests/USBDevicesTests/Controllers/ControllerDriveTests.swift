// SPDX-License-Identifier: Apache-2.0

import ControllerModels
import Devices
import Testing
import USBModels

@testable import USBDevices

/// Takes on controllers that drive by commands.
struct ControllerDriveTests {
  @Test(arguments: ControllerKind.allCases)
  func `a take gives the envelope, slot by slot, and ends neutral`(kind: ControllerKind) throws {
    let bench = try ControllerFixture(kind)
    try bench.play(seconds: 0.6) { time in
      time < 0.1 || time >= 0.5 ? 0 : 0.2 + 0.6 * (time - 0.1) / 0.4
    }
    let drive = try #require(bench.rig.drive)
    let interval = try #require(drive.expressible?.updateInterval)
    let driven = bench.model.strengths.filter { !$0.isNeutral }
    let first = try #require(driven.first)
    let last = try #require(driven.last)
    let length = Double(last.nanoseconds - first.nanoseconds) * 1e-9
    #expect(abs(length - 0.4) <= 2 * interval, "\(length) s")
    for moment in driven.dropFirst(2).dropLast(2) {
      let time = Double(moment.nanoseconds - first.nanoseconds) * 1e-9 + 0.1
      let wanted = 0.2 + 0.6 * (time - 0.1) / 0.4
      #expect(abs(moment.left - wanted) < 1.5 * 2 * interval + 0.02, "\(time) s: \(moment)")
      #expect(moment.right == 0)
    }
    #expect(driven.count >= Int(0.4 / interval) - 4)
    #expect(bench.model.neutralSince != nil)
    #expect(drive.takeEvents() == [])
    // A command waits for the bus at most, 8 ms on a Switch, from its slot's begin.
    let clock = try #require(drive.clockReading())
    let start = Double(clock.nanoseconds) * 1e-9 - Double(clock.frame) / ControllerFixture.rate
    let onset = Double(first.nanoseconds) * 1e-9 - start
    #expect(onset >= 0.1 - interval && onset < 0.1 + 2 * interval, "\(onset) s")
  }

  @Test(arguments: ControllerKind.allCases)
  func `the drive's channel 2 is the right actuator`(kind: ControllerKind) throws {
    let bench = try ControllerFixture(kind, halves: .drive, channel: 2)
    try bench.play(seconds: 0.1) { _ in 1 }
    #expect(bench.model.strengths.contains { $0.right == 1 })
    #expect(bench.model.strengths.allSatisfy { $0.left == 0 })
  }

  @Test(arguments: ControllerKind.allCases)
  func `two takes after each other are the same`(kind: ControllerKind) throws {
    let bench = try ControllerFixture(kind)
    var shapes: [[Double]] = []
    for _ in 0..<2 {
      let before = bench.model.strengths.count
      try bench.play(seconds: 0.2) { min(0.9, 5 * $0) }
      shapes.append(bench.model.strengths.dropFirst(before).map(\.left))
    }
    #expect(shapes[0] == shapes[1])
    #expect(shapes[0].count > 8)
  }

  @Test(arguments: ControllerKind.allCases)
  func `silence is at the actuator within 20 ms and lasts until the next start`(
    kind: ControllerKind
  ) throws {
    let bench = try ControllerFixture(kind)
    var asked: UInt64?
    try bench.play(
      seconds: 0.4,
      during: { time in
        guard time >= 0.2, asked == nil else { return }
        bench.rig.drive?.silence()
        asked = bench.now
      }, envelope: { _ in 0.5 })
    let since = try #require(bench.model.neutralSince)
    let time = try #require(asked)
    #expect(since <= time + 20_000_000, "\((Double(since) - Double(time)) * 1e-6) ms")
    try bench.play(seconds: 0.1) { _ in 0.5 }
    #expect(
      bench.model.strengths.last { !$0.isNeutral }.map { $0.nanoseconds > since } == true)
  }

  @Test(arguments: ControllerKind.allCases)
  func `letting go of a rig in the middle of a take leaves the controller neutral`(
    kind: ControllerKind
  ) throws {
    let model = kind.model
    var bench: ControllerFixture? = try ControllerFixture(kind, model: model)
    let bus = try #require(bench?.bus)
    do {
      let drive = try #require(bench?.rig.drive)
      try drive.start()
      let block = [Float](repeating: 0.5, count: 512)
      for _ in 0..<4 { _ = try drive.write(block.span) }
      #expect(model.strengths.last?.isNeutral == false)
    }
    bench = nil
    #expect(model.neutralSince != nil)
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test func `a tone is the nearest of the grid in one band, and the other band rests`() throws {
    for band in SwitchControllerDescription.Band.allCases {
      let model = FakeSwitchController()
      let bench = try ControllerFixture(
        .switchController, model: model,
        driver: .switchController(SwitchControllerDescription(band: band)))
      try bench.play(seconds: 0.3) { _ in 0.6 }
      #expect(model.patterns.count > 10)
      // 32 log2(17.5) = 132.1, so code 132: 174.5 Hz. An amplitude of 0.6 is code 76: 0.596.
      let isHigh = band == .high
      for pattern in model.patterns.dropFirst().dropLast() {
        #expect((isHigh ? pattern.highCode : pattern.lowCode) == 132)
        let (played, other) =
          isHigh
          ? (pattern.highAmplitudeCode, pattern.lowAmplitudeCode)
          : (pattern.lowAmplitudeCode, pattern.highAmplitudeCode)
        #expect(played == 76 && other == 0, "\(pattern)")
      }
    }
  }

  @Test func `no drive goes above the safe amplitude`() throws {
    let model = FakeSwitchController()
    let bench = try ControllerFixture(.switchController, model: model)
    try bench.play(seconds: 0.3) { _ in 1.5 }
    #expect(model.unsafePatterns == 0)
    #expect(model.strengths.map(\.left).max() == 1)
    #expect(model.patterns.allSatisfy { $0.lowAmplitudeCode <= 100 })
    #expect(bench.rig.drive?.takeEvents().contains { $0.kind == .overload } == true)
  }

  @Test func `the end of a take is told to a Switch controller twice`() throws {
    let model = FakeSwitchController()
    let bench = try ControllerFixture(.switchController, model: model, halves: .drive)
    try bench.play(seconds: 0.1) { _ in 0.5 }
    let neutral = SwitchControllerCommand.rumble(left: .off, right: .off).bytes(counter: 0)
    let last = model.outputs.suffix(2)
    #expect(last.allSatisfy { $0[0] == 0x10 && Array($0[2..<10]) == Array(neutral[2...]) })
    // Every report is whole, and the counter of four bits goes on.
    let counters = model.outputs.filter { $0[0] == 0x10 }.map { $0[1] }
    #expect(zip(counters, counters.dropFirst()).allSatisfy { ($0 + 1) & 15 == $1 })
    #expect(model.outputs.allSatisfy { $0.count == 64 })
  }

  @Test(arguments: [(UInt16(0x0214), UInt8(0x03), UInt8(0)), (0x0215, 0x02, 0x04)])
  func `a DualSense rumbles as its firmware has it`(
    firmware: UInt16, flags: UInt8, later: UInt8
  ) throws {
    let model = FakeDualSense(firmware: firmware)
    let bench = try ControllerFixture(.dualSense, model: model)
    try bench.play(seconds: 0.2) { _ in 0.5 }
    #expect(model.outputs.allSatisfy { $0[1] == flags && $0[39] == later })
    #expect(model.strengths.contains { $0.left > 0.45 })
    #expect(model.neutralSince != nil)
  }

  @Test(arguments: ControllerKind.allCases)
  func `drive and motion have a clock each, laid on each other by the bus`(
    kind: ControllerKind
  ) throws {
    let model: any ControllerModel =
      kind == .dualSense ? FakeDualSense(drift: 150) : FakeSwitchController(drift: 150)
    let bench = try ControllerFixture(kind, model: model)
    let frames = try bench.play(seconds: 4) { _ in 0.1 }
    #expect(frames.count == 32_000)
    let statistics = try #require(bench.rig.statistics())
    guard case .unlinked(let offset, let uncertainty, _) = statistics.start else {
      Issue.record("\(statistics.start)")
      return
    }
    #expect(offset == 0 && uncertainty > 0 && uncertainty < 5e-3)
    let drift = try #require(statistics.drift)
    #expect(abs(drift.ppm - 150) < 1.8 * drift.uncertainty, "\(drift)")
    #expect(statistics.transfers.map { $0.output.total > 100 } == true)
  }
}
