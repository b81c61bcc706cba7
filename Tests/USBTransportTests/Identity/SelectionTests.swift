// SPDX-License-Identifier: Apache-2.0

import Devices
import ScratchFolder
import Testing
import USBModels

@testable import USBTransport

struct SelectionTests {
  private func record(
    port: UInt8, serial: String?, product: UInt16 = 0xC0DE
  ) -> USBDeviceRecord {
    USBDeviceRecord(
      address: USBAddress(bus: 1, device: port, ports: [port]), vendor: 0x1209, product: product,
      productName: "echo", serial: serial)
  }

  private func choose(
    _ selection: USBSelection, _ records: [USBDeviceRecord]
  ) throws(DeviceError) -> USBDeviceRecord {
    try selection.choose(from: records, rig: "bench")
  }

  @Test func `two identical devices are told apart by serial or by port`() throws {
    let twins = [record(port: 1, serial: "A"), record(port: 2, serial: "B")]
    #expect(
      try choose(USBSelection(identity: Echo.identity, serial: "B"), twins).address.ports == [2])
    #expect(
      try choose(USBSelection(identity: Echo.identity, port: "1-1"), twins).serial == "A")
  }

  @Test func `two identical devices without a choice are refused with the choices`() throws {
    let twins = [record(port: 1, serial: "A"), record(port: 2, serial: nil)]
    let error = #expect(throws: DeviceError.self) {
      try choose(USBSelection(identity: Echo.identity), twins)
    }
    #expect(error?.code == .refused)
    #expect(
      error?.message.contains(
        "write 'serial' or 'port' of one of port 1-1 (serial A), port 1-2 (no serial number)")
        == true)
  }

  @Test(
    arguments: [("A", "A"), (nil, nil)] as [(String?, String?)],
    [USBSelection(), .init(serial: "A")])
  func `two that share a serial number, or have none, are told apart by port alone`(
    serials: (String?, String?), selection: USBSelection
  ) throws {
    guard selection.serial == nil || serials.0 != nil else { return }
    let twins = [record(port: 1, serial: serials.0), record(port: 2, serial: serials.1)]
    let error = #expect(throws: DeviceError.self) { try choose(selection, twins) }
    #expect(error?.message.contains(": write 'port' of one of port 1-1") == true)
  }

  @Test func `another device at the port is named`() throws {
    let error = #expect(throws: DeviceError.self) {
      try choose(
        USBSelection(identity: Echo.identity, port: "1-1"),
        [record(port: 1, serial: "A", product: 0x0007)])
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("at this port is 1209:0007 'echo'") == true)
  }

  @Test func `the same kind with another serial is named`() throws {
    let error = #expect(throws: DeviceError.self) {
      try choose(USBSelection(identity: Echo.identity, serial: "Z"), [record(port: 1, serial: "A")])
    }
    #expect(error?.message.contains("of its kind there is 1209:c0de") == true)
  }

  @Test(arguments: ["1209:c0de", "ABCD:0001"])
  func `an identity is read as it is listed`(text: String) throws {
    let identity = try #require(USBSelection.Identity(text: text))
    let record = USBDeviceRecord(
      address: USBAddress(bus: 1, device: 1, ports: []), vendor: identity.vendor,
      product: identity.product)
    #expect(record.identity == text.lowercased())
  }

  @Test(arguments: ["", "1209", "1209:", "1209:c0d", "1209:c0dg", "1209:+c0d", "1209:c0de:1"])
  func `what is no identity is refused`(text: String) {
    #expect(USBSelection.Identity(text: text) == nil)
  }

  @Test func `sysfs completes what the library knows`() throws {
    let folder = try SystemTree()
    for (name, text) in [
      ("devnum", "1\n"), ("serial", "S\u{1B}1\n"), ("product", "Board\n"), ("speed", "480\n"),
      ("descriptors", "\u{12}\u{1}"),
    ] {
      try folder.write(text, to: "sys/bus/usb/devices/1-1/\(name)")
    }
    let record = SystemFiles(root: folder.root).complete(record(port: 1, serial: nil))
    #expect(record.serial == "S\u{FFFD}1")
    #expect(record.productName == "Board")
    #expect(record.megabits == 480)
    #expect(record.descriptorBytes == [0x12, 1])
  }

  @Test func `the kernel's own list has devices at their ports, and no hub or interface`() throws {
    let folder = try SystemTree()
    for (name, number) in [("1-2.3", 7), ("usb1", 1), ("1-2.3:1.0", 7), ("2-1", 4)] {
      for (file, text) in [("devnum", "\(number)"), ("idVendor", "04d8"), ("idProduct", "00DD")] {
        try folder.write(text + "\n", to: "sys/bus/usb/devices/\(name)/\(file)")
      }
    }
    try folder.write("", to: "sys/bus/usb/devices/3-1/devnum")
    let records = SystemFiles(root: folder.root).usbDevices()
    #expect(
      records.map(\.address) == [
        USBAddress(bus: 1, device: 7, ports: [2, 3]), USBAddress(bus: 2, device: 4, ports: [1]),
      ])
    #expect(records.map(\.identity) == ["04d8:00dd", "04d8:00dd"])
  }

  @Test func `another device at the place by now completes nothing`() throws {
    let folder = try SystemTree()
    try folder.write("9\n", to: "sys/bus/usb/devices/1-1/devnum")
    try folder.write("other\n", to: "sys/bus/usb/devices/1-1/serial")
    let record = SystemFiles(root: folder.root).complete(record(port: 1, serial: nil))
    #expect(record.serial == nil)
  }
}
