import Devices

extension USBDescriptors {
  private enum Kind {
    static let device: UInt8 = 1
    static let configuration: UInt8 = 2
    static let interface: UInt8 = 4
    static let endpoint: UInt8 = 5
  }

  /// Reads a device descriptor and the configurations that follow it.
  ///
  /// Descriptors of classes and vendors are passed over by their length. A configuration may be
  /// followed by no bytes but another one. Cost: one pass over the bytes.
  ///
  /// - Throws: `DescriptorError` for a length that is below what its kind needs or beyond the end, an
  ///   endpoint outside an interface, an address twice, counts that differ from what is there.
  public init(bytes: [UInt8]) throws(DescriptorError) {
    var reader = DescriptorReader(bytes: bytes)
    guard let first = try reader.next(before: bytes.count) else {
      throw DescriptorError(offset: 0, reason: "there are no descriptors")
    }
    guard first.kind == Kind.device else {
      throw first.error("kind \(first.kind) stands where the device descriptor (1) begins")
    }
    try first.require(18, "a device descriptor")
    device = Device(
      deviceClass: first[4], vendor: first.word(8), product: first.word(10),
      release: first.word(12))
    configurations = []
    while let part = try reader.next(before: bytes.count) {
      guard part.kind == Kind.configuration else {
        throw part.error("kind \(part.kind) stands where a configuration (2) begins")
      }
      configurations.append(try Self.configuration(part, &reader))
    }
    guard configurations.count == Int(first[17]) else {
      throw DescriptorError(
        offset: 17,
        reason: "the device has \(first[17]) configurations by its own word and "
          + "\(configurations.count) by its descriptors")
    }
  }

  private static func configuration(
    _ head: DescriptorPart, _ reader: inout DescriptorReader
  ) throws(DescriptorError) -> Configuration {
    try head.require(9, "a configuration")
    let end = head.offset + Int(head.word(2))
    guard Int(head.word(2)) >= head.length, end <= reader.bytes.count else {
      throw head.error(
        "a configuration of \(head.word(2)) bytes, and \(reader.bytes.count - head.offset) are there"
      )
    }
    var configuration = Configuration(
      value: head[5], milliamperes: Int(head[8]) * 2, interfaces: [])
    var promised = 0
    while let part = try reader.next(before: end) {
      switch part.kind {
      case Kind.interface:
        try checkEndpoints(configuration.interfaces.last, promised, at: part)
        try part.require(9, "an interface")
        promised = Int(part[4])
        let interface = Interface(
          number: part[2], alternate: part[3], interfaceClass: part[5], subclass: part[6],
          interfaceProtocol: part[7], endpoints: [])
        if configuration.interfaces.contains(where: {
          $0.number == interface.number && $0.alternate == interface.alternate
        }) {
          throw part.error("interface \(part[2]) has setting \(part[3]) twice")
        }
        configuration.interfaces.append(interface)
      case Kind.endpoint:
        try part.require(7, "an endpoint")
        guard let last = configuration.interfaces.indices.last else {
          throw part.error("endpoint \(part[2]) belongs to no interface")
        }
        let endpoint = try endpoint(part)
        if configuration.interfaces[last].endpoints.contains(where: {
          $0.address == endpoint.address
        }) {
          throw part.error("endpoint \(part[2]) stands twice in one interface")
        }
        configuration.interfaces[last].endpoints.append(endpoint)
      case Kind.device, Kind.configuration:
        throw part.error("kind \(part.kind) stands inside a configuration")
      default: break
      }
    }
    try checkEndpoints(configuration.interfaces.last, promised, at: head)
    let numbers = Set(configuration.interfaces.map(\.number))
    guard numbers.count == Int(head[4]) else {
      throw head.error(
        "a configuration of \(head[4]) interfaces by its own word and \(numbers.count) by its "
          + "descriptors")
    }
    return configuration
  }

