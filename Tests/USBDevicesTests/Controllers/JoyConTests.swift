// SPDX-License-Identifier: Apache-2.0

import ControllerModels
import Devices
import Testing
import USBModels

@testable import USBDevices

/// A Joy-Con in the charging grip, found by what it says of itself.
struct JoyConTests {
  private static func open(
    _ joyCon: SwitchControllerDescription.JoyCon, in grip: FakeChargingGrip, on bus: FakeUSBBus
  ) throws -> USBRig {
    bus.plug(grip, guarded: .kernelDriver)
    let rig = ControllerFixture.description(
      .switchController(SwitchControllerDescription(joyCon: joyCon)))
    let device = try #require(rig.capture.usb)
    return try USBRig(rig, device: device, on: bus)
  }

  @Test(arguments: SwitchControllerDescription.JoyCon.allCases, [[UInt8(1), 2], [2, 1]])
  func `the one that is meant is driven, by its own half of a report`(
    joyCon: SwitchControllerDescription.JoyCon, kinds: [UInt8]
  ) throws {
    let bus = FakeUSBBus()
    let grip = FakeChargingGrip(kinds: kinds)
    let rig = try Self.open(joyCon, in: grip, on: bus)
    let drive = try #require(rig.drive)
    try drive.start()
    let block = [Float](repeating: 0.5, count: 512)
    for _ in 0..<3 { _ = try drive.write(block.span) }
    try drive.stop()
    for (kind, model) in zip(kinds, grip.joyCons) {
      guard kind == (joyCon == .left ? 1 : 2) else {
        #expect(model.strengths.isEmpty)
        continue
      }
      #expect(model.strengths.contains { (joyCon == .left ? $0.left : $0.right) > 0.4 })
      #expect(model.strengths.allSatisfy { (joyCon == .left ? $0.right : $0.left) == 0 })
      #expect(model.neutralSince != nil)
    }
  }

  @Test func `one that is not in the grip is told`() {
    let bus = FakeUSBBus()
    let error = #expect(throws: DeviceError.self) {
      _ = try Self.open(.left, in: FakeChargingGrip(kinds: [2, 0]), on: bus)
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("no left Joy-Con is in the charging grip") == true)
    #expect(bus.use == FakeUSBBus.Use())
  }
}
