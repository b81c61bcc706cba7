// SPDX-License-Identifier: Apache-2.0

import Bench
import Calibration
import Devices
import LiveRuns
package import RigFiles
import SignalAnalysis
import Units

package struct FlipWorkflow: Sendable {
  private let file: String
  private let rig: RigDescription
  private let channels: [SensorChannel]
  package let sensor: String
  /// Local gravity in m/s2; standard gravity, and what that leaves open, where it is not given.
  private let gravity: Double?
  private let user: RigOperator

  package init(
    rig: RigFolder, channels names: [String], sensor: String?, gravity: Double?,
    by user: RigOperator
  ) throws {
    file = rig.file
    self.rig = try rig.read().rig
    channels = try SensorChannel.chosen(of: self.rig, names: names, file: file)
    self.sensor = sensor ?? ([self.rig.name] + names).joined(separator: "-")
    self.gravity = gravity
    self.user = user
  }

  /// Seconds of a position that count.
  private static let length = 2.0
  /// Seconds before them, in which filters and hands come to rest.
  private static let settling = 0.25
  private static let tries = 10
  /// The standard deviation of how far an axis lies from the vertical, in degrees.
  private static let tilt = 1.0

  /// The relative standard uncertainty of gravity.
  ///
  /// Local gravity lies within 0.3 % of the standard everywhere on earth; a value given for a place is
  /// taken as good to 0.05 %. Either is the half width of an even distribution.
  private var gravityUncertainty: Double { (gravity == nil ? 0.003 : 0.0005) / 3.0.squareRoot() }

  package func measure() async throws -> SensorFile {
    user.tell(.work(LiveEvent.Work(rig: rig.name, title: "sensor \(sensor)")))
    let session = try SensorSession(rig, file: file, by: user)
    let wanted = channels.flatMap { channel in
      [true, false].map { GravityPosition(axis: channel.axis, isUp: $0) }
    }
    var found: [SensorFlip.Position] = []
    for (index, position) in wanted.enumerated() {
      let title = "[\(index + 1)/\(wanted.count)]"
      let readings = try await record(position, title, session)
      let samples = readings.first { $0.axis == position.axis }?.samples ?? []
      found.append(.init(axis: position.axis, isUp: position.isUp, samples: samples))
      user.notice(.done, "\(title) \(position.name) up: recorded")
      if !position.isUp { try checkUnits(found.suffix(2), axis: position.axis) }
    }
    try session.finish()
    let local = gravity ?? SensorFlip.standardGravity
    let scales = try InputError.naming(file + ": ") {
      try SensorFlip.evaluate(
        found, gravity: local, gravityUncertainty: gravityUncertainty * local, tilt: Self.tilt)
    }
    return sensorFile(of: scales, gravity: local)
  }

  private func record(
    _ position: GravityPosition, _ title: String, _ session: SensorSession
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
      let (readings, lost) = try await listen(session, title: title)
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

  private func listen(
    _ session: SensorSession, title: String
  ) async throws -> (readings: [GravityPosition.Reading], lost: Int) {
    let rate = rig.drive.rate
    let first = rate.wholeFrames(Self.settling)
    let count = first + rate.wholeFrames(Self.length)
    let recording = try await session.record(
      DriveFrames(channels: [DriveRole: Samples](), count: count, rate: rate),
      as: "\(title) listening,")
    let readings = channels.map { channel in
      GravityPosition.Reading(
        axis: channel.axis,
        samples: Array(recording.channels[channel.place].samples.dropFirst(first)))
    }
    return (readings, recording.lostFrames)
  }

  private func checkUnits(_ pair: ArraySlice<SensorFlip.Position>, axis: String) throws {
    let means = pair.map { GravityPosition.Reading(axis: axis, samples: $0.samples).mean }
    guard let up = means.first, let down = means.last, up > down else { return }
    try SensorChannel.checkUnits(
      2 * SensorFlip.standardGravity / (up - down), axis: axis, file: file)
  }

  private func sensorFile(of scales: [SensorFlip.AxisScale], gravity: Double) -> SensorFile {
    let axes = zip(channels, scales).map { channel, scale in
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
    var file = SensorFile(
      sensor: sensor, date: Host.time("%Y-%m-%d"), method: .flip,
      program: user.software, rig: rig.name, axes: axes)
    file.assumed = .init(
      gravity: gravity, gravityUncertainty: gravityUncertainty, tilt: Self.tilt)
    return file
  }
}

struct GravityPosition {
  let axis: String
  let isUp: Bool

  /// `+x` where the axis points up.
  var name: String { (isUp ? "+" : "-") + axis }

  struct Reading {
    let axis: String
    /// m/s2 as the present scale shows them.
    let samples: [Float]
    let mean: Double

    init(axis: String, samples: [Float]) {
      self.axis = axis
      self.samples = samples
      mean = samples.reduce(0) { $0 + Double($1) } / Double(max(1, samples.count))
    }

    fileprivate var sight: String {
      "\(mean < 0 ? "-" : "+")\(axis) (\(EngineeringFormat.fixed(mean, 2)) m/s2)"
    }
  }

  func objection(to readings: [Reading], rate: SampleRate) -> String? {
    for reading in readings {
      guard reading.samples.allSatisfy(\.isFinite) else {
        return "axis \(reading.axis) delivers values that are no numbers: check the sensor"
      }
      guard let first = reading.samples.first, reading.samples.contains(where: { $0 != first })
      else {
        return "axis \(reading.axis) does not change at all, not even by noise: check the sensor's "
          + "supply and cable"
      }
      if let unrest = Self.unrest(reading, rate: rate) { return unrest }
    }
    guard let seen = readings.max(by: { abs($0.mean) < abs($1.mean) }) else { return nil }
    guard abs(seen.mean) > Self.faintest else {
      let shown = readings.map { "\($0.axis) \(EngineeringFormat.fixed($0.mean, 2))" }
      return
        "no axis sees gravity (\(shown.joined(separator: ", ")) m/s2): turn the sensor; a converter "
        + "that blocks direct current never sees it, then use 'haprig sensor --reference'"
    }
    guard seen.axis == axis else {
      return "the sensor saw gravity along \(seen.sight), not along \(name): turn it, or mend the "
        + "axes of the channels in the rig file"
    }
    guard (seen.mean > 0) == isUp else {
      return "the sensor lies upside down: it saw gravity along \(seen.sight), not along \(name)"
    }
    let whole = readings.reduce(0) { $0 + $1.mean * $1.mean }.squareRoot()
    guard abs(seen.mean) > Self.leastShare * whole else {
      let others = readings.filter { $0.axis != axis }.map(\.sight)
      return "the sensor lies askew: beside \(seen.sight) it saw gravity along "
        + "\(others.joined(separator: " and "))"
    }
    return nil
  }

  /// What is less than this is no gravity, in m/s2: less than any offset and any mix-up of units.
  private static let faintest = 0.5
  /// The share that the axis must have of all: 18 degrees, offsets of the other axes included.
  private static let leastShare = 0.95
  /// How far the mean may wander at rest, in m/s2.
  private static let steadiness = 0.05

  /// Says how the sensor moved; a still one keeps its mean and its noise in stretches of 0.1 s.
  private static func unrest(_ reading: Reading, rate: SampleRate) -> String? {
    let length = rate.wholeFrames(0.1)
    let starts = stride(from: 0, through: reading.samples.count - length, by: length)
    var (means, spreads): ([Double], [Double]) = ([], [])
    for start in starts {
      let frames = start..<(start + length)
      let mean = frames.reduce(0) { $0 + Double(reading.samples[$1]) } / Double(length)
      let square = frames.reduce(0) { sum, frame in
        let difference = Double(reading.samples[frame]) - mean
        return sum + difference * difference
      }
      means.append(mean)
      spreads.append((square / Double(length)).squareRoot())
    }
    guard let low = means.min(), let high = means.max(), let loudest = spreads.max() else {
      return nil
    }
    let usual = Statistics.median(spreads)
    // Noise alone lets the means of stretches wander too.
    let allowed = steadiness + 10 * usual / Double(length).squareRoot()
    guard high - low < allowed, loudest < 3 * usual + steadiness else {
      let size = EngineeringFormat.significant(max(high - low, loudest - usual))
      return
        "the sensor was not still, axis \(reading.axis) moved by \(size) m/s2: lay it on a firm "
        + "table and let go"
    }
    return nil
  }
}
