// SPDX-License-Identifier: Apache-2.0

/// One PCM of ALSA as a rig file asks for it, for one direction.
public struct ALSADescription: Sendable, Equatable {
  /// How frames cross to the card.
  package enum Access: String, Sendable, Hashable, CaseIterable {
    /// Shared memory where the card offers it, calls where not.
    case automatic = "auto"
    case mmap
    case rw
  }

  /// Whether drive and capture are started by one act of the kernel.
  package enum Link: String, Sendable, Hashable, CaseIterable {
    /// Where the cards can.
    case automatic = "auto"
    /// Never: each side is started by itself.
    case never
  }

  package static let virtualCardName = "virtual-card"

  /// ALSA's name of the PCM, such as `hw:CARD=Controller,DEV=0`, or `virtual-card`.
  package var pcm: String
  /// The serial number of the USB card that stands in the place of the one in `pcm`; `nil` for that itself.
  package var serial: String?
  /// The only sample format to be used; `nil` takes the widest that is offered.
  package var format: SampleFormat?
  /// How frames cross to the card.
  package var access: Access
  /// The frames of a period that must be had exactly; `nil` takes the nearest to the drive's.
  package var periodFrames: Int?
  /// The frames of the card's buffer, of which the nearest is taken; `nil` for four periods.
  package var bufferFrames: Int?
  /// Whether ALSA may convert rate, format or channels on the way, which changes what is measured.
  package var isResamplingAllowed: Bool
  /// Whether drive and capture are started by one act; the drive's word counts.
  package var link: Link
  /// What the virtual card simulates; `nil` for every other PCM.
  package var virtualCard: SimulationDescription?
  /// The rig file that the virtual card reads, as it was named.
  package var rigFile: String

  package init(
    pcm: String, serial: String? = nil, format: SampleFormat? = nil, access: Access = .automatic,
    periodFrames: Int? = nil, bufferFrames: Int? = nil, isResamplingAllowed: Bool = false,
    link: Link = .automatic, virtualCard: SimulationDescription? = nil, rigFile: String = ""
  ) {
    self.pcm = pcm
    self.serial = serial
    self.format = format
    self.access = access
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
    self.isResamplingAllowed = isResamplingAllowed
    self.link = link
    self.virtualCard = virtualCard
    self.rigFile = rigFile
  }

  /// Whether the devices wait for the frames, so that nothing depends on the host's time.
  package var isLockStep: Bool { virtualCard?.clock == .virtual }
}

/// Which USB device is meant, by what tells it from the others of its kind.
public struct USBSelection: Sendable, Hashable {
  /// The vendor's and the product's number.
  public struct Identity: Sendable, Hashable {
    /// The vendor's number.
    public var vendor: UInt16
    /// The product's number.
    public var product: UInt16

    /// Makes an identity.
    public init(vendor: UInt16, product: UInt16) {
      self.vendor = vendor
      self.product = product
    }

    /// Reads four hexadecimal digits, a colon, and four more: `1209:c0de`; `nil` for anything else.
    public init?(text: String) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ $0.count == 4 && $0.allSatisfy(\.isHexDigit) }),
        let vendor = UInt16(parts[0], radix: 16), let product = UInt16(parts[1], radix: 16)
      else { return nil }
      self.init(vendor: vendor, product: product)
    }
  }

  /// The numbers that it must have; `nil` for any.
  public var identity: Identity?
  /// The serial number that it must have.
  public var serial: String?
  /// The place where it must be, as the kernel names it: `1-2.3`.
  public var port: String?

  /// Makes a selection; without any condition the only device of the kind is meant.
  public init(identity: Identity? = nil, serial: String? = nil, port: String? = nil) {
    self.identity = identity
    self.serial = serial
    self.port = port
  }
}

