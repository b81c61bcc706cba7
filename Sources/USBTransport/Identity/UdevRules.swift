// SPDX-License-Identifier: Apache-2.0

package import Devices
import Glibc

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

extension SystemFiles {
  /// From this file on udev has given what is tagged to the user at the machine: a later tag does nothing.
  private static let seatFile = "73-seat-late.rules"

  /// Whom the installed rules let open a device; `nil` for nobody but root.
  ///
  /// A rule counts where it fits the device's own node (`/dev/bus/usb`): one for `hidraw` or `tty` opens another
  /// node. What cannot be told from here, such as the result of a program, fits nothing.
  package func grant(for record: USBDeviceRecord) -> UdevGrant? {
    var grant = UdevGrant()
    // A device's node is `crw-rw-r-- root root` before any rule.
    var mode = 0o664
    for (name, text) in ruleFiles() {
      var label: String?
      for line in UdevLine.lines(of: text) {
        if let wanted = label {
          if line.setting("LABEL") == wanted { label = nil }
          continue
        }
        guard line.comparisons.allSatisfy({ fits($0, record) }) else { continue }
        label = line.setting("GOTO")
        if let text = line.setting("MODE"), let number = Int(text, radix: 8) { mode = number }
        if let group = line.setting("GROUP") { grant.group = group }
        if name < Self.seatFile,
          line.terms.contains(where: { $0.key == "TAG" && $0.value == "uaccess" && $0.isGiving })
        {
          grant.isForSeat = true
        }
      }
    }
    grant.isForAll = mode & 0o006 == 0o006
    if grant.group == "root" || mode & 0o060 != 0o060 { grant.group = nil }
    return grant.isForNobody ? nil : grant
  }

  /// The rules files in udev's order, by their names; one in `/etc` stands for one of its name elsewhere.
  private func ruleFiles() -> [(name: String, text: String)] {
    var paths: [String: String] = [:]
    for folder in ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"] {
      for name in names("\(folder)/udev/rules.d") where name.hasSuffix(".rules") {
        paths[name] = paths[name] ?? "\(folder)/udev/rules.d/\(name)"
      }
    }
    return paths.sorted { $0.key < $1.key }.map { ($0.key, text($0.value) ?? "") }
  }

  private func fits(_ term: UdevLine.Term, _ record: USBDeviceRecord) -> Bool {
    guard let value = value(of: term, record) else { return false }
    let isAlike = term.value.split(separator: "|", omittingEmptySubsequences: false)
      .contains { fnmatch(String($0), value, 0) == 0 }
    return isAlike == (term.operation == .equal)
  }

  /// What udev compares when it makes the device's node; `nil` where that cannot be told.
  ///
  /// Keys that look at the parents too find the device itself first.
  private func value(of term: UdevLine.Term, _ record: USBDeviceRecord) -> String? {
    switch term.key {
    case "ACTION": "add"
    case "SUBSYSTEM", "SUBSYSTEMS", "DRIVER", "DRIVERS": "usb"
    case "KERNEL", "KERNELS": record.address.portPath
    case "ATTR", "ATTRS": attribute(term.attribute, record)
    case "ENV": variable(term.attribute, record)
    default: nil
    }
  }

  private func attribute(_ name: String, _ record: USBDeviceRecord) -> String? {
    switch name {
    case "idVendor": USBDeviceRecord.hex(record.vendor)
    case "idProduct": USBDeviceRecord.hex(record.product)
    case "serial": record.serial
    case "manufacturer": record.manufacturer
    case "product": record.productName
    default: text("/sys/bus/usb/devices/\(record.address.portPath)/\(name)")
    }
  }

  private func variable(_ name: String, _ record: USBDeviceRecord) -> String? {
    switch name {
    case "DEVTYPE": "usb_device"
    case "ID_VENDOR_ID": USBDeviceRecord.hex(record.vendor)
    case "ID_MODEL_ID": USBDeviceRecord.hex(record.product)
    case "ID_SERIAL_SHORT": record.serial
    case "ID_USB_INTERFACES": interfaces(record)
    default: nil
    }
  }

  /// The classes of a device's interfaces as udev writes them, `:030000:ff4801:`.
  private func interfaces(_ record: USBDeviceRecord) -> String? {
    guard let descriptors = try? USBDescriptors(bytes: record.descriptorBytes) else { return nil }
    var classes: [String] = []
    for interface in descriptors.configurations.flatMap(\.interfaces) {
      let text = [
        interface.interfaceClass, interface.subclass, interface.interfaceProtocol,
      ].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      if !classes.contains(text) { classes.append(text) }
    }
    return ":" + classes.map { $0 + ":" }.joined()
  }
}

