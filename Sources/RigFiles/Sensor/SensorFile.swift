// SPDX-License-Identifier: Apache-2.0

/// What the calibration of a sensor found, as a file keeps it and rig files name it.
package struct SensorFile: Sendable, Equatable {
  package enum Method: String, Sendable, Hashable, CaseIterable {
    /// By gravity, each axis up and down.
    case flip
    /// By a reference sensor that felt the same motion.
    case comparison
  }

  /// How what a channel delivers becomes acceleration.
  package enum Scale: Sendable, Equatable {
    /// Volts per m/s2, where a converter measures the sensor's voltage.
    case sensitivity(Double)
    /// True acceleration for each m/s2 that the device itself tells.
    case factor(Double)
  }

  package struct Measured: Sendable, Equatable {
    package let value: Double
    package let uncertainty: Double

    package init(_ value: Double, uncertainty: Double) {
      self.value = value
      self.uncertainty = uncertainty
    }
  }

  /// The scale at one frequency against the scale as a whole.
  package struct Flatness: Sendable, Equatable {
    /// In hertz.
    package let frequency: Double
    /// What the sensor shows over what it would show with the scale of the file.
    package let ratio: Double
    /// The standard uncertainty of the ratio.
    package let uncertainty: Double

    package init(frequency: Double, ratio: Double, uncertainty: Double) {
      self.frequency = frequency
      self.ratio = ratio
      self.uncertainty = uncertainty
    }
  }

  /// What was found of one axis.
  package struct Axis: Sendable, Equatable {
    /// `x`, `y` or `z`, or the channel's name where the rig file gives it no axis.
    package let name: String
    /// The capture channel that it was measured on.
    package let channel: String
    package let scale: Scale
    /// The relative standard uncertainty of the scale.
    package let uncertainty: Double
    /// The scale that the rig file had while it was measured.
    package var previous: Scale?
    /// What the axis shows without any acceleration, in true m/s2.
    package var offset: Measured?
    /// The standard deviation of the axis at rest, in true m/s2.
    package var noise: Double?
    /// How much later than the reference sensor the axis tells of a motion, in seconds.
    package var delay: Measured?
    package var flatness: [Flatness] = []

    package init(name: String, channel: String, scale: Scale, uncertainty: Double) {
      self.name = name
      self.channel = channel
      self.scale = scale
      self.uncertainty = uncertainty
    }
  }

  /// What a flip takes for granted.
  package struct Assumptions: Sendable, Equatable {
    /// Local gravity in m/s2.
    package let gravity: Double
    /// The relative standard uncertainty of gravity.
    package let gravityUncertainty: Double
    /// How far an axis may have lain from the vertical, as a standard deviation in degrees.
    package let tilt: Double

    package init(gravity: Double, gravityUncertainty: Double, tilt: Double) {
      self.gravity = gravity
      self.gravityUncertainty = gravityUncertainty
      self.tilt = tilt
    }
  }

  /// The sensor that a comparison trusts.
  package struct Reference: Sendable, Equatable {
    package let channel: String
    /// The relative standard uncertainty of its certificate.
    package let uncertainty: Double
    /// The date of its certificate, as written.
    package let date: String?

    package init(channel: String, uncertainty: Double, date: String?) {
      self.channel = channel
      self.uncertainty = uncertainty
      self.date = date
    }
  }

  package let sensor: String
  package let date: String
  package let method: Method
  package let program: String
  package let rig: String
  package let axes: [Axis]
  /// What a flip took for granted.
  package var assumed: Assumptions?
  /// What a comparison was made with.
  package var reference: Reference?

  package init(
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