  private static func endpoint(_ part: DescriptorPart) throws(DescriptorError) -> USBEndpoint {
    // Two bits: every value is a kind.
    let kind = USBEndpoint.Kind(rawValue: part[3] & 3) ?? .control
    guard part[2] & 0x0F != 0, part[2] & 0x70 == 0 else {
      throw part.error("\(part[2]) is no endpoint's address")
    }
    // Bits 11 and 12 count further packets of a microframe: not part of the size.
    let size = Int(part.word(4) & 0x07FF)
    guard size > 0 || kind == .isochronous else {
      throw part.error("endpoint \(part[2]) has packets of no bytes")
    }
    return USBEndpoint(address: part[2], kind: kind, packetBytes: size, interval: part[6])
  }

  private static func checkEndpoints(
    _ interface: Interface?, _ promised: Int, at part: DescriptorPart
  ) throws(DescriptorError) {
    guard let interface, interface.endpoints.count != promised else { return }
    throw part.error(
      "interface \(interface.number) has \(promised) endpoints by its own word and "
        + "\(interface.endpoints.count) by its descriptors")
  }
}

private struct DescriptorPart {
  let bytes: ArraySlice<UInt8>

  var offset: Int { bytes.startIndex }
  var length: Int { bytes.count }
  var kind: UInt8 { self[1] }

  subscript(place: Int) -> UInt8 { bytes[bytes.startIndex + place] }

  func word(_ place: Int) -> UInt16 { UInt16(self[place]) | UInt16(self[place + 1]) << 8 }

  func require(_ least: Int, _ name: String) throws(DescriptorError) {
    guard length >= least else { throw error("\(name) of \(length) bytes: it has \(least)") }
  }

  func error(_ reason: String) -> DescriptorError {
    DescriptorError(offset: offset, reason: reason)
  }
}

private struct DescriptorReader {
  let bytes: [UInt8]
  private var place = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The next descriptor that begins before a place and ends there at the latest.
  mutating func next(before end: Int) throws(DescriptorError) -> DescriptorPart? {
    guard place < end else { return nil }
    let length = Int(bytes[place])
    guard length >= 2, length <= end - place else {
      throw DescriptorError(
        offset: place, reason: "a descriptor of \(length) bytes, where 2 to \(end - place) fit")
    }
    defer { place += length }
    return DescriptorPart(bytes: bytes[place..<(place + length)])
  }
}

/// Where a device's description of itself cannot be read.
public struct DescriptorError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The byte at which it goes wrong, from the beginning of all descriptors.
  public let offset: Int
  /// What is there and what was expected.
  public let reason: String

  /// The place and the reason.
  public var description: String { "descriptor byte \(offset): \(reason)" }
}

/// String descriptors: UTF-16 little-endian after two bytes of head (USB 2.0, 9.6.7).
public enum USBString {
  /// Reads a string descriptor as a person can be shown it.
  ///
  /// An odd byte at the end, halves of surrogate pairs and zeros, which devices are known to send,
  /// become U+FFFD or are cut; control characters become U+FFFD, so that no device writes to a
  /// terminal.
  ///
  /// - Throws: `DescriptorError` where the head is no string descriptor's or longer than what came.
  public static func text(descriptor bytes: [UInt8]) throws(DescriptorError) -> String {
    guard bytes.count >= 2 else {
      throw DescriptorError(offset: 0, reason: "a string of \(bytes.count) bytes has no head")
    }
    guard bytes[1] == 3 else {
      throw DescriptorError(offset: 1, reason: "kind \(bytes[1]) is no string (3)")
    }
    let length = Int(bytes[0])
    guard length >= 2, length <= bytes.count else {
      throw DescriptorError(
        offset: 0, reason: "a string of \(length) bytes, and \(bytes.count) came")
    }
    let units = stride(from: 2, to: length - 1, by: 2).map {
      UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
    }
    return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self).withoutControls
  }
}
