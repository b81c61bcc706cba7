import Devices
import Units

/// What a drive or a capture has of a USB device, as its map's nodes.
struct USBNodes {
  var driver: YAMLNode?
  var id: YAMLNode?
  var serial: YAMLNode?
  var port: YAMLNode?
  var transfers: YAMLNode?
  var timeout: YAMLNode?
  var joyCon: YAMLNode?

  /// Whether anything is written.
  var areAny: Bool {
    driver != nil || id != nil || serial != nil || port != nil || transfers != nil || timeout != nil
      || joyCon != nil
  }
}

extension USBDescription {
  /// Reads a USB device's part of a drive or a capture; any device of the driver is meant where nothing is
  /// written.
  init(_ nodes: USBNodes, driver: USBDriver) throws(RigFileError) {
    self.init(
      selection: try USBSelection(id: nodes.id, serial: nodes.serial, port: nodes.port),
      driver: driver, transfers: try nodes.transfers?.integer(2...64) ?? 8,
      timeout: try nodes.timeout?.quantity(.time, .from(0.05, upTo: 60)) ?? 1)
  }

  /// The name of the driver; a board's where nothing is written.
  static func driver(_ node: YAMLNode?) throws(RigFileError) -> USBDriver.Name {
    try node?.choice(USBDriver.Name.self, "a driver of USB devices") ?? .board
  }
}

extension USBDriver.Name {
  /// The name as the end of a sentence has it.
  var inWords: String { self == .board ? "a board" : rawValue }
}

extension USBSelection {
  private enum Key: String, FileKey {
    case id, serial, port
  }

  /// Reads what tells a device from the others of its kind.
  init(id: YAMLNode?, serial: YAMLNode?, port: YAMLNode?) throws(RigFileError) {
    self.init(
      identity: try id.map { node throws(RigFileError) in try Self.identity(node) },
      serial: try serial?.text(),
      port: try port.map { node throws(RigFileError) in try Self.place(node) })
  }

  /// Reads which DualSense is meant: its name where there is one alone, or what tells it from others.
  init(dualSense node: YAMLNode) throws(RigFileError) {
    guard case .map = node.content else {
      let name = USBDriver.Name.dualSense.rawValue
      guard try node.text() == name else {
        throw node.error(
          "\(try node.text().quoted) has no coils that a sound interface could drive: write "
            + "'haptics: \(name)', or '{port: 1-2}' or '{serial: ...}' where there are several")
      }
      self.init()
      return
    }
    let map = try MapReader<Key>(node, "the haptics of a DualSense")
    try self.init(id: map[.id], serial: map[.serial], port: map[.port])
  }

  private static func identity(_ node: YAMLNode) throws(RigFileError) -> USBSelection.Identity {
    let text = try node.text()
    guard let identity = USBSelection.Identity(text: text) else {
      throw node.error(
        "\(text.quoted) is no vendor and product: write four hexadecimal digits each, such as "
          + "'id: \"1209:4852\"' ('haprig devices' lists them)")
    }
    return identity
  }

  /// A place as the kernel names it: the bus, and port by port.
  private static func place(_ node: YAMLNode) throws(RigFileError) -> String {
    let text = try node.text()
    let halves = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers =
      halves.count == 2
      ? halves[1].split(
        separator: ".", omittingEmptySubsequences: false) : []
    let areNumbers = (halves.prefix(1) + numbers).allSatisfy { part in
      UInt8(part).map { $0 > 0 && String($0) == part } ?? false
    }
    guard !numbers.isEmpty, numbers.count <= 7, areNumbers else {
      throw node.error(
        "\(text.quoted) is no place on a USB bus: write it as the kernel names it, such as "
          + "'port: 1-2.3' ('haprig devices' lists them)")
    }
    return text
  }
}
