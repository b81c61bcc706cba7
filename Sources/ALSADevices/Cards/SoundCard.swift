/// A sound card of the machine.
public struct SoundCard: Sendable, Hashable {
  /// The kernel's number, which changes from start to start.
  public var index: Int
  /// The kernel's name, which stays: `Controller` in `hw:CARD=Controller`.
  public var id: String
  /// The name that the driver gives.
  public var name: String
  /// The driver.
  public var driver: String
  /// What it is on USB; `nil` for a card that is not.
  public var usb: USBIdentity?
  /// What can be opened, by device and direction.
  public var pcms: [SoundPCM]

  /// Makes a card.
  public init(
    index: Int, id: String, name: String, driver: String, usb: USBIdentity? = nil,
    pcms: [SoundPCM] = []
  ) {
    self.index = index
    self.id = id
    self.name = name
    self.driver = driver
    self.usb = usb
    self.pcms = pcms
  }
}

extension SoundCard {
  /// What a measuring card's USB product string says of its scale; `nil` where it says nothing.
  public var calibration: CalibrationString? {
    usb?.productString.flatMap { CalibrationString($0) }
  }

  /// The serial numbers that it is known by: that of its descriptors and that of its calibration.
  public var serials: [String] {
    let own = [usb?.serial, calibration?.serial].compactMap { $0 }
    return own.count == 2 && own[0] == own[1] ? [own[0]] : own
  }
}

/// A USB device as its descriptors and its place name it.
public struct USBIdentity: Sendable, Hashable {
  /// The vendor's number, in four hexadecimal digits.
  public var vendor: String
  /// The product's number, in four hexadecimal digits.
  public var product: String
  /// The product string, which a card's own name may cut.
  public var productString: String?
  /// The maker's string.
  public var manufacturer: String?
  /// The serial number, which tells two of a kind apart.
  public var serial: String?
  /// The place on the bus, such as `1-1.4`.
  public var path: String

  /// Makes an identity.
  public init(
    vendor: String, product: String, productString: String? = nil, manufacturer: String? = nil,
    serial: String? = nil, path: String
  ) {
    self.vendor = vendor
    self.product = product
    self.productString = productString
    self.manufacturer = manufacturer
    self.serial = serial
    self.path = path
  }
}

/// One direction of one device of a card.
public struct SoundPCM: Sendable, Hashable {
  /// What a rig file writes: `hw:CARD=Controller,DEV=0`.
  public var name: String
  /// The device's number on its card.
  public var device: Int
  /// `playback` or `capture`.
  public var direction: String
  /// The driver's name of the device.
  public var title: String
  /// What it can do; `nil` where it could not be asked.
  public var offer: PCMOffer?
  /// Why it could not be asked.
  public var refusal: String?

  /// Makes a PCM.
  public init(
    name: String, device: Int, direction: String, title: String, offer: PCMOffer? = nil,
    refusal: String? = nil
  ) {
    self.name = name
    self.device = device
    self.direction = direction
    self.title = title
    self.offer = offer
    self.refusal = refusal
  }
}

/// What a PCM can do.
public struct PCMOffer: Sendable, Hashable {
  /// The sample formats that haprig uses, the widest first.
  public var formats: [String]
  /// The usual rates, in frames a second.
  public var rates: [Int]
  /// The lowest and the highest rate.
  public var rateRange: ClosedRange<Int>
  /// The fewest and the most channels.
  public var channels: ClosedRange<Int>
  /// The shortest and the longest period, in frames.
  public var periods: ClosedRange<Int>
  /// The smallest and the largest buffer, in frames.
  public var buffers: ClosedRange<Int>
  /// Whether the card shares its memory.
  public var hasMmap: Bool
  /// The orders of channels, such as `FL FR RL RR`.
  public var channelMaps: [String]

  /// Makes an offer.
  public init(
    formats: [String], rates: [Int], rateRange: ClosedRange<Int>, channels: ClosedRange<Int>,
    periods: ClosedRange<Int>, buffers: ClosedRange<Int>, hasMmap: Bool,
    channelMaps: [String] = []
  ) {
    self.formats = formats
    self.rates = rates
    self.rateRange = rateRange
    self.channels = channels
    self.periods = periods
    self.buffers = buffers
    self.hasMmap = hasMmap
    self.channelMaps = channelMaps
  }
}
