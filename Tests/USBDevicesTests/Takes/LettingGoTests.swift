// SPDX-License-Identifier: Apache-2.0

import ControllerModels
import Devices
import Testing
import USBModels

@testable import USBDevices

/// Letting go of a rig in the middle of a take that has a thread ends the take.
struct LettingGoTests {
  /// Drives until the device is driven, then lets go of everything.
  private func driveAndLetGo(
    _ open: () throws -> USBRig, until isDriving: () -> Bool
  ) throws {
    let rig = try open()
    let drive = try #require(rig.drive)
    try drive.start()
    try rig.sensors?.start()
    let block = [Float](repeating: 0.5, count: 512 * drive.format.channelCount)
    while !isDriving() { _ = try drive.write(block.span) }
  }

  @Test(arguments: ControllerKind.allCases)
  func `a controller is neutral, and everything is given back`(kind: ControllerKind) throws {
    let bus = FakeUSBBus()
    let model = kind.model
    bus.plug(model, guarded: .kernelDriver)
    let rig = ControllerFixture.description(kind.driver, timeout: 60)
    let device = try #require(rig.capture.usb)
    try driveAndLetGo {
      try USBRig(rig, device: device, on: PacedBus(bus))
    } until: {
      model.strengths.contains { !$0.isNeutral }
    }
    #expect(model.neutralSince != nil)
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test func `a board is at zero, and everything is given back`() throws {
    let bus = FakeUSBBus()
    let board = FakeBoard(
      BoardDevice(
        BoardFixture.identity, plant: WitnessPlant(width: BoardFixture.identity.sensorChannelCount))
    )
    bus.plug(board)
    let description = BoardFixture.description()
    try driveAndLetGo {
      try USBRig(
        description, device: USBDescription(selection: USBSelection(), timeout: 60),
        on: PacedBus(bus))
    } until: {
      board.withBoard { $0.plant.isDriven || $0.plant.silentSince != nil }
    }
    #expect(!board.withBoard { $0.plant.isDriven })
    #expect(bus.use == FakeUSBBus.Use())
  }
}
