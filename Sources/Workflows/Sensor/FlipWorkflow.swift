import Bench
import Calibration
import Devices
public import RigFiles
import Units

/// A sensor calibrated by gravity: laid with each end of each axis up.
public struct FlipWorkflow: Sendable {
  private let file: String
  private let rig: RigDescription
  private let channels: SensorChannels
  /// The sensor's name.
  public let sensor: String
  /// Local gravity in m/s2; standard gravity, and what that leaves open, where it is not given.
  private let gravity: Double?
  private let user: RigOperator

  /// Makes a calibration that has not begun.
  ///
  /// - Parameters:
  ///   - rig: The rig file.
  ///   - names: The channels to calibrate; all accelerometers where none is named.
  ///   - sensor: The sensor's name; the rig's where it is `nil`.
  ///   - gravity: Local gravity in m/s2.
  ///   - user: Lays the sensor.
  /// - Throws: `InputError` where the rig has no such channels.
  public init(
    rig: RigFolder, channels names: [String], sensor: String?, gravity: Double?,
    by user: RigOperator
  ) throws {
    file = rig.file
    self.rig = try rig.read().rig
    channels = try SensorChannels(self.rig, names: names, file: file)
    self.sensor = sensor ?? ([self.rig.name] + names).joined(separator: "-")
    self.gravity = gravity
    self.user = user
  }

  /// Seconds of a position that count.
  private static let length = 2.0
  /// Seconds before them, in which filters and hands come to rest.
  private static let settling = 0.25
  /// How often a position is tried.
  private static let tries = 10
  /// The standard deviation of how far an axis lies from the vertical, in degrees.
  private static let tilt = 1.0

  /// The relative standard uncertainty of gravity.
  ///
  /// Local gravity lies within 0.3 % of the standard everywhere on earth; a value given for a place is
  /// taken as good to 0.05 %. Either is the half width of an even distribution.
  private var gravityUncertainty: Double { (gravity == nil ? 0.003 : 0.0005) / 3.0.squareRoot() }

  /// Asks for every position, records it, and computes the scale.
  public func measure() async throws -> SensorFile {
    let bench = try SensorBench(rig, file: file, by: user)
    let wanted = channels.channels.flatMap { channel in
      [true, false].map { GravityPosition(axis: channel.axis, isUp: $0) }
    }
    var found: [SensorFlip.Position] = []
    for (index, position) in wanted.enumerated() {
      let title = "[\(index + 1)/\(wanted.count)]"
      let readings = try await record(position, title, bench)
      let samples = readings.first { $0.axis == position.axis }?.samples ?? []
      found.append(.init(axis: position.axis, isUp: position.isUp, samples: samples))
      user.notice(.done, "\(title) \(position.name) up: recorded")
      if !position.isUp { try checkUnits(found.suffix(2), axis: position.axis) }
    }
    try bench.finish()
    let scales: [SensorFlip.AxisScale]
    let local = gravity ?? SensorFlip.standardGravity
    do {
      scales = try SensorFlip.evaluate(
        found, gravity: local, gravityUncertainty: gravityUncertainty * local, tilt: Self.tilt)
    } catch {
      throw InputError("\(file): \(error)")
    }
    return account(of: scales, gravity: local)
  }

  /// Asks for a position until it is recorded as it has to be.
  private func record(
    _ position: GravityPosition, _ title: String, _ bench: SensorBench
  ) async throws -> [GravityPosition.Reading] {
    for _ in 0..<Self.tries {
      let isLaid = user.ask(
        "\(title) lay the sensor with its \(position.name) axis up, then press Return")
      try user.checkSensor()
      guard isLaid else {
        throw InputError(
          "the input ended before the position \(position.name) up was recorded \(title): no sensor "
            + "file was written; each position waits for a line")
      }
      let (readings, lost) = try await listen(bench, title: title)
      let objection =
        lost > 0
        ? "\(lost) frames were lost" : position.objection(to: readings, rate: rig.drive.rate)
      guard let objection else { return readings }
      user.notice(.again, "\(title) again: \(objection)")
    }
    throw InputError(
      "\(file): the position \(position.name) up was not found in \(Self.tries) tries: no sensor file "
        + "was written")
  }

  /// Records all axes while nothing is driven.
  private func listen(
    _ bench: SensorBench, title: String
  ) async throws -> (readings: [GravityPosition.Reading], lost: Int) {
    let rate = rig.drive.rate
    let first = rate.wholeFrames(Self.settling)
    let count = first + rate.wholeFrames(Self.length)
    let recording = try await bench.record(
      DriveFrames(channels: [DriveRole: Samples](), count: count, rate: rate),
      as: "\(title) listening,")
    let readings = channels.channels.map { channel in
      GravityPosition.Reading(
        axis: channel.axis,
        samples: Array(recording.channels[channel.place].samples.dropFirst(first)))
    }
    return (readings, recording.lostFrames)
  }

  private func checkUnits(_ pair: ArraySlice<SensorFlip.Position>, axis: String) throws {
    let means = pair.map { GravityPosition.Reading(axis: axis, samples: $0.samples).mean }
    guard let up = means.first, let down = means.last, up > down else { return }
    try SensorChannels.checkUnits(
      2 * SensorFlip.standardGravity / (up - down), axis: axis, file: file)
  }

  private func account(of scales: [SensorFlip.AxisScale], gravity: Double) -> SensorFile {
    let axes = zip(channels.channels, scales).map { channel, scale in
      var axis = SensorFile.Axis(
        name: channel.axis, channel: channel.description.name,
        scale: channel.scale(corrected: scale.factor),
        uncertainty: scale.factorUncertainty / scale.factor)
      axis.previous = channel.present
      axis.offset = .init(
        scale.offset * scale.factor, uncertainty: scale.offsetUncertainty * scale.factor)
      axis.noise = scale.noise * scale.factor
      return axis
    }
    var account = SensorFile(
      sensor: sensor, date: Host.time("%Y-%m-%d"), method: .flip,
      program: user.software, rig: rig.name, axes: axes)
    account.assumed = .init(
      gravity: gravity, gravityUncertainty: gravityUncertainty, tilt: Self.tilt)
    return account
  }
}
