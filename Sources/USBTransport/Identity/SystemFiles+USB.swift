public import Devices
import Glibc
import Paths

extension SystemFiles {
  /// What sysfs knows of the device at a place beyond its numbers.
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

  /// The kernel's driver that is bound to an interface.
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
  public func mayOpen(_ address: USBAddress) -> Bool? {
    let path = root + address.node
    guard access(path, F_OK) == 0 else { return nil }
    return access(path, R_OK | W_OK) == 0
  }
}
