// SPDX-License-Identifier: Apache-2.0

package import DeviceStreams
package import Devices
import Glibc
import Paths

/// Where a device is: its bus, its number on it, and the ports that lead to it.
public struct USBAddress: Sendable, Hashable, Comparable {
  package let bus: UInt8
  /// The device's number on the bus, which changes with every plug.
  package let device: UInt8
  /// The ports from the root hub on, which stay as long as the cable stays where it is.
  package let ports: [UInt8]

  /// Makes an address.
  public init(bus: UInt8, device: UInt8, ports: [UInt8]) {
    self.bus = bus
    self.device = device
    self.ports = ports
  }

  /// The kernel's name of the place, such as `1-2.3`; a root hub is `usb1`.
  package var portPath: String {
    ports.isEmpty ? "usb\(bus)" : "\(bus)-" + ports.map(String.init).joined(separator: ".")
  }

  package var node: String { "/dev/bus/usb/\(Self.padded(bus))/\(Self.padded(device))" }

  /// By bus, then port by port, then by the number.
  public static func < (left: USBAddress, right: USBAddress) -> Bool {
    if left.bus != right.bus { return left.bus < right.bus }
    if left.ports != right.ports { return left.ports.lexicographicallyPrecedes(right.ports) }
    return left.device < right.device
  }

  private static func padded(_ number: UInt8) -> String {
    let text = String(number)
    return String(repeating: "0", count: 3 - text.count) + text
  }
}

/// What is known of a device without opening it.
public struct USBDeviceRecord: Sendable, Hashable {
  package var address: USBAddress
  package var vendor: UInt16
  package var product: UInt16
  /// Every descriptor but strings, as the device sent them; empty where nobody keeps them.
  package var descriptorBytes: [UInt8]
  package var manufacturer: String?
  /// The product's name.
  public var productName: String?
  /// The serial number.
  public var serial: String?
  /// Megabits a second, 12 full speed, 480 high speed; `nil` where it is not known.
  package var megabits: Double?

  /// Makes a record.
  public init(
    address: USBAddress, vendor: UInt16, product: UInt16, descriptorBytes: [UInt8] = [],
    manufacturer: String? = nil, productName: String? = nil, serial: String? = nil,
    megabits: Double? = nil
  ) {
    self.address = address
    self.vendor = vendor
    self.product = product
    self.descriptorBytes = descriptorBytes
    self.manufacturer = manufacturer
    self.productName = productName
    self.serial = serial
    self.megabits = megabits
  }

  /// The vendor's and the product's numbers as `lsusb` writes them, `1209:c0de`.
  package var identity: String { "\(Self.hex(vendor)):\(Self.hex(product))" }

  /// The identity, the names and the place in one line.
  public var summary: String {
    let name = productName.map { " '\($0)'" } ?? ""
    let number = serial.map { ", serial \($0)" } ?? ", without a serial number"
    return "\(identity)\(name) at \(address.portPath)\(number)"
  }

  static func hex(_ number: UInt16) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 4 - text.count) + text
  }
}

extension USBDeviceRecord {
  package func polling(of endpoint: USBEndpoint?) -> USBPolling {
    let speed: USBPolling.Speed = (megabits ?? 480) < 480 ? .full : .high
    guard let endpoint, endpoint.kind == .interrupt else { return .bulk(speed) }
    return USBPolling(speed, bInterval: max(1, endpoint.interval))
  }
}

extension SystemFiles {
  func complete(_ record: USBDeviceRecord) -> USBDeviceRecord {
    let folder = "/sys/bus/usb/devices/\(record.address.portPath)"
    var record = record
    // The device at this place may be another one by now: its number says.
    guard text("\(folder)/devnum").flatMap({ UInt8($0) }) == record.address.device else {
      return record
    }
    if let bytes = bytes("\(folder)/descriptors"), !bytes.isEmpty { record.descriptorBytes = bytes }
    record.manufacturer = text("\(folder)/manufacturer").map(\.printable)
    record.productName = text("\(folder)/product").map(\.printable)
    record.serial = text("\(folder)/serial").map(\.printable)
    record.megabits = text("\(folder)/speed").flatMap { Double($0) }
    return record
  }

  /// The devices that the kernel has, but root hubs, whether the library can read their descriptors or not.
  func usbDevices() -> [USBDeviceRecord] {
    names("/sys/bus/usb/devices").compactMap { name in
      let folder = "/sys/bus/usb/devices/\(name)"
      let parts = name.split(separator: "-")
      guard parts.count == 2, !name.contains(":"), let bus = UInt8(parts[0]),
        let device = text("\(folder)/devnum").flatMap({ UInt8($0) }),
        let vendor = text("\(folder)/idVendor").flatMap({ UInt16($0, radix: 16) }),
        let product = text("\(folder)/idProduct").flatMap({ UInt16($0, radix: 16) })
      else { return nil }
      let ports = parts[1].split(separator: ".").compactMap { UInt8($0) }
      return complete(
        USBDeviceRecord(
          address: USBAddress(bus: bus, device: device, ports: ports), vendor: vendor,
          product: product))
    }
  }

  func driver(of address: USBAddress, configuration: UInt8, _ interface: UInt8) -> String? {
    link("/sys/bus/usb/devices/\(address.portPath):\(configuration).\(interface)/driver")
      .map(FilePath.name)
  }

  /// Who has an interface: the kernel's driver, or a program that has the device's node open.
  func holder(of address: USBAddress, _ interface: UInt8) -> String? {
    let active = text("/sys/bus/usb/devices/\(address.portPath)/bConfigurationValue")
      .flatMap { UInt8($0) }
    if let driver = driver(of: address, configuration: active ?? 1, interface), driver != "usbfs" {
      return "the kernel's driver \(driver)"
    }
    return holder(ofNode: address.node)
  }

  /// Whether this user may open a device's node; `nil` where there is no node.
  package func mayOpen(_ address: USBAddress) -> Bool? {
    let path = root + address.node
    guard access(path, F_OK) == 0 else { return nil }
    return access(path, R_OK | W_OK) == 0
  }
}
