// SPDX-License-Identifier: Apache-2.0

import Actuators
public import Devices
public import Foundation
import HapticRendering
public import Profiles
import RigFiles
import Units

/// What an engine plays on: the rig, its clock, and where its starts are recorded.
///
/// Not a part of Apple's API: app code does not name it. Without one an engine takes `environment`.
public struct EngineBench: Sendable {
  /// What moves an engine's time.
  public enum Clock: Sendable, Hashable {
    /// The host's clock, or that of the rig's devices.
    case host
    /// Nothing but `CHHapticEngine.advance(by:)`, to the sample.
    case stepped
  }

  /// The rig.
  public var rig: RigDescription
  /// What moves the time.
  public var clock: Clock
  /// The folder that each start is recorded in; `nil` records nothing.
  public var records: String?
  /// The actuator's calibration; `nil` drives it uncalibrated.
  public var profile: CalibrationProfile?
  /// How long an engine with `isAutoShutdownEnabled` stays idle before it stops, in seconds; Apple
  /// publishes no number.
  public var idleTimeout = 30.0
  /// How long at least a player plays that was started before its engine was stopped, in seconds; Apple
  /// publishes no number.
  ///
  /// Apple's article about a single tap stops the engine right after it has started the player, and the tap is
  /// felt: this is time for one.
  public var shortestPlay = 0.03
  /// The longest recording of one start, in seconds.
  public var longestRecord = 900.0
  /// How many players an engine can have that are not over.
  public var playerLimit = 256

  /// Makes a bench.
  public init(
    rig: RigDescription = .standard, clock: Clock = .host, records: String? = nil,
    profile: CalibrationProfile? = nil
  ) {
    self.rig = rig
    self.clock = clock
    self.records = records
    self.profile = profile
  }

  /// The bench that the environment names.
  ///
  /// `HAPRIG_RIG` is the rig file; without it the rig is the standard simulated one. `HAPRIG_PROFILE` is a
  /// profile of its first actuator. `HAPRIG_OBSERVE` is the folder of records; without it a named rig records in
  /// `reports`, and the standard one nothing.
  ///
  /// - Throws: `notSupported` where the rig or the profile cannot be read, or the profile may not drive the
  ///   rig's actuator: there is nothing to play on.
  public static func environment(
    _ variables: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CHHapticError) -> EngineBench {
    var bench = EngineBench()
    if let file = variables["HAPRIG_RIG"], !file.isEmpty {
      bench.rig = try rig(file)
      bench.records = "reports"
    }
    if let folder = variables["HAPRIG_OBSERVE"], !folder.isEmpty { bench.records = folder }
    if let file = variables["HAPRIG_PROFILE"], !file.isEmpty {
      bench.profile = try profile(file, for: bench.rig)
    }
    return bench
  }

  private static func rig(_ file: String) throws(CHHapticError) -> RigDescription {
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
    do {
      return try RigDescription(yaml: try bytes(of: file), file: file) { name in
        try bytes(of: folder.appendingPathComponent(name).path)
      }
    } catch {
      throw CHHapticError(.notSupported, "HAPRIG_RIG \(file): \(sentence(of: error))")
    }
  }

  private static func profile(
    _ file: String, for rig: RigDescription
  ) throws(CHHapticError) -> CalibrationProfile {
    do {
      let profile = try CalibrationProfile(parsing: try bytes(of: file))
      try profile.check(
        for: rig.actuators[0], conditions: ProfileConditions(axis: rig.capture.axes))
      return profile
    } catch {
      throw CHHapticError(.notSupported, "HAPRIG_PROFILE \(file): \(sentence(of: error))")
    }
  }

  private static func bytes(of file: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: file)))
  }
}

extension RigDescription {
  /// The simulated rig of an engine that was given none: a coin LRA, sound and a reference wire.
  public static var standard: RigDescription {
    let coin = PlantParameters.linear(
      PlantParameters.LinearMotor(
        resonance: 170, quality: 9, resistance: 13.8, movingMass: 1.2e-3, travel: 0.75e-3,
        forceFactor: 0.445))
    return RigDescription(
      name: "simulated-standard",
      drive: DriveDescription(
        device: .simulated(SimulationDescription(plant: coin)), rate: .standard,
        channels: [.haptic: 1, .audioLeft: 2, .audioRight: 3, .reference: 4], fullScaleVolts: 3.6),
      capture: CaptureDescription(
        kind: .simulated,
        channels: [
          CaptureChannelDescription(
            name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1,
            fullScaleVolts: 0.6,
            sensor: SensorCertificate(sensitivity: 0.0102 / 9.80665, bandwidth: 10_000), axis: "z"),
          CaptureChannelDescription(
            name: "reference", role: .reference, unit: .volt, input: 2, fullScaleVolts: 5),
        ]),
      actuators: [
        Actuator(
          id: "simulated", model: "coinZ-170",
          limits: DriveLimits(continuousVolts: 2.5, peakVolts: 3.6), mass: 0.1)
      ])
  }
}

extension RenderConfiguration {
  /// The standard laws for the first actuator of a rig.
  init(rig: RigDescription, limits: DriveLimits, profile: CalibrationProfile?) {
    self.init()
    rate = rig.drive.rate
    let isTone = rig.actuators[0].kind != .erm
    waveform = isTone ? .tone : .level
    fullScale =
      limits.safeFullScale(fullScaleVolts: rig.drive.fullScaleVolts, isTone: isTone)
      / rig.drive.fullScaleVolts
    guard let profile else { return }
    sharpnessLaw = profile.laws.sharpness
    intensityLaw = profile.laws.intensity
    self.profile = ProfileRendering(
      profile: profile, fullScaleVolts: rig.drive.fullScaleVolts, rate: rig.drive.rate,
      transientLength: transientShape.length)
  }
}
