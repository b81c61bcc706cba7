// SPDX-License-Identifier: Apache-2.0

import AHAP

/// What a pattern plays, worked out apart from the fixer's own check.
struct Played: Equatable {
  var events: [String]
  var controls: [String]
  var duration: Double

  init(_ pattern: HapticPattern) {
    let events = pattern.events.sorted { ($0.time, $0.order) < ($1.time, $1.order) }
    self.events = events.map { event in
      let values = EventParameterID.allCases.map { event.value(of: $0) }
      return "\(event.kind) \(event.time) \(event.duration ?? -1) \(event.waveformPath ?? "-") "
        + "\(event.useVolumeEnvelope) \(event.loopEnabled) \(values)"
    }
    let steps = pattern.parameters.map { ($0.order, "\($0.id) \($0.time) \($0.value)") }
    let curves = pattern.curves.filter { !$0.points.isEmpty }.map { curve in
      (curve.order, "\(curve.id) \(curve.time) \(curve.points.map { "\($0.time):\($0.value)" })")
    }
    controls = (steps + curves).sorted { $0.0 < $1.0 }.map(\.1)
    duration = pattern.duration
  }
}
