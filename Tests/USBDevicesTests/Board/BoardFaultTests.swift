// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import Testing
import USBModels

@testable import USBDevices

struct BoardFaultTests {
  /// Drives half of full scale until the take breaks, and gives why.
  private func breakTake(_ bench: BoardFixture, frames: Int = 6000) -> DeviceError? {
    do throws(DeviceError) {
      _ = try bench.play(frames: frames) { _ in 0.5 }
      return nil
    } catch {
      return error
    }
  }

  /// Seconds from the fault to the output's zero; the board's clock is the bus's.
  private func secondsToZero(_ bench: BoardFixture) throws -> Double {
    let fault = try #require(bench.bus.lastFault)
    // Whatever the host does not do any more is left to the board's own watchdog.
    let end = bench.bus.clock()
    return bench.board.withBoard { board in
      board.advance(to: (end + 1_000_000_000) / 1000)
      guard !board.plant.isDriven, let silent = board.plant.silentSince else { return .infinity }
      return (Double(silent) * 1000 - Double(fault)) * 1e-9
    }
  }

  @Test(arguments: [
    FakeUSBFault(.babble, endpoint: 0x81, transfer: 200),
    FakeUSBFault(.fail, endpoint: 0x81, transfer: 200),
    FakeUSBFault(.fail, endpoint: 0x01, transfer: 100),
    FakeUSBFault(.hold(nanoseconds: 5_000_000_000), endpoint: 0x01, transfer: 100),
    FakeUSBFault(.unplug, endpoint: 0x81, transfer: 200),
    FakeUSBFault(.unplug, endpoint: 0x01, transfer: 100),
  ])
  func `a fault ends the take and the output is off within 20 ms`(fault: FakeUSBFault) throws {
    let bench = try BoardFixture(faults: [fault])
    let error = try #require(breakTake(bench), "\(fault.kind) went unnoticed")
    #expect(error.device == "bench")
    let seconds = try secondsToZero(bench)
    // The watchdog's 20 ms count from the last packet that came, which is before the fault; a status
    // interval of slack is none: a tick of the bus is.
    #expect(seconds <= 0.0202, "\(fault.kind) on \(fault.endpoint): \(seconds * 1e3) ms, \(error)")
  }

  @Test(arguments: [
    (FakeUSBFault.Kind.unplug, DeviceError.Code.unplugged), (.babble, .garbled), (.fail, .stalled),
  ])
  func `the error says what to do`(kind: FakeUSBFault.Kind, code: DeviceError.Code) throws {
    let bench = try BoardFixture(faults: [FakeUSBFault(kind, endpoint: 0x81, transfer: 200)])
    let error = try #require(breakTake(bench))
    #expect(error.code == code)
    #expect(error.message.contains("1209:4852 at 1-1"))
  }

  @Test func `a board that stops answering is given up in its time`() throws {
    let bench = try BoardFixture(
      faults: [
        FakeUSBFault(.hold(nanoseconds: 60_000_000_000), endpoint: 0x81, transfer: 200),
        FakeUSBFault(.hold(nanoseconds: 60_000_000_000), endpoint: 0x01, transfer: 110),
      ], timeout: 0.25)
    let error = try #require(breakTake(bench))
    let fault = try #require(bench.bus.lastFault)
    #expect(error.code == .stalled)
    #expect(error.message.contains("0.25 s"))
    #expect(Double(bench.bus.clock() - fault) * 1e-9 < 0.6)
    #expect(try secondsToZero(bench) <= 0.0202)
  }

