// SPDX-License-Identifier: Apache-2.0

import SeededRandom

@testable import HapticClips

/// The value of a line at a time, from the format's rule: straight between points, of two points at
/// one time the second.
func value(_ points: [(time: Double, value: Double)], at time: Double) -> Double {
  guard let first = points.first, time >= first.time else { return points.first?.value ?? 0 }
  var index = 0
  while index + 1 < points.count, points[index + 1].time <= time { index += 1 }
  guard index + 1 < points.count else { return points[index].value }
  let (here, next) = (points[index], points[index + 1])
  return here.value + (time - here.time) / (next.time - here.time) * (next.value - here.value)
}

extension HapticClip {
  var amplitudeLine: [(time: Double, value: Double)] { amplitude.map { ($0.time, $0.amplitude) } }
  var frequencyLine: [(time: Double, value: Double)] { frequency.map { ($0.time, $0.frequency) } }
  var start: Double { amplitude.first?.time ?? 0 }
  var end: Double { amplitude.last?.time ?? 0 }
}

/// A clip from plain numbers; `taps` are indices into `amplitude` with their emphasis.
func clip(
  _ amplitude: [(Double, Double)], frequency: [(Double, Double)] = [],
  taps: [Int: (Double, Double)] = [:]
) -> HapticClip {
  HapticClip(
    amplitude: amplitude.enumerated().map { index, point in
      HapticClip.AmplitudePoint(
        time: point.0, amplitude: point.1,
        emphasis: taps[index].map { HapticClip.Emphasis(amplitude: $0.0, frequency: $0.1) })
    },
    frequency: frequency.map { HapticClip.FrequencyPoint(time: $0.0, frequency: $0.1) })
}

extension SeededRandom {
  /// A clip whose points are at least 5 ms apart, from zero to full strength, with or without
  /// frequency and emphases.
  mutating func clip(taps: Bool) -> HapticClip {
    var clip = HapticClip(amplitude: [])
    clip.metadata.project = chance(0.5) ? "P\(integer(0...9))" : ""
    clip.metadata.tags = chance(0.3) ? ["a", "b"] : []
    var time = 0.0
    for _ in 0..<integer(2...60) {
      let level = chance(0.15) ? 0 : chance(0.1) ? 1 : uniform()
      var point = HapticClip.AmplitudePoint(time: time, amplitude: level)
      if taps && chance(0.25) {
        point.emphasis = HapticClip.Emphasis(amplitude: uniform(level...1), frequency: uniform())
      }
      clip.amplitude.append(point)
      time += chance(0.3) ? uniform(0.005...0.03) : uniform(0.03...1.5)
    }
    guard chance(0.7) else { return clip }
    time = chance(0.5) ? 0 : clip.end / 4
    while time <= clip.end {
      clip.frequency.append(.init(time: time, frequency: chance(0.1) ? 0 : uniform()))
      time += uniform(0.01...1)
    }
    return clip
  }
}
