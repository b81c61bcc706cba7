// SPDX-License-Identifier: Apache-2.0

import ControllerModels
import Devices
import Testing
import USBModels

@testable import USBDevices

/// How a Switch controller is opened, and what its sensor tells.
struct SwitchControllerTests {
  private static func open(
    _ manner: FakeSwitchController.Manner = .init(), faults: [FakeUSBFault] = []
  ) throws -> (bench: ControllerFixture, model: FakeSwitchController) {
    let model = FakeSwitchController(manner: manner)
    return (try ControllerFixture(.switchController, model: model, faults: faults), model)
  }

  @Test func `opening shakes hands, stays on USB, and has it report in full`() throws {
    let (_, model) = try Self.open()
    let outputs = model.outputs
    #expect(
      outputs.prefix(4).map { Array($0[..<2]) } == [[0x80, 2], [0x80, 3], [0x80, 2], [0x80, 4]])
    // The user's constants, the factory's, range, sensor, vibration, full reports.
    #expect(outputs.dropFirst(4).map { $0[0] } == [1, 1, 1, 1, 1, 1])
    #expect(outputs.dropFirst(4).map { $0[10] } == [0x10, 0x10, 0x41, 0x40, 0x48, 0x03])
    #expect(model.strengths.isEmpty)
  }

  @Test func `one that the kernel's driver woke is opened in bounded time`() throws {
    var manner = FakeSwitchController.Manner()
    manner.isAwake = true
    let (bench, _) = try Self.open(manner)
    // Three answers that stay away.
    #expect(bench.now < 1_000_000_000)
    #expect(try bench.play(seconds: 0.1) { _ in 0.5 }.count == 800)
  }

  @Test func `a subcommand that was not heard is sent once more`() throws {
    var manner = FakeSwitchController.Manner()
    manner.deafOnceTo = [0x48, 0x10]
    let (bench, model) = try Self.open(manner)
    try bench.play(seconds: 0.1) { _ in 0.5 }
    #expect(model.strengths.contains { !$0.isNeutral })
  }

  @Test func `a subcommand that is refused is told by its number`() {
    var manner = FakeSwitchController.Manner()
    manner.refuses = [0x40]
    let error = #expect(throws: DeviceError.self) { _ = try Self.open(manner) }
    #expect(error?.code == .stalled)
    #expect(error?.message.contains("does not obey command 0x40") == true)
  }

  @Test func `one that answers nothing is given up in bounded time`() throws {
    let bus = FakeUSBBus()
    let model = FakeSwitchController()
    model.fallSilent()
    bus.plug(model)
    let rig = ControllerFixture.description(.switchController(SwitchControllerDescription()))
    let device = try #require(rig.capture.usb)
    let error = #expect(throws: DeviceError.self) { _ = try USBRig(rig, device: device, on: bus) }
    #expect(error?.code == .stalled)
    #expect(bus.clock() < 2_000_000_000)
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test(arguments: [0.0, 150, -150])
  func `motion comes in m per s2 at its time, whatever the sensor's clock does`(
    drift: Double
  ) throws {
    let model = FakeSwitchController(drift: drift)
    let bench = try ControllerFixture(.switchController, model: model)
    let frames = try bench.play(seconds: 4) { _ in 0.2 }
    #expect(frames.count == 32_000)
    let clock = try #require(bench.rig.drive?.clockReading())
    let start = Double(clock.nanoseconds) * 1e-9 - Double(clock.frame) / ControllerFixture.rate
    // The earliest of eight reports waits up to 8 ms for the bus, mostly little of it. At 10 Hz and half a g
    // a millisecond is 0.31 m/s2, and lines over 5 ms cut 0.06 m/s2 off a crest. Before the first report, which may
    // be two reports after the start, its oldest sample is held.
    var worst = 0.0
    for (index, value) in frames.enumerated().dropFirst(240) {
      let time = start + Double(index) / ControllerFixture.rate / (1 + drift * 1e-6)
      worst = max(worst, abs(Double(value) - model.counts(at: time) / 4096 * 9.80665))
    }
    #expect(worst < 0.9, "\(worst) m/s2")
    #expect(bench.rig.sensors?.takeEvents() == [])
  }

  @Test func `the counter wraps in the middle of a take, and nothing is lost`() throws {
    let model = FakeSwitchController(firstTimer: 200)
    let bench = try ControllerFixture(.switchController, model: model)
    // 3 s are 600 steps of the counter: it wraps twice or three times.
    let frames = try bench.play(seconds: 3) { _ in 0.2 }
    #expect(frames.count == 24_000)
    #expect(bench.rig.sensors?.takeEvents() == [])
  }

  @Test func `a counter that counts something else ends the take`() throws {
    // Reports each 11 ms, as one trial had them.
    let model = FakeSwitchController(drift: 15 / 11 * 1e6 - 1e6)
    let bench = try ControllerFixture(.switchController, model: model)
    let error = #expect(throws: DeviceError.self) { try bench.play(seconds: 8) { _ in 0.2 } }
    #expect(error?.code == .garbled)
    #expect(error?.message.contains("steps a second where 200 were expected") == true)
    #expect(model.neutralSince != nil)
  }

  @Test func `the user's constants are taken before the factory's, and none are the nominal scale`()
    throws
  {
    func highest(_ manner: FakeSwitchController.Manner) throws -> Double {
      let (bench, _) = try Self.open(manner)
      return Double(try bench.play(seconds: 0.5) { _ in 0.1 }.max() ?? 0)
    }
    // 2048 counts are half a g; with twice the span they are a quarter.
    #expect(abs(try highest(.init()) - 4.903) < 0.1)
    var user = FakeSwitchController.Manner()
    let wide: [UInt8] = [0, 0xc0, 0, 0xc0, 0, 0xc0, 0, 0x40, 0, 0x40, 0, 0x40]
    user.user = [0xb2, 0xa1] + wide + FakeSwitchController.calibration.dropFirst(12)
    #expect(abs(try highest(user) - 2.452) < 0.1)
    var erased = FakeSwitchController.Manner()
    erased.factory = [UInt8](repeating: 0xff, count: 24)
    #expect(abs(try highest(erased) - 4.903) < 0.1)
  }
}

