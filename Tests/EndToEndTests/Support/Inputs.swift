// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Patterns of a few milliseconds.
enum Patterns {
  static let tap = transient(at: 0)

  /// One transient.
  static func transient(at time: Double, intensity: Double = 1) -> String {
    """
    {
      "Version": 1.0,
      "Pattern": [
        {"Event": {"Time": \(time), "EventType": "HapticTransient", "EventParameters": [
          {"ParameterID": "HapticIntensity", "ParameterValue": \(intensity)},
          {"ParameterID": "HapticSharpness", "ParameterValue": 0.4}
        ]}}
      ]
    }

    """
  }

  /// A tap every half second for so many seconds.
  static func taps(seconds: Int) -> String {
    let events = (0..<(2 * seconds)).map { number in
      """
      {"Event": {"Time": \(Double(number) / 2), "EventType": "HapticTransient", "EventParameters": [
        {"ParameterID": "HapticIntensity", "ParameterValue": \([0.5, 0.7, 1.0][number % 3])},
        {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}
      """
    }
    return "{\"Version\": 1.0, \"Pattern\": [\(events.joined(separator: ",\n"))]}\n"
  }

  /// Half a minute of an even vibration.
  static let hold = """
    {
      "Version": 1.0,
      "Pattern": [
        {"Event": {"Time": 0.0, "EventDuration": 30, "EventType": "HapticContinuous",
          "EventParameters": [
            {"ParameterID": "HapticIntensity", "ParameterValue": 0.8},
            {"ParameterID": "HapticSharpness", "ParameterValue": 0.4}]}}
      ]
    }

    """

  /// A transient and a tone at the same time.
  static let tapWithTone = """
    {
      "Version": 1.0,
      "Pattern": [
        {"Event": {"Time": 0.0, "EventType": "HapticTransient", "EventParameters": [
          {"ParameterID": "HapticIntensity", "ParameterValue": 1.0},
          {"ParameterID": "HapticSharpness", "ParameterValue": 0.4}
        ]}},
        {"Event": {"Time": 0.0, "EventDuration": 0.05, "EventType": "AudioContinuous",
          "EventParameters": [{"ParameterID": "AudioVolume", "ParameterValue": 1.0}]}}
      ]
    }

    """

  /// A pattern that plays one sound file.
  static func sound(_ path: String) -> String {
    """
    {
      "Version": 1.0,
      "Pattern": [
        {"Event": {"Time": 0.0, "EventType": "AudioCustom", "EventWaveformPath": "\(path)"}}
      ]
    }

    """
  }
}

/// Plans of one take without a probe, which halves its length.
enum Plans {
  static func quick(
    _ patterns: [String] = ["tap.ahap"], repeats: Int = 1, probe: Bool = false,
    limits: [String] = []
  ) -> String {
    let head = """
      name: quick
      patterns: [\(patterns.joined(separator: ", "))]
      repeats: \(repeats)
      probe: \(probe)

      """
    return head + "limits: [\(limits.joined(separator: ", "))]\n"
  }
}

extension Workbench {
  /// Writes the project's simulated LRA rig with some places changed.
  func simulatedRig(
    changing changes: [String: String] = [:], faults: String? = nil, to name: String = "rig.yaml"
  ) throws {
    var text = try String(contentsOfFile: Self.rigs + "/simulated-lra.yaml", encoding: .utf8)
    for (old, new) in changes {
      try #require(text.contains(old))
      text = text.replacing(old, with: new)
    }
    if let faults { text += "  faults: [\(faults)]\n" }
    try write(text, to: name)
  }

  /// Writes a rig whose devices are a program, started as `python3 PROGRAM ARGUMENT...`.
  func commandRig(
    _ program: String, _ arguments: String..., run: String? = nil, timeout: String = "30 s"
  ) throws {
    let words = (["python3", program] + arguments).map { "\"\($0)\"" }.joined(separator: ", ")
    try write(
      Self.outsideRig("command", "  run: \(run ?? "[\(words)]")\n  timeout: \(timeout)\n"),
      to: "rig.yaml")
  }

  /// Writes a rig that is not on line.
  func fileRig() throws { try write(Self.outsideRig("file", ""), to: "rig.yaml") }

  private static func outsideRig(_ device: String, _ more: String) -> String {
    """
    name: outside-plant
    drive:
      device: \(device)
    \(more)  rate: 48000
      channels: {haptic: 1, audio: 2, reference: 3}
      full-scale: 4.0 V
    capture:
      device: \(device)
      channels:
        z: {role: acceleration, unit: m/s2}
        audio: {role: audio, unit: V}
        reference: {role: reference, unit: V}
    actuator: {id: plant-1, model: outside, limits: {continuous: 2.0 Vrms, peak: 4.0 V}}

    """
  }
}

/// Sound files.
enum Sounds {
  /// A tone of 440 Hz that swells and fades: WAV, 16 bits, one channel at 48 kHz.
  static func tone(seconds: Double) -> Data {
    let count = Int(48_000 * seconds)
    return wav(
      (0..<count).map { frame in
        let share = Double(frame) / Double(count)
        return 16_000.0 / 32_768 * sin(.pi * share) * sin(2 * .pi * 440 * Double(frame) / 48_000)
      })
  }

  /// Samples, 1 for full scale, as a WAV file: 16 bits, one channel.
  static func wav(_ samples: [Double], rate: Int = 48_000) -> Data {
    let count = samples.count
    var bytes: [UInt8] = []
    func append(_ number: Int, _ size: Int) {
      for byte in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }
    bytes += Array("RIFF".utf8)
    append(36 + 2 * count, 4)
    bytes += Array("WAVEfmt ".utf8)
    for (number, size) in [(16, 4), (1, 2), (1, 2), (rate, 4), (2 * rate, 4), (2, 2), (16, 2)] {
      append(number, size)
    }
    bytes += Array("data".utf8)
    append(2 * count, 4)
    for sample in samples { append(Int(32_768 * sample), 2) }
    return Data(bytes)
  }
}