/// What speaks to a USB device.
public enum USBDriver: Sendable, Equatable {
  case board
  /// A DRV2605L behind a USB-I2C bridge: drives.
  case drv2605L(DRV2605LDescription)
  /// A DualSense: feels by its inertial sensor, drives by classic rumble.
  case dualSense(DualSenseDescription)
  /// A Nintendo Switch Pro controller, or a Joy-Con in the charging grip: feels by its inertial sensor, drives by HD rumble.
  case switchController(SwitchControllerDescription)

  /// The name as rig files write it.
  public var name: Name {
    switch self {
    case .board: .board
    case .drv2605L: .drv2605L
    case .dualSense: .dualSense
    case .switchController: .switchController
    }
  }

  /// The names of drivers.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    case board
    case drv2605L = "drv2605l"
    case dualSense = "dualsense"
    case switchController = "switch"
  }
}

/// A DRV2605L as a rig file asks for it; its voltages are the drive's full scale and the actuator's limits.
public struct DRV2605LDescription: Sendable, Equatable {
  package enum Bridge: String, Sendable, Hashable, CaseIterable {
    case mcp2221a
    case cp2112
    case ft232h

    /// How often a bridge takes an amplitude, in seconds.
    ///
    /// A write takes four frames of a full-speed bridge, and less than a microframe of bus time of the
    /// FT232H, which answers within its latency timer of a millisecond.
    package var updateInterval: Double { self == .ft232h ? 2e-3 : 5e-3 }
  }

  /// Where the constants of the closed loop are from.
  package enum Calibration: Sendable, Hashable {
    /// The chip's own after a reset.
    case none
    /// Found by the chip when the rig is opened, which drives the actuator for about a second.
    case automatic
    case constants(compensation: UInt8, backEMF: UInt8, gain: UInt8)
  }

  package var bridge: Bridge
  /// The actuator's resonance in hertz, near which closed loop looks for it.
  package var resonance: Double
  /// The frequency of open loop in hertz; `nil` for closed loop.
  package var openLoopFrequency: Double?
  /// Where the constants of the closed loop are from.
  package var calibration: Calibration
  package var updateInterval: Double

  package init(
    bridge: Bridge, resonance: Double, openLoopFrequency: Double? = nil,
    calibration: Calibration = .none, updateInterval: Double? = nil
  ) {
    self.bridge = bridge
    self.resonance = resonance
    self.openLoopFrequency = openLoopFrequency
    self.calibration = calibration
    self.updateInterval = updateInterval ?? bridge.updateInterval
  }
}

/// A DualSense as a rig file asks for it.
public struct DualSenseDescription: Sendable, Hashable {
  /// What its coils play in rumble mode, in hertz; `nil` where it does not drive.
  package var rumbleFrequency: Double?

  package init(rumbleFrequency: Double? = nil) { self.rumbleFrequency = rumbleFrequency }
}

/// A Switch controller as a rig file asks for it.
public struct SwitchControllerDescription: Sendable, Hashable {
  /// The bands of HD rumble; a rig drives one.
  package enum Band: String, Sendable, Hashable, CaseIterable {
    /// 40.9 Hz to 626 Hz.
    case low
    /// 81.75 Hz to 1253 Hz.
    case high
  }

  package enum JoyCon: String, Sendable, Hashable, CaseIterable {
    case left
    case right
  }

  package var band: Band
  /// Which Joy-Con in the charging grip; `nil` for a Pro controller.
  package var joyCon: JoyCon?

  package init(band: Band = .low, joyCon: JoyCon? = nil) {
    self.band = band
    self.joyCon = joyCon
  }
}

/// One USB device as a rig file asks for it.
public struct USBDescription: Sendable, Equatable {
  /// What speaks to it.
  public var driver: USBDriver
  /// Which device.
  public var selection: USBSelection
  /// How many transfers of each direction are on the bus at a time.
  public var transfers: Int
  /// How long the device may stay without an answer, in seconds.
  public var timeout: Double

  /// Makes a description.
  public init(
    selection: USBSelection, driver: USBDriver = .board, transfers: Int = 8, timeout: Double = 1
  ) {
    self.driver = driver
    self.selection = selection
    self.transfers = transfers
    self.timeout = timeout
  }
}
