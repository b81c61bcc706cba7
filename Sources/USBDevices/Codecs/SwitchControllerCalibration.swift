public import DeviceStreams

/// One reading of an accelerometer, and of a gyroscope beside it, in SI units.
public struct MotionSample: Sendable, Hashable {
  /// m/s2 along x, y, z.
  public var acceleration: [Double]
  /// rad/s around x, y, z; empty without a gyroscope.
  public var rotation: [Double] = []

  /// Standard gravity in m/s2.
  package static let gravity = 9.80665
}

/// The constants of a controller's inertial sensor.
public struct SwitchControllerCalibration: Sendable, Hashable {
  /// Raw accelerometer value of no acceleration, as stored; part of the scale, not taken off the samples.
  package var accelerationOrigin: [Int16]
  /// Raw accelerometer value that stands for 4 g.
  package var accelerationScale: [Int16]
  package var rotationOrigin: [Int16]
  /// Raw gyroscope value that stands for 936 deg/s.
  package var rotationScale: [Int16]

  /// The sensor's own scale at +-8 g and +-2000 deg/s.
  package static let nominal = SwitchControllerCalibration(
    accelerationOrigin: [0, 0, 0], accelerationScale: [16384, 16384, 16384],
    rotationOrigin: [0, 0, 0], rotationScale: [13371, 13371, 13371])
}

extension SwitchControllerCalibration {
  /// Reads the 24 bytes of the flash memory.
  ///
  /// - Throws: `length`, or `range` where the memory is erased or a scale is not above its origin.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "Switch calibration")
    guard bytes.count == SwitchControllerFacts.calibrationSize else {
      throw reader.error(.length, "\(bytes.count) bytes where a calibration has 24")
    }
    self.init(
      accelerationOrigin: try reader.i16s(3), accelerationScale: try reader.i16s(3),
      rotationOrigin: try reader.i16s(3), rotationScale: try reader.i16s(3))
    for axis in 0..<3 {
      guard Int(accelerationScale[axis]) - Int(accelerationOrigin[axis]) > 1000,
        Int(rotationScale[axis]) - Int(rotationOrigin[axis]) > 1000
      else {
        throw CodecError(
          .range, packet: "Switch calibration", offset: axis * 2,
          problem: "axis \(axis) has no scale: the memory is erased; use the nominal one")
      }
    }
  }

  /// A sample in SI units.
  ///
  /// Acceleration: raw * 4 g / (scale - origin); rotation: (raw - origin) * 936 deg/s / (scale - origin)
  /// (imu_sensor_notes).
  public func sample(_ raw: [Int16], isRight: Bool = false) -> MotionSample {
    precondition(raw.count == 6, "a sample has 6 numbers, not \(raw.count)")
    var sample = MotionSample(acceleration: [], rotation: [])
    for axis in 0..<3 {
      let sign = isRight && axis > 0 ? -1.0 : 1.0
      let accelerationSpan = Double(Int(accelerationScale[axis]) - Int(accelerationOrigin[axis]))
      sample.acceleration.append(
        sign * Double(raw[axis]) * 4 * MotionSample.gravity / accelerationSpan)
      let rotationSpan = Double(Int(rotationScale[axis]) - Int(rotationOrigin[axis]))
      let counts = Double(Int(raw[axis + 3]) - Int(rotationOrigin[axis]))
      sample.rotation.append(sign * counts * 936 / rotationSpan * .pi / 180)
    }
    return sample
  }
}
