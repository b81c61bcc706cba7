// SPDX-License-Identifier: Apache-2.0

import Devices

/// What a USB device says of itself: its device descriptor and every configuration.
///
/// A pure value of the bytes that sysfs keeps in `descriptors` and a device answers to
/// GET_DESCRIPTOR (USB 2.0, 9.5 and 9.6).
public struct USBDescriptors: Sendable, Hashable {
  /// The device descriptor.
  public var device: Device
  /// The configurations, in the device's order.
  public var configurations: [Configuration]

  /// The device descriptor.
  public struct Device: Sendable, Hashable {
    package var deviceClass: UInt8
    /// The vendor's number.
    public var vendor: UInt16
    package var product: UInt16
    package var release: UInt16
  }

  /// A configuration and its interfaces.
  public struct Configuration: Sendable, Hashable {
    package var value: UInt8
    package var milliamperes: Int
    /// Every alternate setting of every interface, in the device's order.
    public var interfaces: [Interface]
  }

  /// One alternate setting of an interface.
  public struct Interface: Sendable, Hashable {
    /// The interface's number.
    public var number: UInt8
    /// The setting's number; 0 is active after a claim.
    public var alternate: UInt8
    /// The class: 3 HID, 1 audio, 255 the vendor's own.
    package var interfaceClass: UInt8
    package var subclass: UInt8
    package var interfaceProtocol: UInt8
    /// The endpoints, in the device's order.
    public var endpoints: [USBEndpoint]

    package func endpoint(_ kind: USBEndpoint.Kind, isInput: Bool) -> USBEndpoint? {
      endpoints.first { $0.kind == kind && $0.isInput == isInput }
    }
  }

  /// The first interface, at setting 0, of a class with a pair of endpoints of a kind; or one after it.
  package func interface(
    class interfaceClass: UInt8, with kind: USBEndpoint.Kind, at place: Int = 0
  ) -> (configuration: UInt8, interface: Interface, input: USBEndpoint, output: USBEndpoint)? {
    var left = place
    for configuration in configurations {
      for interface in configuration.interfaces
      where interface.interfaceClass == interfaceClass && interface.alternate == 0 {
        if let input = interface.endpoint(kind, isInput: true),
          let output = interface.endpoint(kind, isInput: false)
        {
          if left == 0 { return (configuration.value, interface, input, output) }
          left -= 1
        }
      }
    }
    return nil
  }
}

/// Where transfers of one direction and kind end in a device.
public struct USBEndpoint: Sendable, Hashable {
  /// How the bus serves it.
  public enum Kind: UInt8, Sendable, Hashable {
    case control = 0
    case isochronous = 1
    case bulk = 2
    case interrupt = 3
  }

  /// The number, with bit 7 set where it sends to the host.
  public let address: UInt8
  package let kind: Kind
  /// The most bytes in one packet.
  public let packetBytes: Int
  /// The interval field of its descriptor: frames or microframes of an interrupt endpoint.
  public let interval: UInt8

  /// Makes an endpoint.
  public init(address: UInt8, kind: Kind, packetBytes: Int, interval: UInt8 = 0) {
    self.address = address
    self.kind = kind
    self.packetBytes = packetBytes
    self.interval = interval
  }

  package var isInput: Bool { address & 0x80 != 0 }
}

/// What a control transfer asks.
public struct USBControlRequest: Sendable, Hashable {
  package let type: UInt8
  package let request: UInt8
  package let value: UInt16
  package let index: UInt16

  package init(type: UInt8, request: UInt8, value: UInt16 = 0, index: UInt16 = 0) {
    self.type = type
    self.request = request
    self.value = value
    self.index = index
  }

  package var isInput: Bool { type & 0x80 != 0 }
}

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
  /// terminal; throws `DescriptorError` where the head is no string descriptor's or longer than what came.
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
    return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self).printable
  }
}
