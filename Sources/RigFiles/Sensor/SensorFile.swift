/// What the calibration of a sensor found, as a file keeps it and rig files name it.
public struct SensorFile: Sendable, Equatable {
  /// How the scale was found.
  public enum Method: String, Sendable, Hashable, CaseIterable {
    /// By gravity, each axis up and down.
    case flip
    /// By a reference sensor that felt the same motion.
    case comparison
  }

  /// How what a channel delivers becomes acceleration.
  public enum Scale: Sendable, Equatable {
    /// Volts per m/s2, where a converter measures the sensor's voltage.
    case sensitivity(Double)
    /// True acceleration for each m/s2 that the device itself tells.
    case factor(Double)
  }

  /// A value and its standard uncertainty, in one unit.
  public struct Measured: Sendable, Equatable {
    /// The value.
    public let value: Double
    /// The standard uncertainty.
    public let uncertainty: Double

    /// Makes a value.
    public init(_ value: Double, uncertainty: Double) {
      self.value = value
      self.uncertainty = uncertainty
    }
  }

  /// The scale at one frequency against the scale as a whole.
  public struct Flatness: Sendable, Equatable {
    /// In hertz.
    public let frequency: Double
    /// What the sensor shows over what it would show with the scale of the file.
    public let ratio: Double
    /// The standard uncertainty of the ratio.
    public let uncertainty: Double

    /// Makes a point.
    public init(frequency: Double, ratio: Double, uncertainty: Double) {
      self.frequency = frequency
      self.ratio = ratio
      self.uncertainty = uncertainty
    }
  }

  /// What was found of one axis.
  public struct Axis: Sendable, Equatable {
    /// `x`, `y` or `z`, or the channel's name where the rig file gives it no axis.
    public let name: String
    /// The capture channel that it was measured on.
    public let channel: String
    /// The scale.
    public let scale: Scale
    /// The relative standard uncertainty of the scale.
    public let uncertainty: Double
    /// The scale that the rig file had while it was measured.
    public var previous: Scale?
    /// What the axis shows without any acceleration, in true m/s2.
    public var offset: Measured?
    /// The standard deviation of the axis at rest, in true m/s2.
    public var noise: Double?
    /// How much later than the reference sensor the axis tells of a motion, in seconds.
    public var delay: Measured?
    /// The scale over frequency.
    public var flatness: [Flatness] = []

    /// Makes an axis of what every method finds.
    public init(name: String, channel: String, scale: Scale, uncertainty: Double) {
      self.name = name
      self.channel = channel
      self.scale = scale
      self.uncertainty = uncertainty
    }
  }

  /// What a flip takes for granted.
  public struct Assumptions: Sendable, Equatable {
    /// Local gravity in m/s2.
    public let gravity: Double
    /// The relative standard uncertainty of gravity.
    public let gravityUncertainty: Double
    /// How far an axis may have lain from the vertical, as a standard deviation in degrees.
    public let tilt: Double

    /// Makes assumptions.
    public init(gravity: Double, gravityUncertainty: Double, tilt: Double) {
      self.gravity = gravity
      self.gravityUncertainty = gravityUncertainty
      self.tilt = tilt
    }
  }

  /// The sensor that a comparison trusts.
  public struct Reference: Sendable, Equatable {
    /// The capture channel.
    public let channel: String
    /// The relative standard uncertainty of its certificate.
    public let uncertainty: Double
    /// The date of its certificate, as written.
    public let date: String?

    /// Makes a reference.
    public init(channel: String, uncertainty: Double, date: String?) {
      self.channel = channel
      self.uncertainty = uncertainty
      self.date = date
    }
  }

  /// The sensor's name.
  public let sensor: String
  /// The day of the measurement.
  public let date: String
  /// How it was measured.
  public let method: Method
  /// The program that measured.
  public let program: String
  /// The name of the rig that it was measured on.
  public let rig: String
  /// What was found, an entry for each axis.
  public let axes: [Axis]
  /// What a flip took for granted.
  public var assumed: Assumptions?
  /// What a comparison was made with.
  public var reference: Reference?

  /// Makes the account of a measurement; names of axes are unique.
  public init(
    sensor: String, date: String, method: Method, program: String, rig: String, axes: [Axis]
  ) {
    self.sensor = sensor
    self.date = date
    self.method = method
    self.program = program
    self.rig = rig
    self.axes = axes
  }

  /// What stands behind `format` in the file.
  static let format = "haprig-sensor"
  /// The version that is written and read.
  static let version = 1
}
