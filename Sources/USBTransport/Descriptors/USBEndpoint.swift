/// Where transfers of one direction and kind end in a device.
public struct USBEndpoint: Sendable, Hashable {
  /// How the bus serves it.
  public enum Kind: UInt8, Sendable, Hashable {
    /// Set-up packets and answers.
    case control = 0
    /// A share of every frame, nothing repeated.
    case isochronous = 1
    /// Whatever time is left, everything repeated until it arrives.
    case bulk = 2
    /// Asked for once an interval.
    case interrupt = 3
  }

  /// The number, with bit 7 set where it sends to the host.
  public let address: UInt8
  /// How the bus serves it.
  public let kind: Kind
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

  /// Whether it sends to the host.
  public var isInput: Bool { address & 0x80 != 0 }
}

/// What a control transfer asks.
public struct USBControlRequest: Sendable, Hashable {
  /// Direction, type and recipient: `bmRequestType`.
  public let type: UInt8
  /// `bRequest`.
  public let request: UInt8
  /// `wValue`.
  public let value: UInt16
  /// `wIndex`.
  public let index: UInt16

  /// Makes a request.
  public init(type: UInt8, request: UInt8, value: UInt16 = 0, index: UInt16 = 0) {
    self.type = type
    self.request = request
    self.value = value
    self.index = index
  }

  /// Whether the device answers with bytes.
  public var isInput: Bool { type & 0x80 != 0 }
}
