// SPDX-License-Identifier: Apache-2.0

public import Actuators
public import Units

/// A rig as its file describes it: a drive path, actuators, a capture path, and how they are wired.
public struct RigDescription: Sendable, Equatable {
  /// The rig's name, as records carry it.
  public var name: String
  /// How drive leaves.
  public var drive: DriveDescription
  /// How the sensors come in.
  public var capture: CaptureDescription
  /// The actuators on the rig, at least one.
  public var actuators: [Actuator]
  /// The drive channel, counted from 1, of each actuator by its id that is not on the haptic role's.
  public var actuatorChannels: [String: Int]
  /// How the temperature is read while the rig works; `nil` where nobody said.
  public var thermometer: ThermometerDescription?

  /// Makes a description; the reader of rig files has checked what it says.
  public init(
    name: String, drive: DriveDescription, capture: CaptureDescription,
    actuators: [Actuator], actuatorChannels: [String: Int] = [:]
  ) {
    precondition(!actuators.isEmpty, "a rig needs an actuator")
    self.name = name
    self.drive = drive
    self.capture = capture
    self.actuators = actuators
    self.actuatorChannels = actuatorChannels
  }

  /// The drive channel of an actuator, counted from 1.
  public func channel(of actuator: Actuator) -> Int {
    actuatorChannels[actuator.id] ?? drive.channels[.haptic] ?? 1
  }

  /// The format of the sensors' port, on the drive's rate.
  package var captureFormat: StreamFormat {
    StreamFormat(
      rate: drive.rate, channelCount: capture.channels.count, periodFrames: drive.periodFrames)
  }

  /// An error of this rig's devices.
  package func error(
    _ code: DeviceError.Code, _ message: String, errno: Int32? = nil
  ) -> DeviceError {
    DeviceError(code, device: name, message: message, errno: errno)
  }
}

/// The device behind a port, with what that kind needs to be opened.
public enum DeviceSelection: Sendable, Equatable {
  case simulated(SimulationDescription)
  case command(CommandDescription)
  case file(FileDescription)
  case alsa(ALSADescription)
  case usb(USBDescription)

  /// The kind as rig files write it.
  public var kind: DeviceKind {
    switch self {
    case .simulated: .simulated
    case .command: .command
    case .file: .file
    case .alsa: .alsa
    case .usb: .usb
    }
  }
}

/// The kinds of device that a rig file can name.
public enum DeviceKind: String, Sendable, Hashable, CaseIterable {
  case simulated
  case command
  case file
  case alsa
  case usb
  /// A MEMS breakout on a serial port; captures alone.
  case serial
  /// An accelerometer of the kernel's Industrial I/O; captures alone.
  case iio
}

/// The drive path of a rig.
public struct DriveDescription: Sendable, Equatable {
  /// The device.
  public var device: DeviceSelection
  /// Frames a second.
  public var rate: SampleRate
  /// The device's channel of each role, counted from 1.
  public var channels: [DriveRole: Int]
  /// The peak voltage at the actuator for a drive of 1.
  public var fullScaleVolts: Double
  /// Frames a block.
  public var periodFrames: Int
  /// The DualSense whose coils are given to its sound interface before anything is opened, if any.
  public var dualSenseHaptics: USBSelection?

  /// Makes a drive path.
  public init(
    device: DeviceSelection, rate: SampleRate, channels: [DriveRole: Int], fullScaleVolts: Double,
    periodFrames: Int = 256, dualSenseHaptics: USBSelection? = nil
  ) {
    self.dualSenseHaptics = dualSenseHaptics
    self.device = device
    self.rate = rate
    self.channels = channels
    self.fullScaleVolts = fullScaleVolts
    self.periodFrames = periodFrames
  }

  /// How many channels a frame of the device has: the highest that a role uses.
  public var channelCount: Int { channels.values.max() ?? 1 }

  /// The format of the drive's port.
  public var format: StreamFormat {
    StreamFormat(rate: rate, channelCount: channelCount, periodFrames: periodFrames)
  }
}

/// The capture path of a rig, on the drive's rate.
public struct CaptureDescription: Sendable, Equatable {
  /// The kind of device: the drive's own, or, where one is a board over USB and the other a sound card,
  /// the other; a breakout on a serial port or an accelerometer of the kernel beside either.
  public var kind: DeviceKind
  /// The channels, in the order of the device's inputs.
  public var channels: [CaptureChannelDescription]
  /// The sound card that captures, where the kind is ALSA: the drive's or another.
  public var alsa: ALSADescription?
  /// The board that captures, where the kind is USB: the drive's or another.
  public var usb: USBDescription?
  /// The breakout that captures, where the kind is serial.
  public var serial: SerialDescription?
  /// The accelerometer that captures, where the kind is Industrial I/O.
  public var iio: IIODescription?

  /// Makes a capture path.
  public init(
    kind: DeviceKind, channels: [CaptureChannelDescription], alsa: ALSADescription? = nil,
    usb: USBDescription? = nil, serial: SerialDescription? = nil, iio: IIODescription? = nil
  ) {
    self.kind = kind
    self.channels = channels
    self.alsa = alsa
    self.usb = usb
    self.serial = serial
    self.iio = iio
  }