  @Test func `a board that does not greet is given up`() throws {
    let error = #expect(throws: DeviceError.self) {
      _ = try BoardFixture(
        faults: [FakeUSBFault(.lose, endpoint: 0x01, transfer: 0)], timeout: 0.25)
    }
    #expect(error?.code == .stalled)
    #expect(error?.message.contains("hello") == true)
  }

  @Test func `an endpoint that stalls again and again is given up`() throws {
    let bench = try BoardFixture(
      faults: (40..<50).map { FakeUSBFault(.stall, endpoint: 0x01, transfer: $0) })
    let error = try #require(breakTake(bench))
    #expect(error.code == .refused)
    #expect(try secondsToZero(bench) <= 0.0202)
  }

  @Test func `the board's own fault ends the take and is named`() throws {
    let bench = try BoardFixture()
    let drive = try #require(bench.rig.drive)
    let sensors = try #require(bench.rig.sensors)
    try drive.start()
    try sensors.start()
    let block = [Float](repeating: 0.5, count: 256)
    let error = #expect(throws: DeviceError.self) {
      for turn in 0..<400 {
        if turn == 100 { bench.board.withBoard { $0.failAmplifier() } }
        _ = try drive.write(block.span)
        var heard = [Float](repeating: 0, count: 512)
        var span = heard.mutableSpan
        _ = try sensors.read(into: &span)
      }
    }
    #expect(error?.message.contains("amplifier") == true)
    #expect(bench.board.withBoard { $0.plant.isDriven } == false)
  }

  @Test func `silence is at the actuator within 20 ms and lasts until the next start`() throws {
    let bench = try BoardFixture()
    let drive = try #require(bench.rig.drive)
    try drive.start()
    let block = [Float](repeating: 0.5, count: 256)
    for _ in 0..<40 { _ = try drive.write(block.span) }
    #expect(bench.board.withBoard { $0.plant.isDriven })
    drive.silence()
    let asked = bench.bus.clock()
    for _ in 0..<40 { _ = try drive.write(block.span) }
    let silent = try #require(bench.board.withBoard { $0.plant.silentSince })
    #expect(Double(silent) * 1000 <= Double(asked) + 20_000_000)
    #expect(bench.board.withBoard { $0.plant.isDriven } == false)
    try drive.stop()
    let heard = try bench.play(frames: 800) { _ in 0.5 }
    #expect(heard.allSatisfy { abs($0 - 0.5) < 1e-4 })
  }

  @Test func `a rig that is let go of leaves the board at zero`() throws {
    let bus = FakeUSBBus()
    let board = FakeBoard(BoardDevice(BoardFixture.identity, plant: WitnessPlant(width: 3)))
    bus.plug(board)
    do {
      let rig = try USBRig(
        BoardFixture.description(), device: USBDescription(selection: USBSelection()), on: bus)
      let drive = try #require(rig.drive)
      try drive.start()
      let block = [Float](repeating: 0.5, count: 256)
      for _ in 0..<40 { _ = try drive.write(block.span) }
      #expect(board.withBoard { $0.plant.isDriven })
    }
    #expect(board.withBoard { $0.plant.isDriven } == false)
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test func `plugs with a take each leave nothing behind`() throws {
    let bus = FakeUSBBus()
    for cycle in 0..<StreamLength.plugs {
      let board = FakeBoard(BoardDevice(BoardFixture.identity, plant: WitnessPlant(width: 3)))
      bus.plug(board)
      let rig = try USBRig(
        BoardFixture.description(), device: USBDescription(selection: USBSelection()), on: bus)
      let drive = try #require(rig.drive)
      try drive.start()
      let block = [Float](repeating: 0.5, count: 256)
      do throws(DeviceError) {
        for turn in 0..<12 {
          if cycle.isMultiple(of: 2), turn == 9 { bus.unplug(port: 1) }
          _ = try drive.write(block.span)
        }
        try drive.stop()
      } catch {
        #expect(error.code == .unplugged)
      }
      bus.unplug(port: 1)
    }
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test func `a rate that the board has not is refused with those that it has`() throws {
    let error = #expect(throws: DeviceError.self) { _ = try BoardFixture(rate: 44_100) }
    #expect(error?.code == .refused)
    #expect(error?.message.contains("8000 Hz, 48000 Hz") == true)
  }

  @Test func `an input beyond the board's last is refused`() throws {
    let error = #expect(throws: DeviceError.self) { _ = try BoardFixture(inputs: [1, 4]) }
    #expect(error?.message.contains("beyond the board's last, 3") == true)
  }

  @Test func `a device without the protocol is not on the bus as a board`() throws {
    let bus = FakeUSBBus()
    bus.plug(EchoDevice())
    let error = #expect(throws: DeviceError.self) {
      _ = try USBRig(
        BoardFixture.description(), device: USBDescription(selection: USBSelection()), on: bus)
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("a board of the haprig protocol is not on the bus") == true)
  }

  @Test func `the peak of the rig file goes to the board`() throws {
    var rig = BoardFixture.description()
    rig.actuators[0].limits.peakVolts = 1
    let setup = try BoardSetup(
      rig, BoardFixture.identity, drives: true, senses: true, timeout: 1)
    #expect(setup.peak == 16_384)
  }
}
