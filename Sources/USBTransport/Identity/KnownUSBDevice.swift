/// A kind of device that haprig knows by its numbers.
///
/// One that haprig drives over USB has its line in `rigs/70-haprig.rules`.
public struct KnownUSBDevice: Sendable, Hashable {
  /// The vendor's number.
  public let vendor: UInt16
  /// The product's number; `nil` for all of the vendor.
  public let product: UInt16?
  /// What it is.
  public let name: String
  /// What a rig file writes to use it beside `device: usb`; `nil` where no driver does.
  public let driver: String?

  /// Every kind, in the order of the rules file.
  public static let table: [KnownUSBDevice] = [
    KnownUSBDevice(
      vendor: 0x054C, product: 0x0CE6, name: "Sony DualSense", driver: "driver: dualsense"),
    KnownUSBDevice(
      vendor: 0x054C, product: 0x0DF2, name: "Sony DualSense Edge", driver: "driver: dualsense"),
    KnownUSBDevice(
      vendor: 0x057E, product: 0x2009, name: "Nintendo Switch Pro Controller",
      driver: "driver: switch"),
    KnownUSBDevice(
      vendor: 0x057E, product: 0x200E, name: "Nintendo Joy-Con charging grip",
      driver: "driver: switch, joy-con: left"),
    KnownUSBDevice(
      vendor: 0x04D8, product: 0x00DD, name: "Microchip MCP2221A (USB to I2C)",
      driver: "driver: drv2605l, bridge: mcp2221a"),
    KnownUSBDevice(
      vendor: 0x0403, product: 0x6014, name: "FTDI FT232H (USB to I2C)",
      driver: "driver: drv2605l, bridge: ft232h"),
    KnownUSBDevice(
      vendor: 0x10C4, product: 0xEA90, name: "Silicon Labs CP2112 (USB to I2C)",
      driver: "driver: drv2605l, bridge: cp2112"),
    KnownUSBDevice(
      vendor: 0x29DA, product: nil, name: "Modal Shop or Digiducer sensor", driver: nil),
  ]

  /// The kind that a device is of; `nil` where it is none of the table.
  static func of(_ record: USBDeviceRecord) -> KnownUSBDevice? {
    table.first {
      $0.vendor == record.vendor && ($0.product == nil || $0.product == record.product)
    }
  }

  /// The rule that opens it; `nil` where no driver uses it over USB, so that nothing has to be opened.
  public var rule: UdevRule? {
    guard driver != nil, let product else { return nil }
    return UdevRule(vendor: vendor, product: product, isShipped: true)
  }
}
