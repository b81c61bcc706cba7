// SPDX-License-Identifier: Apache-2.0

import Devices
import ScratchFolder
import Testing
import USBModels

@testable import USBTransport

/// What the installed rules of udev do with the node of a USB device.
struct UdevRuleTests {
  /// A Switch Pro controller, or a device of other numbers.
  private func record(
    vendor: UInt16 = 0x057E, product: UInt16 = 0x2009, descriptors: [UInt8] = []
  ) -> USBDeviceRecord {
    USBDeviceRecord(
      address: USBAddress(bus: 1, device: 6, ports: [6]), vendor: vendor, product: product,
      descriptorBytes: descriptors, serial: "000000000001")
  }

  private var board: USBDeviceRecord {
    record(vendor: 0x1209, product: 1, descriptors: FakeBoard<WitnessPlant>.descriptors)
  }

  private func grant(
    _ text: String, file: String = "etc/udev/rules.d/70-own.rules", for record: USBDeviceRecord
  ) throws -> UdevGrant? {
    let folder = try SystemTree()
    try folder.write(text + "\n", to: file)
    return SystemFiles(root: folder.root).grant(for: record)
  }

  private let seat = UdevGrant(isForSeat: true)

  @Test(arguments: [
    #"KERNEL=="hidraw*", ATTRS{idVendor}=="057e", ATTRS{idProduct}=="2009", TAG+="uaccess""#,
    #"SUBSYSTEM=="hidraw", ATTRS{idVendor}=="057e", TAG+="uaccess""#,
    #"SUBSYSTEM=="tty", ATTRS{idVendor}=="057e", MODE="0666""#,
    #"SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_interface", ATTRS{idVendor}=="057e", MODE="0666""#,
    #"SUBSYSTEM!="usb", ATTRS{idVendor}=="057e", TAG+="uaccess""#,
    #"SUBSYSTEM=="usb", ACTION=="remove", ATTR{idVendor}=="057e", TAG+="uaccess""#,
    #"SUBSYSTEM=="usb", ATTR{idVendor}=="057e", ATTR{idProduct}=="2006", TAG+="uaccess""#,
    #"SUBSYSTEM=="usb", ATTR{idVendor}=="057E", TAG+="uaccess""#,
    #"SUBSYSTEM=="usb", ATTR{idVendor}=="057e", TAG+="systemd""#,
    #"SUBSYSTEM=="usb", ATTR{idVendor}=="057e", MODE="0660""#,
    #"SUBSYSTEM=="usb", ATTR{idVendor}=="057e", PROGRAM="/bin/false", TAG+="uaccess""#,
    #"# SUBSYSTEM=="usb", ATTR{idVendor}=="057e", TAG+="uaccess""#,
    #"SUBSYSTEM=="usb", ATTR{idVendor}=="057e" TAG+=uaccess"#,
  ])
  func `a line that cannot open the device's node opens nothing`(line: String) throws {
    #expect(try grant(line, for: record()) == nil)
  }

  @Test(arguments: [
    #"SUBSYSTEM=="usb", ATTR{idVendor}=="057e", ATTR{idProduct}=="2009", TAG+="uaccess""#,
    #"SUBSYSTEMS=="usb", ATTRS{idVendor}=="057e", ATTRS{idProduct}=="2009", TAG+="uaccess""#,
    #"ATTRS{idVendor}=="057e", TAG="uaccess""#,
    #"  SUBSYSTEM == "usb" , ATTR{idVendor} == "057e" , TAG += "uaccess""#,
    #"SUBSYSTEM=="usb|hidraw", ATTRS{idVendor}=="057[ef]", TAG+="uaccess""#,
    #"ACTION!="remove", KERNEL=="[0-9]*-*", ENV{ID_VENDOR_ID}=="057e", TAG+="uaccess""#,
    "SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", \\\n  ATTR{idVendor}==\"057e\", TAG+=\"uaccess\"",
  ])
  func `a line that fits the device's node opens it`(line: String) throws {
    #expect(try grant(line, for: record()) == seat)
  }

