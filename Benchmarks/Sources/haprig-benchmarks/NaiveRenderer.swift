// SPDX-License-Identifier: Apache-2.0

import Foundation
import HapticRendering

/// The peer: the same drive drawn in the plainest way, as one writes it in C at first.
///
/// Event by event, frame by frame, with the C library's `sin` for every sample, `cos` for a tap's fall,
/// and `pow` where the frequency moves. It draws the same taps and vibrations under the default laws, a
/// vibration's phase to a part of a frame, but has no mixing law, and holds the whole pattern in one
/// buffer; both are in its favour.
struct NaiveRenderer {
  let timeline: Timeline
  let configuration: RenderConfiguration

  func render(_ output: inout [Float]) {
    for index in output.indices { output[index] = 0 }
    for event in timeline.events {
      switch event.kind {
      case .transient: addTap(event, &output)
      case .continuous: addVibration(event, &output)
      case .tone, .sound: break
      }
    }
  }

  private func frames(of event: TimelineEvent, _ output: [Float]) -> Range<Int> {
    let rate = configuration.rate.hertz
    let first = Int((event.start * rate).rounded(.up))
    return first..<max(first, min(output.count, Int((event.end * rate).rounded(.up))))
  }

  private func addTap(_ event: TimelineEvent, _ output: inout [Float]) {
    let rate = configuration.rate.hertz
    let level = min(1, event.intensity * timeline.controls.intensity.value(at: event.start))
    let frequency = configuration.sharpnessLaw.frequency(of: event.sharpness)
    let length = configuration.transientShape.length
    for frame in frames(of: event, output) {
      let age = Double(frame) / rate - event.start
      output[frame] += Float(
        level * level * sin(2 * .pi * frequency * age) * 0.5 * (1 + cos(.pi * age / length)))
    }
  }

  private func addVibration(_ event: TimelineEvent, _ output: inout [Float]) {
    let rate = configuration.rate.hertz
    let (levels, bends) = (timeline.controls.intensity.pieces, timeline.controls.sharpness.pieces)
    var (level, bend) = (0, 0)
    var phase = 0.0
    var (offset, frequency) = (Double.infinity, 0.0)
    for frame in frames(of: event, output) {
      let time = Double(frame) / rate
      while level < levels.count, levels[level].start <= time { level += 1 }
      while bend < bends.count, bends[bend].start <= time { bend += 1 }
      let control =
        level > 0
        ? levels[level - 1].value + levels[level - 1].slope * (time - levels[level - 1].start) : 1
      let moved =
        bend > 0
        ? bends[bend - 1].value + bends[bend - 1].slope * (time - bends[bend - 1].start) : 0
      if moved != offset {
        offset = moved
        frequency = configuration.sharpnessLaw.frequency(of: event.sharpness + moved)
      }
      let strength =
        min(1, event.intensity * control) * event.envelope.gain(at: time - event.start)
      output[frame] += Float(strength * strength * sin(phase))
      phase += 2 * .pi * frequency / rate
    }
  }
}
