import Devices
import USBTransport

/// A bridge as the bus knows it: whose numbers it has, and which interface leads to it.
protocol USBBridge: I2CBridge {
  /// Vendor and product.
  static var identity: USBSelection.Identity { get }
  /// What a person calls it.
  static var name: String { get }
  /// The class of its interface, and the kind of its two endpoints.
  static var port: (interfaceClass: UInt8, kind: USBEndpoint.Kind) { get }

  /// Makes the state machine for an open device.
  static func make(input: USBEndpoint) -> Self

  /// Whether a packet says nothing: what comes by itself without a question.
  static func isEmpty(_ packet: [UInt8]) -> Bool
}

extension USBBridge {
  static func isEmpty(_ packet: [UInt8]) -> Bool { packet.isEmpty }
}

extension MCP2221ABridge: USBBridge {
  static let identity = USBSelection.Identity(
    vendor: MCP2221AFacts.vendor, product: MCP2221AFacts.product)
  static let name = "MCP2221A"
  static let port: (interfaceClass: UInt8, kind: USBEndpoint.Kind) = (3, .interrupt)

  static func make(input: USBEndpoint) -> MCP2221ABridge { MCP2221ABridge() }
}

extension CP2112Bridge: USBBridge {
  static let identity = USBSelection.Identity(
    vendor: CP2112Facts.vendor, product: CP2112Facts.product)
  static let name = "CP2112"
  static let port: (interfaceClass: UInt8, kind: USBEndpoint.Kind) = (3, .interrupt)

  static func make(input: USBEndpoint) -> CP2112Bridge { CP2112Bridge() }
}

extension FT232HBridge: USBBridge {
  static let identity = USBSelection.Identity(
    vendor: FT232HFacts.vendor, product: FT232HFacts.product)
  static let name = "FT232H"
  static let port: (interfaceClass: UInt8, kind: USBEndpoint.Kind) = (255, .bulk)

  static func make(input: USBEndpoint) -> FT232HBridge {
    FT232HBridge(packetSize: input.packetBytes)
  }

  /// The latency timer sends two bytes of status each millisecond.
  static func isEmpty(_ packet: [UInt8]) -> Bool { packet.count <= 2 }
}