  /// The first channel of a role.
  public func channel(_ role: CaptureRole) -> CaptureChannelDescription? {
    channels.first { $0.role == role }
  }

  /// What the accelerometers feel along, in the order of the inputs, as a profile's conditions say it: `x y`; nil
  /// without one.
  public var axes: String? {
    let names = channels.filter { $0.role == .acceleration }.map(\.axisName)
    return names.isEmpty ? nil : names.joined(separator: " ")
  }
}

/// One capture channel: what it is wired to and how its samples become SI units.
public struct CaptureChannelDescription: Sendable, Equatable {
  /// The name, unique in the rig.
  public var name: String
  /// What it is wired to.
  public var role: CaptureRole
  /// The SI unit of what the port delivers.
  public var unit: MeasurementUnit
  /// The device's input, counted from 1.
  public var input: Int
  /// The peak voltage of the converter at 1; `nil` where the device delivers SI units itself.
  public var fullScaleVolts: Double?
  /// The sensor's certificate, where a sensor makes the voltage.
  public var sensor: SensorCertificate?
  /// The direction that an accelerometer feels, `x`, `y` or `z`.
  public var axis: String?
  /// What the USB device's product string has to say before the channel has a scale, if anything.
  public var productString: ProductStringScale?

  /// Makes a channel.
  public init(
    name: String, role: CaptureRole, unit: MeasurementUnit, input: Int,
    fullScaleVolts: Double? = nil, sensor: SensorCertificate? = nil, axis: String? = nil,
    productString: ProductStringScale? = nil
  ) {
    self.name = name
    self.role = role
    self.unit = unit
    self.input = input
    self.fullScaleVolts = fullScaleVolts
    self.sensor = sensor
    self.axis = axis
    self.productString = productString
  }

  /// The direction that an accelerometer feels; the channel's name where none is written.
  public var axisName: String { axis ?? name }

  /// SI units at the converter's end of a channel: volts by the sensor's sensitivity.
  package var scale: Double { (fullScaleVolts ?? 1) / (sensor?.sensitivity ?? 1) }

  /// The channel as the port shows it.
  public var port: CaptureChannel { CaptureChannel(name: name, role: role, unit: unit) }
}

/// Which part of a channel's scale a measuring device carries in its own USB product string.
public enum ProductStringScale: Sendable, Hashable {
  /// The converter's volts; the sensor's certificate is in the rig file.
  case fullScale
  /// The acceleration at the converter's end: converter and sensor were calibrated as one.
  case sensitivity
}

/// What a sensor's certificate says.
public struct SensorCertificate: Sendable, Equatable {
  /// Volts per m/s2.
  public var sensitivity: Double
  /// The relative standard uncertainty of the sensitivity, 0.01 for one percent.
  public var relativeUncertainty: Double?
  /// The date of the certificate, as written.
  public var date: String?
  /// The sensor's own delay in seconds, taken off transport latency.
  public var delay: Double
  /// The -3 dB corner of the sensor's second-order low-pass in hertz, where it is known.
  public var bandwidth: Double?
  /// The sensor file that says it; nil for a certificate on paper.
  public var source: Source?

  /// A sensor file, and what of it a calibration has to know.
  public struct Source: Sendable, Equatable {
    /// The file, as the rig file names it.
    public var file: String
    /// How the sensor was measured: `flip` or `comparison`.
    public var method: String
    /// Whether the relative uncertainty holds how the scale changes over the band that is felt.
    public var holdsFlatness: Bool
    /// The standard uncertainty of `delay` in seconds, where the delay is the file's.
    public var delayUncertainty: Double?

    /// Makes a source.
    public init(
      file: String, method: String, holdsFlatness: Bool, delayUncertainty: Double? = nil
    ) {
      self.file = file
      self.method = method
      self.holdsFlatness = holdsFlatness
      self.delayUncertainty = delayUncertainty
    }
  }

  /// Makes a certificate.
  public init(
    sensitivity: Double, relativeUncertainty: Double? = nil, date: String? = nil,
    delay: Double = 0, bandwidth: Double? = nil, source: Source? = nil
  ) {
    self.sensitivity = sensitivity
    self.relativeUncertainty = relativeUncertainty
    self.date = date
    self.delay = delay
    self.bandwidth = bandwidth
    self.source = source
  }
}

/// A program that is the rig.
public struct CommandDescription: Sendable, Equatable {
  /// The program and its arguments; no shell reads them.
  public var arguments: [String]
  /// The folder it is started in: the rig file's own.
  public var folder: String
  /// How long it may stay without an answer, in seconds.
  public var timeout: Double

  /// Makes a description.
  public init(arguments: [String], folder: String, timeout: Double = 10) {
    self.arguments = arguments
    self.folder = folder
    self.timeout = timeout
  }
}

/// Sound files instead of devices, for a rig that is not on line.
public struct FileDescription: Sendable, Equatable {
  /// Where the drive is written, one channel per drive channel.
  public var stimulus: String?
  /// Where the response is read from, one channel per capture channel.
  public var response: String?

  /// Makes a description.
  public init(stimulus: String? = nil, response: String? = nil) {
    self.stimulus = stimulus
    self.response = response
  }
}
