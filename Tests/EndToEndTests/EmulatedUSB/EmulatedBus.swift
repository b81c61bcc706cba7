// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A device that umockdev puts under the real libusb: descriptors, what sysfs says of it, and a conversation
/// that it has by heart.
struct EmulatedDevice {
  var vendor: UInt16 = 0x04d8
  var product: UInt16 = 0x00dd
  /// The descriptors as the device sends them, but for the vendor and the product.
  var descriptors = EmulatedDevice.bridge
  /// The bytes of the serial number as sysfs has them.
  var serial = Array("0002137448".utf8)
  /// The kernel's status of the control request SET_IDLE: 0, or -32 where the device stalls it.
  var idleStatus = 0
  /// What goes out and what comes back, packets of 64 bytes on the endpoints 3 and 0x83.
  var conversation: [(out: String, in: String)] = []

  /// An MCP2221A's: full speed, its HID interface with two interrupt endpoints (DS20005565, without the
  /// CDC half).
  static let bridge = bytes(
    """
    12 01 00 02 00 00 00 08 d8 04 dd 00 00 01 01 02 03 01
    09 02 29 00 01 01 00 80 32
    09 04 00 00 02 03 00 00 00  09 21 11 01 00 01 22 1c 00
    07 05 83 03 40 00 01  07 05 03 03 40 00 01
    """)

  /// A sound card's, cut to its interface of class audio.
  static let soundCard = bytes(
    """
    12 01 00 02 00 00 00 40 35 12 10 82 00 01 01 02 03 01
    09 02 12 00 01 01 00 80 32
    09 04 00 00 00 01 01 00 00
    """)

  /// Whether this machine's own udev knows the bridge: rules are not emulated.
  static let areRulesInstalled = FileManager.default.fileExists(
    atPath: "/etc/udev/rules.d/70-haprig.rules")

  /// Bytes of hexadecimal text.
  static func bytes(_ text: String) -> [UInt8] {
    text.split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0, radix: 16) }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  }

  private static func hex(_ number: UInt16) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 4 - text.count) + text
  }

  /// The device in umockdev's words.
  var description: String {
    var descriptors = descriptors
    for (place, number) in [(8, vendor), (10, product)] {
      descriptors[place] = UInt8(number & 0xff)
      descriptors[place + 1] = UInt8(number >> 8)
    }
    return """
      P: /devices/pci0000:00/0000:00:14.0/usb1/1-2
      N: bus/usb/001/005
      E: DEVTYPE=usb_device
      E: SUBSYSTEM=usb
      E: DEVNAME=/dev/bus/usb/001/005
      E: BUSNUM=001
      E: DEVNUM=005
      E: MAJOR=189
      E: MINOR=4
      A: busnum=1\\n
      A: devnum=5\\n
      A: bConfigurationValue=1\\n
      A: speed=12\\n
      A: idVendor=\(Self.hex(vendor))\\n
      A: idProduct=\(Self.hex(product))\\n
      A: product=MCP2221 USB-I2C/UART Combo\\n
      H: serial=\(Self.hex(serial))0A
      H: descriptors=\(Self.hex(descriptors))

      """
  }

  /// The conversation in umockdev's words: each input is what follows an output.
  var script: String {
    var text =
      "@DEV /dev/bus/usb/001/005\n"
      + "USBDEVFS_REAPURBNDELAY 0 2 0 \(idleStatus) 0 8 0 0 210A000000000000\n"
    for turn in conversation {
      for (endpoint, packet) in [(3, turn.out), (0x83, turn.in)] {
        var bytes = Self.bytes(packet)
        bytes += [UInt8](repeating: 0, count: 64 - bytes.count)
        text += endpoint == 3 ? "" : " "
        text += "USBDEVFS_REAPURBNDELAY 0 1 \(endpoint) 0 0 64 64 0 \(Self.hex(bytes))\n"
      }
    }
    return text
  }
}

extension Workbench {
  /// Whether devices can be emulated here.
  static let canEmulate = FileManager.default.isExecutableFile(atPath: "/usr/bin/umockdev-run")

  /// The program of the tests that converses with a bridge.
  static let conversation = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "USBConversation").path()

  /// Runs a program on a bus with one device, whose node may be closed to it, also where it runs as root.
  func run(
    _ arguments: [String], on device: EmulatedDevice, isDenied: Bool = false
  ) throws -> Ending {
    try write(device.description, to: "device.umockdev")
    try write(device.script, to: "device.ioctl")
    var words = [
      "umockdev-run", "-d", "device.umockdev", "-i", "/dev/bus/usb/001/005=device.ioctl", "--",
    ]
    if isDenied {
      words += [
        "sh", "-c", "chmod 0 \"$UMOCKDEV_DIR/dev/bus/usb/001/005\" && exec \"$@\"", "sh",
      ]
      // Root may open anything as long as it has root's capabilities.
      if geteuid() == 0 { words = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] + words }
    }
    return try start(words + arguments).end()
  }
}
