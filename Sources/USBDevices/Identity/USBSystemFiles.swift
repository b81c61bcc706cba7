import Glibc

/// The parts of `/sys` and `/proc` that say what is on the USB bus and who holds it, below a folder of
/// choice.
public struct USBSystemFiles: Sendable {
  /// What stands before `/proc`, `/sys`, `/dev` and `/etc`; empty on a running system.
  public let root: String

  /// Looks at the running system, or at a tree below a folder.
  public init(root: String = "") { self.root = root }

  /// What sysfs knows of the device at a place beyond its numbers.
  func complete(_ record: USBDeviceRecord) -> USBDeviceRecord {
    let folder = "/sys/bus/usb/devices/\(record.address.portPath)"
    var record = record
    // The device at this place may be another one by now: its number says.
    guard text("\(folder)/devnum").flatMap({ UInt8($0) }) == record.address.device else {
      return record
    }
    if let bytes = bytes("\(folder)/descriptors"), !bytes.isEmpty { record.descriptorBytes = bytes }
    record.manufacturer = text("\(folder)/manufacturer").map(USBString.shown)
    record.productName = text("\(folder)/product").map(USBString.shown)
    record.serial = text("\(folder)/serial").map(USBString.shown)
    record.megabits = text("\(folder)/speed").flatMap { Double($0) }
    return record
  }

  /// The devices that the kernel has, but root hubs, whether the library can read their descriptors or not.
  func devices() -> [USBDeviceRecord] {
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
      .flatMap { $0.split(separator: "/").last.map(String.init) }
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

  /// Whether an installed rule names a device's numbers.
  public func hasRule(for record: USBDeviceRecord) -> Bool {
    let vendor = USBDeviceRecord.hex(record.vendor)
    let product = USBDeviceRecord.hex(record.product)
    return hasRule { line in
      Self.mentions(line, "idVendor", vendor)
        && (Self.mentions(line, "idProduct", product) || !line.contains("idProduct"))
    }
  }

  /// Whether an installed rule names boards by their interface.
  func hasBoardRule() -> Bool {
    hasRule { $0.contains("ID_USB_INTERFACES") && $0.lowercased().contains(":ff4801:") }
  }

  /// Whether a line of any rules file is of a kind; comments are no lines.
  private func hasRule(_ isFitting: (Substring) -> Bool) -> Bool {
    let folders = ["/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d"]
    return folders.contains { folder in
      names(folder).contains { name in
        guard name.hasSuffix(".rules"), let text = text("\(folder)/\(name)") else { return false }
        return text.split(separator: "\n").contains { line in
          !line.hasPrefix("#") && (line.contains("uaccess") || line.contains("MODE"))
            && isFitting(line)
        }
      }
    }
  }

  private static func mentions(_ line: Substring, _ key: String, _ value: String) -> Bool {
    let bare = line.filter { $0 != " " }.lowercased()
    return bare.contains("{\(key.lowercased())}==\"\(value)\"")
  }

  /// The text of a small file without the newline at its end; `nil` where it cannot be read.
  func text(_ path: String) -> String? {
    guard var bytes = bytes(path) else { return nil }
    while bytes.last == 0x0A { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of a file, at most a megabyte; `nil` where it cannot be read.
  func bytes(_ path: String) -> [UInt8]? {
    let file = open(root + path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 20 {
      let count = read(file, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += block[..<count]
    }
    return bytes
  }

  /// The names in a folder, sorted; none where there is no such folder.
  func names(_ path: String) -> [String] {
    guard let folder = opendir(root + path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Where a symbolic link leads, as it is written; `nil` where it is none.
  func link(_ path: String) -> String? {
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink(root + path, &target, target.count)
    guard count > 0 else { return nil }
    return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
