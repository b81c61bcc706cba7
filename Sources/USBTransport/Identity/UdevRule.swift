import Devices

/// A line of a rules file that lets users open a kind of device: who sits at the machine, and a group.
package struct UdevRule: Sendable, Hashable {
  /// Where the rules are installed: before 73-seat-late.rules, which gives what is tagged to the user.
  package static let file = "/etc/udev/rules.d/70-haprig.rules"
  /// A file for lines of a user's own, which 'make install-udev' leaves alone.
  package static let ownFile = "/etc/udev/rules.d/71-haprig-own.rules"

  /// The rule of every board of the vendor protocol, whose numbers are its maker's: udev writes the
  /// classes of all interfaces into ID_USB_INTERFACES.
  package static let boards = UdevRule(
    "ENV{DEVTYPE}==\"usb_device\", ENV{ID_USB_INTERFACES}==\"*:ff4801:*\"", isShipped: true)

  private let condition: String
  /// Whether `rigs/70-haprig.rules` has the line.
  package let isShipped: Bool

  private init(_ condition: String, isShipped: Bool) {
    self.condition = condition
    self.isShipped = isShipped
  }

  init(vendor: UInt16, product: UInt16, isShipped: Bool) {
    self.init(
      "ATTR{idVendor}==\"\(USBDeviceRecord.hex(vendor))\", "
        + "ATTR{idProduct}==\"\(USBDeviceRecord.hex(product))\"", isShipped: isShipped)
  }

  /// Makes the rule that a device needs: that of boards for a board, else one of its numbers.
  package init(_ record: USBDeviceRecord) {
    guard !USBDeviceKind.board.includes(record) else {
      self = Self.boards
      return
    }
    self.init(
      vendor: record.vendor, product: record.product,
      isShipped: KnownUSBDevice.of(record)?.rule != nil)
  }

  package var line: String {
    "SUBSYSTEM==\"usb\", \(condition), MODE=\"0660\", GROUP=\"\(SystemFiles.deviceGroup)\", "
      + "TAG+=\"uaccess\""
  }

  /// What a user does where no installed rule opens the device, as the end of a sentence.
  package var advice: String {
    let doing =
      isShipped
      ? "run 'make install-udev', or add to \(Self.file) the line \(line)"
      : "add to \(Self.ownFile) the line \(line)"
    return "\(doing) and plug it in again; \(Self.seatless)"
  }

  /// The same where the line stands beside it.
  package var shortAdvice: String {
    let doing = isShipped ? "run 'make install-udev'" : "add this rule to \(Self.ownFile)"
    return "\(doing); \(Self.seatless)"
  }

  private static let seatless =
    "without a seat at the machine (ssh, a service) also 'sudo usermod -aG "
    + "\(SystemFiles.deviceGroup) $USER', then log in again"
}

/// Whom the installed rules of udev let open a device's node.
package struct UdevGrant: Sendable, Hashable {
  /// Whoever sits at the machine, by the tag `uaccess`.
  package var isForSeat = false
  /// The members of a group; `nil` for none but root's.
  package var group: String?
  /// Everybody, by the node's mode.
  package var isForAll = false

  var isForNobody: Bool { self == UdevGrant() }

  /// What a user does whom the node is closed to all the same, as the end of a sentence.
  package var advice: String {
    guard !isForAll, isForSeat || group != nil else { return "plug it in again" }
    let joining = group.map { "'sudo usermod -aG \($0) $USER', then log in again" }
    guard isForSeat else { return joining ?? "" }
    return "plug it in again; without a seat at the machine (ssh, a service) "
      + (joining ?? "the rule lets nobody in: add GROUP=\"\(SystemFiles.deviceGroup)\" to it")
  }
}
