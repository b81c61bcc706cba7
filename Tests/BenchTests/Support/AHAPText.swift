// SPDX-License-Identifier: Apache-2.0

/// AHAP text for tests, one function an event.
enum AHAPText {
  static func pattern(_ events: [String]) -> String {
    "{\"Version\": 1.0, \"Pattern\": [\(events.joined(separator: ", "))]}\n"
  }

  static func tap(
    at time: Double, intensity: Double = 1, sharpness: Double = 0.5
  ) -> String {
    """
    {"Event": {"EventType": "HapticTransient", "Time": \(time), "EventParameters": [
    {"ParameterID": "HapticIntensity", "ParameterValue": \(intensity)},
    {"ParameterID": "HapticSharpness", "ParameterValue": \(sharpness)}]}}
    """
  }

  static func buzz(
    at time: Double, duration: Double, intensity: Double = 1, sharpness: Double = 0.5
  ) -> String {
    """
    {"Event": {"EventType": "HapticContinuous", "Time": \(time), "EventDuration": \(duration),
    "EventParameters": [
    {"ParameterID": "HapticIntensity", "ParameterValue": \(intensity)},
    {"ParameterID": "HapticSharpness", "ParameterValue": \(sharpness)}]}}
    """
  }

  static func sound(_ path: String, at time: Double) -> String {
    """
    {"Event": {"EventType": "AudioCustom", "Time": \(time), "EventWaveformPath": "\(path)",
    "EventParameters": [{"ParameterID": "AudioVolume", "ParameterValue": 1}]}}
    """
  }
}
