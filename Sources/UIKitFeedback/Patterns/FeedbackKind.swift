// SPDX-License-Identifier: Apache-2.0

public import CoreHaptics

/// The feedback that there is: approximations of our own, since UIKit's patterns are not published.
///
/// The same patterns stand as AHAP files in `rigs/patterns/feedback`, by the raw value; a test holds both
/// together.
public enum FeedbackKind: String, Sendable, CaseIterable {
  case impactLight = "impact-light"
  case impactMedium = "impact-medium"
  case impactHeavy = "impact-heavy"
  case impactSoft = "impact-soft"
  case impactRigid = "impact-rigid"
  case selection = "selection"
  case success = "success"
  case warning = "warning"
  case error = "error"

  /// One part of a feedback; without a duration a tap.
  struct Part {
    let time: Double
    let intensity: Float
    let sharpness: Float
    var duration: Double?
    var attack: Float = 0
    var release: Float = 0
  }

  var parts: [Part] {
    switch self {
    case .impactLight: [Part(time: 0, intensity: 0.45, sharpness: 0.55)]
    case .impactMedium: [Part(time: 0, intensity: 0.65, sharpness: 0.5)]
    case .impactHeavy: [Part(time: 0, intensity: 1, sharpness: 0.45)]
    case .impactSoft:
      [Part(time: 0, intensity: 0.55, sharpness: 0.1, duration: 0.04, attack: 0.25, release: 0.45)]
    case .impactRigid: [Part(time: 0, intensity: 0.8, sharpness: 0.95)]
    case .selection: [Part(time: 0, intensity: 0.3, sharpness: 0.7)]
    case .success:
      [
        Part(time: 0, intensity: 0.5, sharpness: 0.5),
        Part(time: 0.12, intensity: 0.85, sharpness: 0.6),
      ]
    case .warning:
      [
        Part(time: 0, intensity: 0.8, sharpness: 0.55),
        Part(time: 0.16, intensity: 0.5, sharpness: 0.45),
      ]
    case .error:
      [
        Part(time: 0, intensity: 0.6, sharpness: 0.6),
        Part(time: 0.09, intensity: 0.8, sharpness: 0.65),
        Part(time: 0.18, intensity: 1, sharpness: 0.7),
        Part(time: 0.3, intensity: 0.45, sharpness: 0.4),
      ]
    }
  }

  /// The pattern, its intensities scaled by 0...1.
  ///
  /// Throws nothing but what `CHHapticPattern` throws, and that not for these.
  public func pattern(intensity: Float = 1) throws -> CHHapticPattern {
    let scale = min(1, max(0, intensity))
    return try CHHapticPattern(
      events: parts.map { part in
        var parameters = [
          CHHapticEventParameter(parameterID: .hapticIntensity, value: part.intensity * scale),
          CHHapticEventParameter(parameterID: .hapticSharpness, value: part.sharpness),
        ]
        guard let duration = part.duration else {
          return CHHapticEvent(
            eventType: .hapticTransient, parameters: parameters, relativeTime: part.time)
        }
        parameters.append(CHHapticEventParameter(parameterID: .attackTime, value: part.attack))
        parameters.append(CHHapticEventParameter(parameterID: .releaseTime, value: part.release))
        return CHHapticEvent(
          eventType: .hapticContinuous, parameters: parameters, relativeTime: part.time,
          duration: duration)
      }, parameters: [])
  }
}
