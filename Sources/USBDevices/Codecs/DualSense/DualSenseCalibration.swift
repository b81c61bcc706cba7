public import DeviceStreams

/// The constants of a DualSense's inertial sensor: feature report 0x05.
public struct DualSenseCalibration: Sendable, Hashable {
  /// Raw accelerometer values at +1 g, an axis each.
  public var plus: [Int16]
  /// Raw accelerometer values at -1 g.
  public var minus: [Int16]
  /// Raw gyroscope values at rest.
  public var rotationBias: [Int16]
  /// Raw gyroscope values at the reference speed, one way.
  public var rotationPlus: [Int16]
  /// Raw gyroscope values at the reference speed, the other way.
  public var rotationMinus: [Int16]
  /// The reference speeds in deg/s, both ways.
  public var speeds: [Int16]

  /// Reads the 41 bytes of the report.
  ///
  /// - Throws: `length`, `unknown`, or `range` where an axis has no span (such controllers exist: use the
  ///   nominal scale).
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "DualSense calibration")
    guard bytes.count == DualSenseFacts.calibrationSize else {
      throw reader.error(.length, "\(bytes.count) bytes where the report has 41")
    }
    guard try reader.u8() == DualSenseFacts.calibrationReport else {
      throw reader.error(.unknown, "report 0x\(String(bytes[0], radix: 16)) where 0x5 is wanted")
    }
    var values: [Int16] = []
    for _ in 0..<17 { values.append(try reader.i16()) }
    rotationBias = Array(values[0..<3])
    rotationPlus = [values[3], values[5], values[7]]
    rotationMinus = [values[4], values[6], values[8]]
    speeds = [values[9], values[10]]
    plus = [values[11], values[13], values[15]]
    minus = [values[12], values[14], values[16]]
    for axis in 0..<3 {
      guard Int(plus[axis]) > Int(minus[axis]), rotationSpan(axis) > 0 else {
        throw CodecError(
          .range, packet: "DualSense calibration", offset: 23 + 4 * axis,
          problem: "axis \(axis) has no span between +1 g and -1 g, or no rotation")
      }
    }
  }

  private func rotationSpan(_ axis: Int) -> Int {
    abs(Int(rotationPlus[axis]) - Int(rotationBias[axis]))
      + abs(Int(rotationMinus[axis]) - Int(rotationBias[axis]))
  }

  /// A report in SI units: half the span of +1 g and -1 g is a g, their mean is zero.
  public func sample(_ report: DualSenseReport) -> MotionSample {
    var sample = MotionSample(acceleration: [], rotation: [])
    for axis in 0..<3 {
      let span = Double(Int(plus[axis]) - Int(minus[axis]))
      let middle = Double(Int(plus[axis]) + Int(minus[axis])) / 2
      sample.acceleration.append(
        (Double(report.acceleration[axis]) - middle) * 2 / span * MotionSample.gravity)
      let speed = Double(Int(speeds[0]) + Int(speeds[1]))
      let counts = Double(Int(report.rotation[axis]) - Int(rotationBias[axis]))
      sample.rotation.append(counts * speed / Double(rotationSpan(axis)) * .pi / 180)
    }
    return sample
  }

  /// A report by the sensor's nominal scale: 8192 steps a g, 1024 steps a deg/s.
  public static func nominalSample(_ report: DualSenseReport) -> MotionSample {
    MotionSample(
      acceleration: report.acceleration.map {
        Double($0) / DualSenseFacts.accelerationResolution * MotionSample.gravity
      },
      rotation: report.rotation.map {
        Double($0) / DualSenseFacts.rotationResolution * .pi / 180
      })
  }
}