  @Test(arguments: [
    (#"SUBSYSTEM=="usb", ATTR{idVendor}=="057e", MODE="0666""#, UdevGrant(isForAll: true)),
    (#"SUBSYSTEM=="usb", ATTR{idVendor}=="057e", GROUP="games""#, UdevGrant(group: "games")),
    (
      #"SUBSYSTEM=="usb", ATTR{idVendor}=="057e", MODE="0660", GROUP="plugdev", TAG+="uaccess""#,
      UdevGrant(isForSeat: true, group: "plugdev")
    ),
  ])
  func `whom a line lets in is told`(line: String, grant wanted: UdevGrant) throws {
    #expect(try grant(line, for: record()) == wanted)
  }

  @Test func `a tag that comes after the seat's rules does nothing`() throws {
    let line = UdevRule(vendor: 0x057E, product: 0x2009, isShipped: true).line
    let file = "etc/udev/rules.d/99-joycon.rules"
    #expect(try grant(line, file: file, for: record()) == UdevGrant(group: "plugdev"))
  }

  @Test func `what a line jumps over opens nothing`() throws {
    let text = """
      SUBSYSTEM!="hidraw", GOTO="end"
      ATTRS{idVendor}=="057e", TAG+="uaccess"
      LABEL="end"
      """
    #expect(try grant(text, for: record()) == nil)
    let after = text + "\nATTR{idVendor}==\"057e\", TAG+=\"uaccess\""
    #expect(try grant(after, for: record()) == seat)
  }

  @Test func `a file in etc stands for one of its name elsewhere`() throws {
    let folder = try SystemTree()
    let line = UdevRule(vendor: 0x057E, product: 0x2009, isShipped: true).line
    try folder.write(line + "\n", to: "usr/lib/udev/rules.d/60-pads.rules")
    let files = SystemFiles(root: folder.root)
    #expect(files.grant(for: record()) == UdevGrant(isForSeat: true, group: "plugdev"))
    try folder.write("", to: "etc/udev/rules.d/60-pads.rules")
    #expect(files.grant(for: record()) == nil)
  }

  @Test func `the rule of a board opens boards and nothing else`() throws {
    let line = UdevRule.boards.line
    #expect(try grant(line, for: board) == UdevGrant(isForSeat: true, group: "plugdev"))
    #expect(try grant(line, for: record()) == nil)
  }

  @Test func `every rule opens the device that it is made for`() throws {
    for known in KnownUSBDevice.table where known.driver != nil {
      let record = record(vendor: known.vendor, product: try #require(known.product))
      let line = UdevRule(record).line
      #expect(known.rule?.line == line)
      #expect(
        try grant(line, for: record) == UdevGrant(isForSeat: true, group: "plugdev"), "\(line)")
    }
  }

  @Test func `what to do names the seat and the group, each where it helps`() {
    let both = UdevGrant(isForSeat: true, group: "plugdev").advice
    #expect(both.hasPrefix("plug it in again; without a seat at the machine"))
    #expect(both.contains("'sudo usermod -aG plugdev $USER'"))
    #expect(seat.advice.contains("add GROUP=\"plugdev\" to it"))
    #expect(
      UdevGrant(group: "games").advice == "'sudo usermod -aG games $USER', then log in again")
    #expect(UdevGrant(isForAll: true).advice == "plug it in again")
  }

  @Test func `'make install-udev' is named only where it has a line for the device`() {
    let other = UdevRule(record(vendor: 0xFEED, product: 0xBEEF))
    #expect(!other.advice.contains("install-udev"))
    #expect(other.advice.hasPrefix("add to \(UdevRule.ownFile) the line \(other.line)"))
    for rule in [UdevRule(record()), UdevRule(board)] {
      #expect(rule.advice.hasPrefix("run 'make install-udev'"))
      #expect(rule.advice.contains("'sudo usermod -aG plugdev $USER'"))
    }
  }
}
