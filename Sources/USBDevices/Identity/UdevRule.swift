/// The rule that lets the user at the machine open a kind of device.
public struct UdevRule: Sendable, Hashable {
  /// Where the rules are installed: before 73-seat-late.rules, which gives what is tagged to the user.
  public static let file = "/etc/udev/rules.d/70-haprig.rules"

  /// The line for every board of the vendor protocol, whose numbers are its maker's: udev writes the
  /// classes of all interfaces into ID_USB_INTERFACES.
  public static let boards =
    "SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", ENV{ID_USB_INTERFACES}==\"*:ff4801:*\", "
    + "MODE=\"0660\", TAG+=\"uaccess\""

  /// The vendor's number.
  public let vendor: UInt16
  /// The product's number.
  public let product: UInt16

  /// Makes the rule of a kind of device.
  public init(vendor: UInt16, product: UInt16) {
    self.vendor = vendor
    self.product = product
  }

  /// Makes the rule that a device needs.
  public init(_ record: USBDeviceRecord) {
    self.init(vendor: record.vendor, product: record.product)
  }

  /// The line as it stands in a rules file.
  public var line: String {
    "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"\(USBDeviceRecord.hex(vendor))\", "
      + "ATTR{idProduct}==\"\(USBDeviceRecord.hex(product))\", MODE=\"0660\", TAG+=\"uaccess\""
  }
}
