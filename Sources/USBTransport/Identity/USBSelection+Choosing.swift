// SPDX-License-Identifier: Apache-2.0

package import Devices

extension USBSelection {
  /// Finds the one device that is meant; an error lists what is there instead, or what nothing tells apart.
  package func choose(
    from records: [USBDeviceRecord], kind: USBDeviceKind = .any, rig: String
  ) throws(DeviceError) -> USBDeviceRecord {
    let kin = records.filter {
      kind.includes($0)
        && (identity == nil || identity == .init(vendor: $0.vendor, product: $0.product))
    }
    let fitting = kin.filter {
      (serial == nil || $0.serial == serial) && (port == nil || $0.address.portPath == port)
    }
    switch fitting.count {
    case 1: return fitting[0]
    case 0:
      throw DeviceError(
        .notFound, device: rig,
        message: "\(wanted(kind)) is not on the bus\(others(kin, records)): "
          + "plug it in, or write what is there ('haprig devices' lists it)")
    default:
      let list = fitting.map { "port \($0.address.portPath) (\(Self.number(of: $0)))" }
      // A serial number that several share, or that none has, tells nothing apart.
      let serials = fitting.compactMap(\.serial)
      let isTelling = serials.contains { number in serials.count { $0 == number } == 1 }
      let choice = isTelling ? "'serial' or 'port'" : "'port'"
      throw DeviceError(
        .refused, device: rig,
        message: "\(fitting.count) devices are \(wanted(kind)): write \(choice) of one of "
          + list.joined(separator: ", "))
    }
  }

  private func wanted(_ kind: USBDeviceKind) -> String {
    var text = kind.name
    if let identity {
      text += " \(USBDeviceRecord.hex(identity.vendor)):\(USBDeviceRecord.hex(identity.product))"
    }
    if let serial { text += " with serial \(serial)" }
    if let port { text += " at port \(port)" }
    return text
  }

  private func others(_ kin: [USBDeviceRecord], _ records: [USBDeviceRecord]) -> String {
    if !kin.isEmpty {
      return "; of its kind there is " + kin.map(\.summary).joined(separator: ", ")
    }
    if let port, let other = records.first(where: { $0.address.portPath == port }) {
      return "; at this port is \(other.summary)"
    }
    return ""
  }

  private static func number(of record: USBDeviceRecord) -> String {
    record.serial.map { "serial \($0)" } ?? "no serial number"
  }
}

/// What a driver can use: a word for it, and how a device of it is known.
public struct USBDeviceKind: Sendable {
  package let name: String
  package let includes: @Sendable (USBDeviceRecord) -> Bool

  package init(name: String, includes: @escaping @Sendable (USBDeviceRecord) -> Bool) {
    self.name = name
    self.includes = includes
  }

  /// Any device.
  public static let any = USBDeviceKind(name: "USB device") { _ in true }

  /// Boards of the vendor protocol, known by their interface.
  package static let board = USBDeviceKind(name: "a board of the haprig protocol") { record in
    (try? USBDescriptors(bytes: record.descriptorBytes))?.boardPort != nil
  }
}

extension USBDescriptors {
  /// The interface of the board protocol (class of the vendor, `H`, major version 1) and its pair of bulk endpoints.
  package var boardPort: (interface: UInt8, input: USBEndpoint, output: USBEndpoint)? {
    for interface in configurations.flatMap(\.interfaces)
    where interface.alternate == 0 && interface.interfaceClass == 0xff
      && interface.subclass == 0x48 && interface.interfaceProtocol == 0x01
    {
      if let input = interface.endpoint(.bulk, isInput: true),
        let output = interface.endpoint(.bulk, isInput: false)
      {
        return (interface.number, input, output)
      }
    }
    return nil
  }
}

/// A kind of device that haprig knows by its numbers.
///
/// One that haprig drives over USB has its line in `rigs/70-haprig.rules`.
package struct KnownUSBDevice: Sendable, Hashable {
  package let vendor: UInt16
  /// The product's number; `nil` for all of the vendor.
  package let product: UInt16?
  package let name: String
  /// What a rig file writes to use it beside `device: usb`; `nil` where no driver does.
  package let driver: String?

  package static let table = [
    dualSense, dualSenseEdge, switchPro, chargingGrip, mcp2221a, ft232h, cp2112,
    KnownUSBDevice(0x29DA, nil, "Modal Shop or Digiducer sensor", nil),
  ]

  package static let dualSense = KnownUSBDevice(
    0x054C, 0x0CE6, "Sony DualSense", "driver: dualsense")
  package static let dualSenseEdge = KnownUSBDevice(
    0x054C, 0x0DF2, "Sony DualSense Edge", "driver: dualsense")
  package static let switchPro = KnownUSBDevice(
    0x057E, 0x2009, "Nintendo Switch Pro Controller", "driver: switch")
  package static let chargingGrip = KnownUSBDevice(
    0x057E, 0x200E, "Nintendo Joy-Con charging grip", "driver: switch, joy-con: left")
  package static let mcp2221a = KnownUSBDevice(
    0x04D8, 0x00DD, "Microchip MCP2221A (USB to I2C)", "driver: drv2605l, bridge: mcp2221a")
  package static let ft232h = KnownUSBDevice(
    0x0403, 0x6014, "FTDI FT232H (USB to I2C)", "driver: drv2605l, bridge: ft232h")
  package static let cp2112 = KnownUSBDevice(
    0x10C4, 0xEA90, "Silicon Labs CP2112 (USB to I2C)", "driver: drv2605l, bridge: cp2112")

  private init(_ vendor: UInt16, _ product: UInt16?, _ name: String, _ driver: String?) {
    (self.vendor, self.product, self.name, self.driver) = (vendor, product, name, driver)
  }

  static func of(_ record: USBDeviceRecord) -> KnownUSBDevice? {
    table.first { $0.includes(record) }
  }

  package func includes(_ record: USBDeviceRecord) -> Bool {
    vendor == record.vendor && (product == nil || product == record.product)
  }

  /// The rule that opens it; `nil` where no driver uses it over USB, so that nothing has to be opened.
  package var rule: UdevRule? {
    guard driver != nil, let product else { return nil }
    return UdevRule(vendor: vendor, product: product, isShipped: true)
  }
}