struct UdevLine: Sendable, Hashable {
  /// One key with its value, such as `ATTR{idVendor}=="057e"`.
  struct Term: Sendable, Hashable {
    enum Operation: String, Sendable, CaseIterable {
      case equal = "=="
      case unequal = "!="
      case add = "+="
      case remove = "-="
      case final = ":="
      case set = "="
    }

    let key: String
    /// What stands in braces behind the key; empty without.
    let attribute: String
    let operation: Operation
    let value: String

    /// Whether it is compared, and not done; a program or an import that fails ends its line too.
    var isComparison: Bool {
      operation == .equal || operation == .unequal || key == "PROGRAM" || key == "IMPORT"
    }
    var isGiving: Bool { isSetting || operation == .add }
    var isSetting: Bool { operation == .set || operation == .final }
  }

  let terms: [Term]

  var comparisons: [Term] { terms.filter(\.isComparison) }

  /// Reads a line; `nil` for an empty one, a comment, and what udev would refuse.
  init?(_ text: String) {
    guard text.first != "#" else { return nil }
    var rest = Substring(text)
    var terms: [Term] = []
    while true {
      rest = rest.drop { $0 == "," || $0.isWhitespace }
      if rest.isEmpty { break }
      guard let term = Self.takeTerm(&rest) else { return nil }
      terms.append(term)
    }
    guard !terms.isEmpty else { return nil }
    self.terms = terms
  }

  func setting(_ key: String) -> String? {
    terms.last { $0.key == key && $0.isSetting }?.value
  }

  /// The lines of a file: a backslash at the end of one joins the next to it.
  static func lines(of text: String) -> [UdevLine] {
    var lines: [UdevLine] = []
    var begun = ""
    for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let piece = begun.isEmpty ? part.drop(while: \.isWhitespace) : part
      guard piece.last != "\\" else {
        begun += piece.dropLast()
        continue
      }
      if let line = UdevLine(begun + piece) { lines.append(line) }
      begun = ""
    }
    return lines
  }

  private static func takeTerm(_ rest: inout Substring) -> Term? {
    let key = rest.prefix { $0.isLetter || $0 == "_" }
    rest = rest.dropFirst(key.count)
    var attribute = ""
    if rest.first == "{" {
      attribute = String(rest.dropFirst().prefix { $0 != "}" })
      rest = rest.dropFirst(attribute.count + 2)
    }
    rest = rest.drop(while: \.isWhitespace)
    let operation = Term.Operation.allCases.first { rest.hasPrefix($0.rawValue) }
    guard !key.isEmpty, let operation else { return nil }
    rest = rest.dropFirst(operation.rawValue.count).drop(while: \.isWhitespace)
    guard rest.first == "\"" else { return nil }
    rest = rest.dropFirst()
    var value = ""
    while let character = rest.popFirst() {
      if character == "\"" {
        return Term(
          key: String(key), attribute: attribute, operation: operation, value: value)
      }
      // A quote of the value's own stands behind a backslash.
      if character == "\\", rest.first == "\"" {
        value.append(rest.removeFirst())
      } else {
        value.append(character)
      }
    }
    return nil
  }
}
