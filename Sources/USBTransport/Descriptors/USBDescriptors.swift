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
