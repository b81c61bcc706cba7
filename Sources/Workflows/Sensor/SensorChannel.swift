import Bench
import Devices
import RigFiles

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
  func record(
    _ frames: DriveFrames, as title: String
  ) async throws -> Recording {
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

  /// Picks channels by name; all accelerometers where no name is given.
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
