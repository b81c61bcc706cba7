// SPDX-License-Identifier: Apache-2.0

import Actuators
import Bench
import Calibration
import Devices
import LiveRuns
import Profiles
package import RigFiles
import SignalAnalysis
import Units

package struct ComparisonWorkflow: Sendable {
  private let choice: ActuatorChoice
  private let channel: SensorChannel
  private let reference: SensorChannel
  private let referenceUncertainty: Double
  package let sensor: String
  private let user: RigOperator

  /// Without a name it is the only channel beside the reference.
  package init(
    _ choice: ActuatorChoice, channel name: String?, reference: String, sensor: String?,
    by user: RigOperator
  ) throws {
    let all = SensorChannel.accelerometers(choice.rig)
    let known = try SensorChannel.find(reference, in: all, file: choice.path)
    let others = all.filter { $0.place != known.place }
    if let name {
      channel = try SensorChannel.find(name, in: others, file: choice.path)
    } else if others.count == 1 {
      channel = others[0]
    } else {
      throw InputError(
        "\(choice.path): beside the reference the rig has \(others.count) acceleration channels: "
          + (others.isEmpty
            ? "add the one that is to be calibrated"
            : "name one with --channel, of "
              + others.map(\.description.name).joined(separator: ", ")))
    }
    guard let uncertainty = known.description.sensor?.relativeUncertainty else {
      throw InputError(
        "\(choice.path): the reference '\(known.description.name)' has no uncertainty: write 'uncertainty: 1 %' "
          + "from its certificate, or name its sensor file")
    }
    self.choice = choice
    self.reference = known
    referenceUncertainty = uncertainty
    self.sensor = sensor ?? choice.rig.name + "-" + channel.description.name
    self.user = user
  }

  /// The frequencies that are compared, in hertz.
  private static let band = 20.0...1_000
  /// How often the actuator is driven before lost frames are a fault.
  private static let tries = 3

  package func measure() async throws -> SensorFile {
    guard choice.actuator.kind != .erm else {
      throw InputError(
        "\(choice.path): the actuator '\(choice.actuator.id)' is a motor, which follows no sweep: "
          + "name one of another kind with --actuator")
    }
    user.tell(
      .work(
        LiveEvent.Work(
          rig: choice.rig.name, title: "sensor \(sensor)", actuators: [choice.actuator.id])))
    let session = try SensorSession(choice.rig, file: choice.path, by: user)
    let recording = try await shake(session)
    try session.finish()
    let (seen, known) = (samples(channel, recording), samples(reference, recording))
    let rate = choice.rig.drive.rate
    let result = try InputError.naming(choice.path + ": ") {
      try SensorComparison.evaluate(
        sensor: seen, reference: known, rate: rate, referenceUncertainty: referenceUncertainty,
        band: Self.band.lowerBound...min(Self.band.upperBound, 0.4 * rate.hertz))
    }
    try SensorChannel.checkUnits(result.factor, axis: channel.axis, file: choice.path)
    try checkDirection(seen, known)
    return sensorFile(of: result)
  }

  private func shake(_ session: SensorSession) async throws -> Recording {
    let frames = drive
    for _ in 0..<Self.tries {
      let recording = try await session.record(frames, as: "comparing \(channel.description.name),")
      let lost = recording.lostFrames
      guard lost > 0 else { return recording }
      user.notice(.again, "again: \(lost) frames were lost")
    }
    throw WorkflowError.fault(
      "\(choice.rig.name): frames were lost in each of \(Self.tries) recordings: raise the "
        + "drive's 'period' in the rig file, or close other programs")
  }

  /// Two sweeps up and two down, at half of what the actuator bears without end, or what its slope limit
  /// allows at the highest frequency.
  private var drive: DriveFrames {
    let (rig, rate) = (choice.rig, choice.rig.drive.rate)
    let limits = choice.actuator.limits
    let fullScale = rig.drive.fullScaleVolts
    let steepest = 2 * Double.pi * Self.band.upperBound * SynchronizedSweep.upperGuard
    let volts = min(
      0.5 * limits.safeFullScale(fullScaleVolts: fullScale, isTone: true),
      (limits.slope ?? .infinity) / steepest)
    let pause = [Float](repeating: 0, count: rate.wholeFrames(0.2))
    var haptic = pause
    for direction in [SynchronizedSweep.Direction.up, .down, .up, .down] {
      let sweep = SynchronizedSweep(
        band: Self.band, duration: 3, amplitude: volts / fullScale, direction: direction)
      haptic += sweep.samples(at: rate).map { Float($0) } + pause
    }
    var limiter = DriveLimiter(limits: limits, fullScaleVolts: fullScale, rate: rate.hertz)
    limiter.process(&haptic)
    return DriveFrames(channels: [.haptic: haptic], count: haptic.count, rate: rate)
  }

  /// A channel's samples, gravity taken off.
  private func samples(_ channel: SensorChannel, _ recording: Recording) -> [Float] {
    let samples = recording.channels[channel.place].samples
    let mean = samples.reduce(0) { $0 + Double($1) } / Double(max(1, samples.count))
    return samples.map { $0 - Float(mean) }
  }

  /// Refuses a sensor that moves against the reference: no scale can mend that.
  private func checkDirection(_ seen: [Float], _ known: [Float]) throws {
    var (cross, own, other) = (0.0, 0.0, 0.0)
    for (a, b) in zip(seen, known) {
      cross += Double(a) * Double(b)
      own += Double(a) * Double(a)
      other += Double(b) * Double(b)
    }
    guard cross > -0.5 * (own * other).squareRoot() else {
      throw InputError(
        "\(choice.path): the channel '\(channel.description.name)' moves against "
          + "'\(reference.description.name)': one of the two is upside down; turn it over")
    }
  }

  private func sensorFile(of result: SensorComparison.Result) -> SensorFile {
    var axis = SensorFile.Axis(
      name: channel.axis, channel: channel.description.name,
      scale: channel.scale(corrected: result.factor),
      uncertainty: result.factorUncertainty / result.factor)
    axis.previous = channel.present
    axis.delay = .init(result.delay, uncertainty: result.delayUncertainty)
    axis.flatness = result.flatness.map {
      .init(
        frequency: $0.frequency, ratio: $0.ratio * result.factor,
        uncertainty: $0.uncertainty * result.factor)
    }
    var file = SensorFile(
      sensor: sensor, date: Host.time("%Y-%m-%d"), method: .comparison,
      program: user.software, rig: choice.rig.name, axes: [axis])
    file.reference = .init(
      channel: reference.description.name, uncertainty: referenceUncertainty,
      date: reference.description.sensor?.date)
    return file
  }
}

