// SPDX-License-Identifier: Apache-2.0

import Actuators
import Bench
import Devices
import ScratchFolder
import SeededRandom
import SoundFiles
import Units

/// Rigs, patterns and sounds that tests are made of.
enum Rigs {
  static let limits = DriveLimits(continuousVolts: 2, peakVolts: 3)

  /// A rig of nothing but its description: 4 V full scale, one accelerometer, sound, a reference.
  static func described(
    drive: [DriveRole: Int] = [.haptic: 1, .audio: 2, .reference: 3],
    capture: [CaptureRole] = [.acceleration, .audio, .reference],
    kind: ActuatorKind = .lra, limits: DriveLimits = Self.limits, rate: SampleRate = .standard,
    device: DeviceSelection = .file(FileDescription()), periodFrames: Int = 256
  ) -> RigDescription {
    RigDescription(
      name: "bench",
      drive: DriveDescription(
        device: device, rate: rate, channels: drive, fullScaleVolts: 4,
        periodFrames: periodFrames),
      capture: CaptureDescription(
        kind: device.kind, channels: capture.enumerated().map { Self.channel($1, input: $0 + 1) }),
      actuators: [
        Actuator(id: "one", model: "any", kind: kind, limits: limits)
      ])
  }

  private static func channel(_ role: CaptureRole, input: Int) -> CaptureChannelDescription {
    CaptureChannelDescription(
      name: role.rawValue, role: role,
      unit: role == .acceleration ? .metrePerSecondSquared : .volt, input: input,
      axis: role == .acceleration ? "z" : nil)
  }

  /// A pattern as a run loads it, from AHAP text and, by path, noise bursts of 100 ms as sounds.
  static func pattern(
    _ events: [String], name: String = "pattern", sounds: [String] = [], stereo: Bool = false,
    rate: SampleRate = .standard
  ) throws -> LoadedPattern {
    let scratch = try ScratchFolder()
    let path = try scratch.write(AHAPText.pattern(events), to: "\(name).ahap")
    for (place, sound) in sounds.enumerated() {
      var random = SeededRandom(seed: 0xa0d10 + UInt64(place))
      let signals = (0..<(stereo ? 2 : 1)).map { _ in
        Signal(
          samples: (0..<4800).map { _ in Float(random.uniform(-0.5...0.5)) }, rate: .standard,
          unit: .one)
      }
      try SoundFile.write(path: scratch.path + "/" + sound, signals: signals)
    }
    return try PatternLoader(rate: rate).load(.at(path))
  }
}

extension PatternSet.Entry {
  /// An entry by its path alone.
  static func at(_ path: String) throws -> PatternSet.Entry {
    guard let entry = try PatternSet.expand([path]).first else {
      throw ScratchFolder.Failure(number: 2)
    }
    return entry
  }
}
