// SPDX-License-Identifier: Apache-2.0

import AHAP
import Fuzzing
import HapticRendering
import Units

/// Bytes as an AHAP file to samples: finite, bounded, and the same in blocks of any size.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  guard let pattern = try? AHAPReader.read(bytes).pattern else { return 0 }
  for configuration in configurations {
    let sounds = sounds(at: configuration.rate)
    let timeline = Timeline(pattern, configuration: configuration) { sounds.duration(of: $0) }
    let whole = Rendering(timeline, configuration, sounds, block: Rendering.longest)
    whole.check(drive: driveBound(of: configuration), sound: soundBound(of: timeline))
    let chunked = Rendering(timeline, configuration, sounds, block: 37)
    require(whole == chunked, "other samples in blocks of 37 frames")
    check(Intent(timeline: timeline, configuration: configuration))
  }
  return 0
}

/// The usual one, and one that differs in everything, slow enough to reach the second second.
private let configurations = [
  RenderConfiguration(),
  RenderConfiguration(
    rate: SampleRate(hertz: 1000), waveform: .level, sharpnessLaw: .linear80To230,
    intensityLaw: .linear, mixingLaw: .ducked, sharpnessControlMovesTransients: true,
    voiceLimit: 3),
]

/// A sound of one channel and one of two, under short names.
private func sounds(at rate: SampleRate) -> SoundBank {
  let ramp = (0..<100).map { Float($0) / 100 }
  let (up, down) = (
    Signal(samples: ramp, rate: rate, unit: .one),
    Signal(samples: ramp.reversed(), rate: rate, unit: .one)
  )
  var bank = SoundBank()
  bank.add([up], path: "a.wav")
  bank.add([up, down], path: "b.wav")
  return bank
}

/// What the mixing law makes of any number of events.
private func driveBound(of configuration: RenderConfiguration) -> Float {
  Float(configuration.fullScale * configuration.mixingLaw.limited(1e9))
}

/// Sounds add, and the cubic between samples within 1 may pass 1 by a quarter.
private func soundBound(of timeline: Timeline) -> Float {
  1.25 * Float(timeline.events.count { !$0.kind.isHaptic })
}

/// Requires shares where the intent promises shares.
private func check(_ intent: Intent) {
  for moment in intent.moments(from: 0, step: 0.01, count: 200) {
    require(
      (0...1).contains(moment.intensity) && (0...1).contains(moment.sharpness),
      "the intent is \(moment)")
  }
  for event in intent.timeline.events where event.kind.isHaptic {
    check(intent.segments(of: event), of: event)
  }
}

/// Requires segments from the event's start to its end without a gap, and numbers in them.
private func check(_ segments: [IntentSegment], of event: TimelineEvent) {
  guard let first = segments.first, let last = segments.last else {
    return require(event.start >= event.end, "no segments of \(event)")
  }
  require(first.start == event.start && last.end == event.end, "\(segments) of \(event)")
  require(
    zip(segments, segments.dropFirst()).allSatisfy { $0.end == $1.start }, "a gap in \(segments)")
  for segment in segments {
    require(segment.start < segment.end, "\(segment) has no length")
    for polynomial in [segment.intensity, segment.sharpness] {
      require(
        polynomial.constant.isFinite && polynomial.linear.isFinite && polynomial.square.isFinite,
        "\(segment)")
    }
    require(segment.weight.value(at: segment.start).isFinite, "\(segment)")
  }
}
