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
    /// The version of USB as a binary-coded decimal, 0x0200 for 2.0.
    public var usbVersion: UInt16
    /// The class of the whole device; 0 where each interface has its own.
    public var deviceClass: UInt8
    /// The vendor's number.
    public var vendor: UInt16
    /// The product's number.
    public var product: UInt16
    /// The release of the device as a binary-coded decimal.
    public var release: UInt16
    /// The index of the manufacturer's name; 0 where there is none.
    public var manufacturerIndex: UInt8
    /// The index of the product's name; 0 where there is none.
    public var productIndex: UInt8
    /// The index of the serial number; 0 where there is none.
    public var serialIndex: UInt8
  }

  /// A configuration and its interfaces.
  public struct Configuration: Sendable, Hashable {
    /// What SET_CONFIGURATION takes.
    public var value: UInt8
    /// The most current that the device draws, in milliamperes.
    public var milliamperes: Int
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
    public var interfaceClass: UInt8
    /// The subclass.
    public var subclass: UInt8
    /// The protocol within the class.
    public var interfaceProtocol: UInt8
    /// The endpoints, in the device's order.
    public var endpoints: [USBEndpoint]

    /// The first endpoint of a kind and a direction.
    public func endpoint(_ kind: USBEndpoint.Kind, isInput: Bool) -> USBEndpoint? {
      endpoints.first { $0.kind == kind && $0.isInput == isInput }
    }
  }

  /// The first interface, at setting 0, of a class with a pair of endpoints of a kind; or one after it.
  ///
  /// - Parameters:
  ///   - interfaceClass: The class.
  ///   - kind: The kind of both endpoints.
  ///   - place: How many such interfaces come before it.
  /// - Returns: The interface and its endpoints; `nil` where there are not so many.
  public func interface(
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
