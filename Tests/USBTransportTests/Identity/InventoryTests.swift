// SPDX-License-Identifier: Apache-2.0

import Devices
import SampledSensors
import ScratchFolder
import Testing
import USBModels

@testable import USBTransport

struct InventoryTests {
  @Test func `a board and another device are told apart`() throws {
    let bus = FakeUSBBus()
    bus.plug(EchoDevice(), port: 1)
    bus.plug(FakeBoard(BoardDevice(.reference, plant: WitnessPlant(width: 3))), port: 2)
    let folder = try SystemTree()
    let inventory = USBInventory(bus, files: SystemFiles(root: folder.root))
    #expect(inventory.entries.map(\.use) == [.other, .board])
    #expect(inventory.entries.map(\.permission) == [.unknown, .unknown])
    #expect(inventory.entries.map(\.rule) == [nil, UdevRule.boards])
    #expect(inventory.emptyReason == nil)
  }

  @Test func `every device says which driver a rig file names for it`() {
    let bus = FakeUSBBus()
    bus.plug(EchoDevice(), port: 1)
    bus.plug(FakeBoard(BoardDevice(.reference, plant: WitnessPlant(width: 3))), port: 2)
    bus.plug(
      MuteDevice(
        USBDeviceRecord(
          address: USBAddress(bus: 1, device: 1, ports: [3]), vendor: 0x0403, product: 0x6014,
          descriptorBytes: EchoDevice.descriptors)), port: 3)
    let drivers = USBInventory(bus).entries.map(\.driver)
    #expect(drivers == [nil, "driver: board", "driver: drv2605l, bridge: ft232h"])
  }

  @Test func `every driver that the table names can be read from a rig file`() {
    for driver in KnownUSBDevice.table.compactMap(\.driver) {
      let parts = driver.split(separator: ", ").map { $0.split(separator: ": ").map(String.init) }
      #expect(parts[0][0] == "driver" && USBDriver.Name(rawValue: parts[0][1]) != nil, "\(driver)")
      switch parts.count > 1 ? parts[1][0] : "" {
      case "": break
      case "bridge":
        #expect(DRV2605LDescription.Bridge(rawValue: parts[1][1]) != nil, "\(driver)")
      case "joy-con":
        #expect(SwitchControllerDescription.JoyCon(rawValue: parts[1][1]) != nil, "\(driver)")
      default: Issue.record("'\(driver)' has a key that nobody reads")
      }
    }
  }

  @Test func `an empty bus says so`() {
    #expect(USBInventory(FakeUSBBus()).emptyReason == "nothing is plugged in")
  }

  @Test func `a sound card and a device without a driver need no rule`() throws {
    let bus = FakeUSBBus()
    bus.plug(EchoDevice(), port: 1)
    bus.plug(
      EchoDevice(descriptors: [
        18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0xDE, 0xC0, 0, 1, 1, 2, 3, 1,
        9, 2, 18, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 0, 1, 1, 0, 0,
      ]), port: 2)
    let entries = USBInventory(bus).entries
    #expect(entries.map(\.use) == [.other, .soundCard])
    #expect(entries.map(\.rule) == [nil, nil])
  }

  @Test func `the rules file has a line for every kind that haprig drives`() throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let text = try #require(ScratchFolder.text("/\(root)/rigs/70-haprig.rules"))
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    let rules = [UdevRule.boards] + KnownUSBDevice.table.compactMap(\.rule)
    #expect(lines == rules.map(\.line) + [IIODevice.rule])
  }
}
