public import Devices

extension USBSelection {
  /// Finds the one device that is meant.
  ///
  /// - Parameters:
  ///   - records: What is on the bus.
  ///   - kind: What all devices of the kind have in common, as a word and a condition; for any device
  ///     that the numbers name, nothing.
  ///   - rig: The rig, as errors name it.
  /// - Returns: The device.
  /// - Throws: `DeviceError` that lists what is there: nothing of these numbers, none with this serial
  ///   number or at this port, or several that nothing tells apart.
  public func choose(
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
  /// What a person calls it.
  public let name: String
  /// Whether a device is one.
  public let includes: @Sendable (USBDeviceRecord) -> Bool

  /// Makes a kind.
  public init(name: String, includes: @escaping @Sendable (USBDeviceRecord) -> Bool) {
    self.name = name
    self.includes = includes
  }

  /// Any device.
  public static let any = USBDeviceKind(name: "USB device") { _ in true }

  /// Boards of the vendor protocol, known by their interface.
  public static let board = USBDeviceKind(name: "a board of the haprig protocol") { record in
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
