// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Testing
import USBModels
import Units

@testable import USBDevices

/// A take on a DRV2605L, the same over each bridge.
struct BridgedDriveTests {
  /// Runs a body over each bridge.
  private static func overEach(
    openLoop: Double? = nil, calibration: DRV2605LDescription.Calibration = .none,
    _ body: (any AnyChipFixture, String) throws -> Void
  ) throws {
    for bridge in DRV2605LDescription.Bridge.allCases {
      let bench = try ChipFixtureMaker.make(bridge, openLoop: openLoop, calibration: calibration)
      try body(bench, bridge.rawValue)
    }
  }

  @Test func `opening sets the registers and leaves the output off`() throws {
    try Self.overEach { bench, name in
      #expect(bench.chip(.mode) == 0x40, "\(name)")
      // 2 V rms at 175 Hz is code 83, 3 V is 141: the numbers of the session's own test.
      #expect(bench.chip(.ratedVoltage) == 83, "\(name)")
      #expect(bench.chip(.overdriveClamp) == 141, "\(name)")
      #expect(bench.moments.isEmpty, "\(name)")
    }
  }

  @Test func `a take gives the chip the envelope, each slot once, and ends with the output off`()
    throws
  {
    try Self.overEach { bench, name in
      let interval = bench.interval
      try bench.play(seconds: 0.4) { time in
        time < 0.1 || time >= 0.3 ? 0 : 0.2 + 0.5 * (time - 0.1) / 0.2
      }
      let moments = bench.moments
      #expect(bench.offSince != nil, "\(name)")
      // From the first amplitude to the last the tone lasted 200 ms; one slot either way is the grid's.
      let first = try #require(moments.first)
      let last = try #require(moments.last)
      let length = Double(last.nanoseconds - first.nanoseconds) * 1e-9
      #expect(abs(length - 0.2) <= 2 * interval, "\(name): \(length)")
      #expect(!last.isDriving, "\(name)")
      // Each amplitude is the envelope's within its slot: 2 V rms at code 83 is 1.97 V, so a step is
      // 1/127 of that. The way over the bridge is under a slot.
      for moment in moments.dropFirst(2).dropLast(2) {
        let time = Double(moment.nanoseconds - first.nanoseconds) * 1e-9 + 0.1
        let wanted = 0.2 + 0.5 * (time - 0.1) / 0.2
        #expect(
          abs(Double(moment.amplitude) / 127 - wanted) < 0.5 / 0.2 * 2 * interval + 0.02,
          "\(name) at \(time) s: \(moment.amplitude)")
      }
      // As many changes as there are slots, or steps of amplitude where these are fewer.
      let changes = min(Int((0.2 / interval).rounded()), 63)
      #expect(abs(moments.count - changes) <= 4, "\(name): \(moments.count) of \(changes)")
      #expect(bench.drive?.takeEvents() == [], "\(name)")
      // What a command waits for is the bridge: under a slot from its slot's begin.
      let clock = try #require(bench.drive?.clockReading())
      let start = Double(clock.nanoseconds) * 1e-9 - Double(clock.frame) / 8000
      let onset = Double(first.nanoseconds) * 1e-9 - start
      #expect(onset >= 0.1 - interval && onset < 0.1 + 2 * interval, "\(name): \(onset)")
    }
  }

  @Test func `full scale is the whole register and more is cut off and told`() throws {
    try Self.overEach { bench, name in
      try bench.play(seconds: 0.1) { _ in 1 }
      #expect(bench.moments.map(\.amplitude).max() == 127, "\(name)")
      try bench.play(seconds: 0.1) { _ in 1.5 }
      #expect(bench.drive?.takeEvents().contains { $0.kind == .overload } == true, "\(name)")
    }
  }

  @Test func `open loop has the period of its frequency and a clamp within the limits`() throws {
    try Self.overEach(openLoop: 180) { bench, name in
      try bench.play(seconds: 0.1) { _ in 0.5 }
      // 1 / (180 Hz * 98.46 us) = 56.4; 2 V / (21.32 mV * sqrt(1 - 181.4 * 800 us)) = 101.4.
      #expect(bench.chip(.openLoopPeriod) == 56, "\(name)")
      #expect(bench.chip(.overdriveClamp) == 101, "\(name)")
      #expect(bench.chip(.control3) == 0xa1, "\(name)")
    }
  }

  @Test func `stored constants go to the registers, and a calibration runs where it is asked for`()
    throws
  {
    let stored = DRV2605LDescription.Calibration.constants(
      compensation: 0x21, backEMF: 0x43, gain: 1)
    try Self.overEach(calibration: stored) { bench, name in
      #expect(bench.chip(.calibrationCompensation) == 0x21, "\(name)")
      #expect(bench.chip(.calibrationBackEMF) == 0x43, "\(name)")
      #expect(bench.chip(.feedback) & 3 == 1, "\(name)")
    }
    try Self.overEach(calibration: .automatic) { bench, name in
      #expect(bench.chip(.calibrationCompensation) == 0x0d, "\(name)")
      #expect(bench.moments.contains { $0.isDriving }, "\(name)")
      #expect(bench.offSince != nil, "\(name)")
    }
  }

  @Test func `two takes after each other are the same`() throws {
    try Self.overEach { bench, name in
      var shapes: [[UInt8]] = []
      for _ in 0..<2 {
        let before = bench.moments.count
        try bench.play(seconds: 0.1) { min(0.9, 10 * $0) }
        shapes.append(bench.moments.dropFirst(before).map(\.amplitude))
      }
      #expect(shapes[0] == shapes[1], "\(name)")
      #expect(shapes[0].count > 4, "\(name)")
    }
  }

  @Test func `silence is at the actuator within 20 ms and lasts until the next start`() throws {
    try Self.overEach { bench, name in
      let asked = AskedTime()
      try bench.play(
        seconds: 0.3,
        during: { time in
          if time >= 0.15, asked.value == nil {
            bench.drive?.silence()
            asked.value = bench.now
          }
        }, envelope: { _ in 0.5 })
      let since = try #require(bench.offSince)
      let time = try #require(asked.value)
      #expect(since <= time + 20_000_000, "\(name)")
      try bench.play(seconds: 0.1) { _ in 0.5 }
      #expect(bench.moments.last { $0.isDriving }.map { $0.nanoseconds > since } == true, "\(name)")
    }
  }

  @Test func `letting go of a rig in the middle of a take turns the output off`() throws {
    for bridge in DRV2605LDescription.Bridge.allCases {
      var bench: (any AnyChipFixture)? = try ChipFixtureMaker.make(bridge)
      let witness = try #require(bench?.witness)
      let bus = try #require(bench?.bus)
      do {
        let drive = try #require(bench?.drive)
        try drive.start()
        let block = (0..<512).map { Float(0.5 * sin(Double($0) * 2 * .pi * 175 / 8000)) }
        for _ in 0..<4 { _ = try drive.write(block.span) }
        #expect(witness().last?.isDriving == true)
      }
      bench = nil
      #expect(witness().last?.isDriving == false, "\(bridge)")
      #expect(bus.use == FakeUSBBus.Use(), "\(bridge)")
    }
  }
}

/// When something was asked for.
private final class AskedTime {
  var value: UInt64?
}
