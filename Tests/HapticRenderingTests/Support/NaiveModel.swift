// SPDX-License-Identifier: Apache-2.0

import AHAP
import Glibc

/// The haptic side of a pattern worked out frame by frame in the plainest way.
///
/// From the written rules of the format and of the default laws: nothing here comes from the module
/// under test.
struct NaiveModel {
  let pattern: HapticPattern
  let sharpnessControlMovesTransients: Bool
  /// What a tap leaves of the vibrations at its start; 1 is all.
  let ducking: Double
  let rate = 48_000.0
  let tapLength = 22e-3

  init(
    _ pattern: HapticPattern, sharpnessControlMovesTransients: Bool = false, ducking: Double = 1
  ) {
    self.pattern = pattern
    self.ducking = ducking
    self.sharpnessControlMovesTransients = sharpnessControlMovesTransients
  }

  func clamp(_ value: Double, _ low: Double, _ high: Double) -> Double {
    value < low ? low : value > high ? high : value
  }

  /// The newest step or curve that has begun says what the value is.
  func control(_ id: DynamicParameterID, at time: Double) -> Double {
    let isFactor = id == .hapticIntensity || id == .audioVolume
    var (begin, order) = (-Double.infinity, -1)
    var value = isFactor ? 1.0 : 0.0
    for step in pattern.parameters where step.id == id && step.time <= time {
      if step.time > begin || (step.time == begin && step.order > order) {
        (begin, order, value) = (step.time, step.order, step.value)
      }
    }
    for curve in pattern.curves where curve.id == id {
      guard let first = curve.points.first, curve.time + first.time <= time else { continue }
      let start = curve.time + first.time
      if start > begin || (start == begin && curve.order > order) {
        (begin, order, value) = (start, curve.order, self.value(of: curve, at: time))
      }
    }
    return clamp(value, isFactor ? 0 : -1, 1)
  }

  private func value(of curve: ParameterCurve, at time: Double) -> Double {
    let isFactor = curve.id == .hapticIntensity || curve.id == .audioVolume
    func limited(_ value: Double) -> Double { clamp(value, isFactor ? 0 : -1, 1) }
    var index = 0
    while index + 1 < curve.points.count, curve.time + curve.points[index + 1].time <= time {
      index += 1
    }
    let here = curve.points[index]
    guard index + 1 < curve.points.count else { return limited(here.value) }
    let next = curve.points[index + 1]
    let share = (time - curve.time - here.time) / (next.time - here.time)
    return limited(here.value) + share * (limited(next.value) - limited(here.value))
  }

  func parameter(_ id: EventParameterID, of event: HapticEvent) -> Double {
    if let value = event.parameters[id] { return value }
    let isTap = event.kind == .hapticTransient
    return switch id {
    case .hapticIntensity: isTap ? 0.75 : 0.6
    case .hapticSharpness: isTap ? 0.5 : 0.422601
    case .sustained: 1
    default: 0
    }
  }

  func seconds(
    _ id: EventParameterID, _ control: DynamicParameterID, of event: HapticEvent,
    from age: Double = 0
  ) -> Double {
    let time = event.time + age
    let value = clamp(parameter(id, of: event) + self.control(control, at: time), 0, 1)
    return 0.001 * pow(1000, value)
  }

  func end(of event: HapticEvent) -> Double {
    guard event.kind == .hapticContinuous else { return event.time + tapLength }
    if parameter(.sustained, of: event) == 1 {
      return event.time + (event.duration ?? 0)
        + seconds(.releaseTime, .hapticReleaseTime, of: event, from: event.duration ?? 0)
    }
    let attack = seconds(.attackTime, .hapticAttackTime, of: event)
    return event.time + attack + seconds(.decayTime, .hapticDecayTime, of: event, from: attack)
  }

  func gain(of event: HapticEvent, at time: Double) -> Double {
    let age = time - event.time
    guard age >= 0, time < end(of: event) else { return 0 }
    let attack = seconds(.attackTime, .hapticAttackTime, of: event)
    let rise = min(1, age / attack)
    if parameter(.sustained, of: event) == 1 {
      let duration = event.duration ?? 0
      guard age >= duration else { return rise }
      let release = seconds(.releaseTime, .hapticReleaseTime, of: event, from: duration)
      return min(1, duration / attack) * (1 - (age - duration) / release)
    }
    guard age >= attack else { return rise }
    return 1 - (age - attack) / seconds(.decayTime, .hapticDecayTime, of: event, from: attack)
  }

  func intensity(of event: HapticEvent, at time: Double) -> Double {
    guard time >= event.time, time < end(of: event) else { return 0 }
    let own = parameter(.hapticIntensity, of: event)
    if event.kind == .hapticTransient {
      return clamp(own * control(.hapticIntensity, at: event.time), 0, 1)
    }
    return clamp(own * control(.hapticIntensity, at: time), 0, 1) * gain(of: event, at: time)
  }

  func sharpness(of event: HapticEvent, at time: Double) -> Double {
    let own = parameter(.hapticSharpness, of: event)
    if event.kind == .hapticTransient {
      let offset =
        sharpnessControlMovesTransients ? control(.hapticSharpness, at: event.time) : 0
      return clamp(own + offset, 0, 1)
    }
    return clamp(own + control(.hapticSharpness, at: time), 0, 1)
  }

  func frequency(of event: HapticEvent, at time: Double) -> Double {
    80 * pow(230 / 80, sharpness(of: event, at: time))
  }

  /// What the loudest of all sounding taps leaves of a vibration.
  func left(at time: Double) -> Double {
    var most = 0.0
    for tap in pattern.events where tap.kind == .hapticTransient {
      let age = time - tap.time
      guard age >= 0, age < tapLength, intensity(of: tap, at: time) > 0 else { continue }
      most = max(most, (1 + cos(.pi * age / tapLength)) / 2)
    }
    return 1 - (1 - ducking) * most
  }

  /// The drive: intensity squared times a sine, whose phase grows by the frequency half way to the
  /// next frame.
  func drive(frameCount: Int) -> [Double] {
    var drive = [Double](repeating: 0, count: frameCount)
    for event in pattern.events where event.kind.domain == .haptic {
      let first = Int((event.time * rate).rounded(.up))
      var phase =
        2 * .pi * frequency(of: event, at: event.time) * (Double(first) / rate - event.time)
      for frame in first..<max(first, frameCount) {
        let time = Double(frame) / rate
        guard time < end(of: event) else { break }
        let strength = intensity(of: event, at: time)
        if event.kind == .hapticTransient {
          let age = time - event.time
          drive[frame] +=
            strength * strength * sin(2 * .pi * frequency(of: event, at: time) * age)
            * (1 + cos(.pi * age / tapLength)) / 2
        } else {
          drive[frame] += left(at: time) * strength * strength * sin(phase)
          phase += 2 * .pi * frequency(of: event, at: time + 0.5 / rate) / rate
        }
      }
    }
    return drive
  }

  /// A sum held below one and a half: above 1 it bends towards it.
  static func limited(_ sum: Double) -> Double {
    let size = abs(sum)
    guard size > 1 else { return sum }
    // 1.5 - 0.25 / (size - 0.5): 1 and slope 1 at 1, 1.5 far away.
    return (1.5 - 0.25 / (size - 0.5)) * (sum < 0 ? -1 : 1)
  }
}
