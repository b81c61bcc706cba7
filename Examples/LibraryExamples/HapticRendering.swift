// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import Units

func hapticRendering() throws {
  let hum = HapticEvent(
    kind: .hapticContinuous, time: 0, duration: 0.1,
    parameters: EventParameters(intensity: 0.5, sharpness: 0.5))
  let configuration = RenderConfiguration(rate: SampleRate(hertz: 8_000))
  let timeline = Timeline(HapticPattern(events: [hum]), configuration: configuration)
  var renderer = HapticRenderer(timeline: timeline, configuration: configuration)

  var drive = [Float](repeating: 0, count: renderer.frameCount)
  var span = drive.mutableSpan
  renderer.render(haptic: &span)
  let largest = drive.map(abs).max() ?? 0
  print("\(drive.count) samples, none above 0.25: \(largest < 0.25)")

  let intent = Intent(timeline: timeline, configuration: configuration)
  for event in timeline.events {
    let hertz = intent.frequency(of: event, at: 0.05).rounded()
    print("after 50 ms: intensity \(intent.intensity(of: event, at: 0.05)), \(hertz) Hz")
  }
}
