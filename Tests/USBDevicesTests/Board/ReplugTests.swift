// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import USBModels
import USBTransport

@testable import USBDevices

/// What is plugged in where a board was: the same one again, another device, or one that lacks an endpoint.
struct ReplugTests {
  /// A board's interface that takes bytes and gives none.
  private var oneWay: USBDeviceRecord {
    var bytes = Array(FakeBoard<WitnessPlant>.descriptors.dropLast(7))
    bytes[18 + 2] -= 7
    bytes[18 + 9 + 4] = 1
    return USBDeviceRecord(
      address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: 0x1209, product: 0x4852,
      descriptorBytes: bytes, megabits: 480)
  }

  private func ramp(_ frame: Int) -> Float { Float(1 + frame % 997) / 2000 }

  @Test func `a rig does not speak to another device in its board's place, and opening names it`()
    throws
  {
    let bench = try BoardFixture()
    _ = try bench.play(frames: 400, signal: ramp)
    bench.bus.unplug(port: 1)
    bench.bus.plug(EchoDevice(), port: 1)
    let error = #expect(throws: DeviceError.self) { _ = try bench.play(frames: 400, signal: ramp) }
    #expect(error?.code == .unplugged)
    let anew = #expect(throws: DeviceError.self) {
      _ = try USBRig(
        BoardFixture.description(), device: USBDescription(selection: USBSelection(port: "1-1")),
        on: bench.bus)
    }
    #expect(anew?.message.contains("1209:c0de 'echo' at 1-1") == true, "\(anew?.message ?? "")")
  }

  @Test func `a rig does not go on with its own board plugged in again, and a new one plays`()
    throws
  {
    let bench = try BoardFixture()
    _ = try bench.play(frames: 400, signal: ramp)
    bench.bus.unplug(port: 1)
    bench.bus.plug(bench.board, port: 1)
    let error = #expect(throws: DeviceError.self) { _ = try bench.play(frames: 400, signal: ramp) }
    #expect(error?.code == .unplugged)
    let rig = try USBRig(
      BoardFixture.description(), device: USBDescription(selection: USBSelection()), on: bench.bus)
    let drive = try #require(rig.drive)
    let before = bench.board.withBoard { $0.plant.driven[10] }
    try drive.start()
    let block = [Float](repeating: 0.75, count: 64)
    #expect(try drive.write(block.span) == 64)
    try drive.stop()
    let after = bench.board.withBoard { $0.plant.driven[10] }
    #expect(try #require(after) > #require(before))
  }

  @Test func `an interface of the protocol without an endpoint to give is no board`() throws {
    let bus = FakeUSBBus()
    bus.plug(MuteDevice(oneWay))
    let error = #expect(throws: DeviceError.self) {
      _ = try USBRig(
        BoardFixture.description(), device: USBDescription(selection: USBSelection()), on: bus)
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("a board of the haprig protocol") == true)
    #expect(bus.use == FakeUSBBus.Use())
  }
}