struct SensorSession {
  private let open: OpenSession
  private let user: RigOperator

  /// Opens a rig; one that only plays or only reads files has no sensors to calibrate.
  init(_ rig: RigDescription, file: String, by user: RigOperator) throws {
    if case .file = rig.drive.device {
      throw InputError(
        "\(file): the rig is not on line: a sensor is calibrated on a rig that records")
    }
    self.user = user
    open = try OpenSession(
      rig, without: "\(file): a sensor is calibrated on a rig that records", by: user)
  }

  /// Plays and records; an interruption ends it with its own exit code.
  func record(_ frames: DriveFrames, as title: String) async throws -> Recording {
    defer { user.tell(.idle) }
    try user.checkSensor()
    let recording = await open.session.play(frames) { [user] in user.tell(.step(title, share: $0)) }
    if let fault = recording.fault, fault.code != .interrupted { throw fault }
    try user.checkSensor()
    return recording
  }

  func finish() throws { try open.finish() }
}

extension RigOperator {
  package func checkSensor() throws(WorkflowError) {
    try check(": the drive is at zero, no sensor file was written")
  }
}

struct SensorChannel: Sendable {
  let place: Int
  let description: CaptureChannelDescription

  /// The axis, or the channel's name where the rig file gives it none; what a sensor file goes by.
  var axis: String { description.axisName }

  /// Whether the device itself delivers m/s2, so that there is no voltage to know.
  var isInUnits: Bool {
    description.productString == .sensitivity
      || (description.fullScaleVolts == nil && description.productString == nil)
  }

  var present: SensorFile.Scale { scale(corrected: 1) }

  /// The scale after a correction: true acceleration over what was shown.
  func scale(corrected factor: Double) -> SensorFile.Scale {
    let shown = (description.sensor?.sensitivity ?? 1) / factor
    return isInUnits ? .factor(1 / shown) : .sensitivity(shown)
  }

  static func chosen(
    of rig: RigDescription, names: [String], file: String
  ) throws -> [SensorChannel] {
    let all = accelerometers(rig)
    let channels = try names.isEmpty ? all : names.map { try find($0, in: all, file: file) }
    for (index, channel) in channels.enumerated() {
      guard let other = channels[..<index].first(where: { $0.axis == channel.axis }) else {
        continue
      }
      throw InputError(
        "\(file): the channels '\(other.description.name)' and '\(channel.description.name)' both "
          + "feel axis \(channel.axis): name those of one sensor with --channel")
    }
    return channels
  }

  static func accelerometers(_ rig: RigDescription) -> [SensorChannel] {
    rig.capture.channels.enumerated().compactMap {
      $1.role == .acceleration ? SensorChannel(place: $0, description: $1) : nil
    }
  }

  static func find(_ name: String, in all: [SensorChannel], file: String) throws -> SensorChannel {
    guard let found = all.first(where: { $0.description.name == name }) else {
      throw InputError(
        "\(file): the rig has no acceleration channel '\(name)': it has "
          + all.map(\.description.name).joined(separator: ", "))
    }
    return found
  }

  /// Refuses a scale that is wrong by a unit: it must be mended, not calibrated away.
  static func checkUnits(_ factor: Double, axis: String, file: String) throws {
    let standard = 9.80665
    func isNear(_ expected: Double) -> Bool { abs(factor / expected - 1) < 0.05 }
    let remedy: String
    if isNear(standard) {
      remedy =
        "g are taken for m/s2, so the sensor shows 1 where 9.807 is true: write 'unit: g', or a "
        + "sensitivity in mV/g"
    } else if isNear(1 / standard) {
      remedy =
        "m/s2 are taken for g, so the sensor shows 96 where 9.807 is true: write 'unit: m/s2', "
        + "or a sensitivity in V/(m/s2)"
    } else {
      return
    }
    throw InputError("\(file): axis \(axis): the units are mixed up: \(remedy)")
  }
}