struct SwitchControllerTimerTests {
  /// Three steps of 5 ms each 15 ms.
  private static let interval: UInt64 = 15_000_000

  @Test func `a counter of eight bits is followed over its wraps`() {
    var timer = SwitchControllerTimer()
    for report in 0..<1000 {
      let noted = timer.note(
        UInt8(truncatingIfNeeded: 250 + 3 * report), at: UInt64(report) * Self.interval)
      #expect(noted.ticks == Int64(250 + 3 * report) && !noted.isAfterLoss, "report \(report)")
    }
  }

  @Test(arguments: [1, 2, 80, 85, 86, 300, 4000])
  func `reports that stayed away are counted by the host's clock`(lost: Int) {
    var timer = SwitchControllerTimer()
    _ = timer.note(7, at: 0)
    let report = 1 + lost
    let noted = timer.note(
      UInt8(truncatingIfNeeded: 7 + 3 * report), at: UInt64(report) * Self.interval)
    #expect(noted.ticks == Int64(7 + 3 * report))
    #expect(noted.isAfterLoss)
  }

  @Test func `a report that comes late by the bus is no loss, and none after it an early one`() {
    var timer = SwitchControllerTimer()
    _ = timer.note(0, at: 0)
    let late = timer.note(3, at: Self.interval + 12_000_000)
    #expect(late.ticks == 3 && !late.isAfterLoss)
    let next = timer.note(6, at: 2 * Self.interval)
    #expect(next.ticks == 6 && !next.isAfterLoss)
  }

  @Test func `the same counter again is the same time`() {
    var timer = SwitchControllerTimer()
    _ = timer.note(255, at: 0)
    let again = timer.note(255, at: 8_000_000)
    #expect(again.ticks == 255 && !again.isAfterLoss)
  }
}
