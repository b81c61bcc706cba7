// SPDX-License-Identifier: Apache-2.0

import AHAP
import SeededRandom

/// Patterns with everything the format has, at times that fall between frames.
extension SeededRandom {
  mutating func pattern(length: Double, hapticOnly: Bool = false) -> HapticPattern {
    var pattern = HapticPattern()
    for _ in 0..<integer(3...8) { pattern.events.append(hapticEvent(length: length)) }
    if !hapticOnly {
      for _ in 0..<integer(2...5) { pattern.events.append(audioEvent(length: length)) }
    }
    let ids = DynamicParameterID.allCases.filter { $0.domain == .haptic || !hapticOnly }
    for order in 0..<integer(0...14) {
      let id = ids[integer(0...(ids.count - 1))]
      if chance(0.4) {
        pattern.parameters.append(
          DynamicParameter(id: id, time: uniform(0...length), value: value(of: id), order: order))
      } else {
        pattern.curves.append(
          ParameterCurve(id: id, time: uniform(0...length), points: points(of: id), order: order))
      }
    }
    return pattern
  }

  /// Points with ramps, jumps of 0.1 ms, and now and then a single one.
  private mutating func points(of id: DynamicParameterID) -> [ParameterCurve.Point] {
    var time = chance(0.5) ? 0 : uniform(0...0.1)
    return (0..<integer(1...16)).map { _ in
      defer { time += chance(0.3) ? 1e-4 : uniform(0.005...0.2) }
      return ParameterCurve.Point(time: time, value: value(of: id))
    }
  }

  private mutating func value(of id: DynamicParameterID) -> Double {
    uniform(id.range.lowerBound...id.range.upperBound)
  }

  private mutating func parameters(_ ids: [EventParameterID]) -> EventParameters {
    var parameters = EventParameters()
    for id in ids where chance(0.7) {
      parameters[id] = uniform(id.range.lowerBound...id.range.upperBound)
    }
    // Long envelopes are left to tests of their own: these patterns are to stay short.
    for id in [EventParameterID.attackTime, .decayTime, .releaseTime] {
      if let value = parameters[id] { parameters[id] = 0.7 * value }
    }
    parameters.sustained = chance(0.3) ? (chance(0.5) ? 0 : 1) : nil
    return parameters
  }

  private mutating func hapticEvent(length: Double) -> HapticEvent {
    let ids: [EventParameterID] = [
      .hapticIntensity, .hapticSharpness, .attackTime, .decayTime, .releaseTime,
    ]
    let isTap = chance(0.5)
    return HapticEvent(
      kind: isTap ? .hapticTransient : .hapticContinuous, time: uniform(0...length),
      duration: isTap ? nil : uniform(0.001...length / 2), parameters: parameters(ids))
  }

  private mutating func audioEvent(length: Double) -> HapticEvent {
    let ids: [EventParameterID] = [
      .audioVolume, .audioPan, .audioPitch, .audioBrightness, .attackTime, .decayTime, .releaseTime,
    ]
    let isTone = chance(0.4)
    return HapticEvent(
      kind: isTone ? .audioContinuous : .audioCustom, time: uniform(0...length),
      duration: isTone || chance(0.4) ? uniform(0.001...length / 2) : nil,
      waveformPath: isTone ? nil : chance(0.5) ? "mono.wav" : "stereo.wav",
      useVolumeEnvelope: chance(0.5), loopEnabled: chance(0.5), parameters: parameters(ids))
  }
}
