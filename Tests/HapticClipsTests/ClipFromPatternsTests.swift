// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticClips
import JSONText
import SeededRandom
import Testing

/// AHAP as a clip.
struct ClipFromPatternsTests {
  private func continuous(
    at time: Double, for duration: Double, _ intensity: Double, _ sharpness: Double,
    _ others: [EventParameterID: Double] = [:]
  ) -> HapticEvent {
    var event = HapticEvent(
      kind: .hapticContinuous, time: time, duration: duration,
      parameters: EventParameters(intensity: intensity, sharpness: sharpness))
    for (id, value) in others { event.parameters[id] = value }
    return event
  }

  private func transient(at time: Double, _ intensity: Double, _ sharpness: Double) -> HapticEvent {
    HapticEvent(
      kind: .hapticTransient, time: time,
      parameters: EventParameters(intensity: intensity, sharpness: sharpness))
  }

  private func convert(_ patterns: HapticPattern...) throws -> ClipFromPatterns {
    try ClipFromPatterns(patterns)
  }

  @Test func `a plain event is two points of amplitude and two of frequency`() throws {
    let result = try convert(HapticPattern(events: [continuous(at: 0, for: 1, 0.5, 0.6)]))
    #expect(result.clip == clip([(0, 0.25), (1, 0.25)], frequency: [(0, 0.36), (1, 0.36)]))
    #expect(result.changes == [])
  }

  @Test func `between events there is silence and the clip begins at 0`() throws {
    let result = try convert(
      HapticPattern(events: [continuous(at: 1, for: 1, 1, 0), continuous(at: 3, for: 1, 0.5, 0)]))
    #expect(
      result.clip
        == clip([(0, 0), (1, 0), (1, 1), (2, 1), (2, 0), (3, 0), (3, 0.25), (4, 0.25)]))
  }

  @Test func `where events overlap the strongest speaks`() throws {
    let result = try convert(
      HapticPattern(events: [
        continuous(at: 0, for: 3, 0.5, 0.2), continuous(at: 1, for: 1, 0.8, 1),
      ]))
    let line = result.clip.amplitudeLine
    #expect(abs(value(line, at: 0.5) - 0.25) < 1e-9)
    #expect(abs(value(line, at: 1.5) - 0.64) < 1e-9)
    #expect(abs(value(line, at: 2.5) - 0.25) < 1e-9)
    #expect(value(result.clip.frequencyLine, at: 1.5) == 1)
    #expect(
      result.changes == ["Where continuous events play at once, the clip holds the strongest only."]
    )
  }

  @Test func `curves, steps and envelopes are worked in`() throws {
    let pattern = HapticPattern(
      events: [continuous(at: 0, for: 2, 1, 0, [.attackTime: 1])],
      parameters: [DynamicParameter(id: .hapticIntensity, time: 1.5, value: 0.5, order: 1)],
      curves: [
        ParameterCurve(
          id: .hapticSharpness, time: 0,
          points: [.init(time: 0, value: 0), .init(time: 2, value: 1)],
          order: 2)
      ])
    let clip = try convert(pattern).clip
    // The attack takes 1 s: the intensity is the time, the amplitude its square.
    for time in [0.1, 0.3, 0.6, 0.9] {
      #expect(abs(value(clip.amplitudeLine, at: time).squareRoot() - time) < 1.2e-2, "\(time)")
    }
    #expect(abs(value(clip.amplitudeLine, at: 1.2) - 1) < 1e-3)
    #expect(abs(value(clip.amplitudeLine, at: 1.7) - 0.25) < 1e-3)
    for time in [0.2, 0.8, 1.4, 1.9] {
      #expect(abs(value(clip.frequencyLine, at: time).squareRoot() - time / 2) < 1.2e-2, "\(time)")
    }
  }

  @Test func `transients alone are emphases on silence`() throws {
    let result = try convert(
      HapticPattern(events: [transient(at: 0, 0.5, 0.2), transient(at: 1, 1, 0.9)]))
    #expect(
      result.clip
        == clip([(0, 0), (1, 0), (1.022, 0)], taps: [0: (0.25, 0.2), 1: (1, 0.9)]))
  }

  @Test func `an emphasis is raised to the amplitude beneath, and that is said`() throws {
    let result = try convert(
      HapticPattern(events: [continuous(at: 0, for: 1, 0.8, 0.5), transient(at: 0.5, 0.5, 0.5)]))
    let tap = try #require(result.clip.amplitude.first { $0.emphasis != nil })
    #expect(tap.time == 0.5)
    #expect(tap.emphasis?.amplitude == tap.amplitude)
    #expect(abs(tap.amplitude - 0.64) < 1e-9)
    #expect(
      result.changes == [
        "Emphases were raised to the amplitude beneath, below which a clip allows none: 1."
      ])
  }

  @Test func `what a clip cannot hold is named`() throws {
    let pattern = HapticPattern(
      metadata: ["Project": "p", "Created": "now"],
      events: [
        transient(at: 0, 1, 0), transient(at: 0, 0.5, 1),
        HapticEvent(kind: .audioCustom, time: 0, waveformPath: "a.wav"),
      ])
    let result = try convert(pattern)
    #expect(
      result.changes == [
        "Audio events were left out, for a clip holds no sound: 1.",
        "Transients at one time became one emphasis, the strongest: 1 less.",
        "Notes that a clip has no place for were left out: Created.",
      ])
    #expect(result.clip.metadata.project == "p")
    #expect(result.clip.amplitude.first?.emphasis?.amplitude == 1)
  }

  @Test func `sound alone makes no clip`() throws {
    let pattern = HapticPattern(
      events: [HapticEvent(kind: .audioCustom, time: 0, waveformPath: "a.wav")])
    let error = try #require(throws: ClipConversionError.self) { try convert(pattern) }
    #expect(error == .noHapticEvents)
    #expect(error.description.contains("no haptic events"))
  }

  // An emphasis that weighs its own amplitude under 80 % of the intensity must not be taken for one
  // where nobody lowered anything: here the event is sharp.
  @Test func `a dip that no conversion made stays`() throws {
    let curve = ParameterCurve(
      id: .hapticIntensity, time: 0,
      points: [.init(time: 0, value: 1), .init(time: 0.5, value: 0.8), .init(time: 1, value: 1)],
      order: 2)
    let pattern = HapticPattern(
      events: [continuous(at: 0, for: 1, 0.5, 0.5), transient(at: 0.5, 1, 1)], curves: [curve])
    let clip = try convert(pattern).clip
    #expect(abs(value(clip.amplitudeLine, at: 0.5) - 0.16) < 1e-9)
  }

  @Test func `clips come back from two files with all they had`() throws {
    for seed in 0..<60 {
      var random = SeededRandom(seed: UInt64(seed))
      let clip = random.clip(taps: true)
      let patterns = PatternsFromClip(clip, split: true).files.map(\.pattern)
      try expectBack(clip, from: patterns, &random)
    }
  }

  @Test func `clips without emphases come back from one file`() throws {
    for seed in 0..<30 {
      var random = SeededRandom(seed: 3000 + UInt64(seed))
      let clip = random.clip(taps: false)
      try expectBack(clip, from: PatternsFromClip(clip).files.map(\.pattern), &random)
    }
  }

  @Test func `emphases within reach come back from one file`() throws {
    for seed in 0..<30 {
      var random = SeededRandom(seed: 4000 + UInt64(seed))
      var clip = random.clip(taps: true)
      // Under one amplitude throughout, the curve leaves a transient at least 0.8 of its intensity.
      for index in clip.amplitude.indices {
        clip.amplitude[index].amplitude = 0.3
        guard clip.amplitude[index].emphasis != nil else { continue }
        clip.amplitude[index].emphasis?.amplitude = random.uniform(0.3...0.63)
      }
      try expectBack(clip, from: PatternsFromClip(clip).files.map(\.pattern), &random)
    }
  }

  private func expectBack(
    _ clip: HapticClip, from patterns: [HapticPattern], _ random: inout SeededRandom
  ) throws {
    let back = try ClipFromPatterns(patterns).clip
    #expect(back.metadata == clip.metadata, "\(random)")
    #expect(back.start == clip.start && abs(back.end - clip.end) < 1e-6, "\(random)")
    for _ in 0..<120 {
      let time = random.uniform(clip.start...clip.end)
      let (level, expected) = (
        value(back.amplitudeLine, at: time), value(clip.amplitudeLine, at: time)
      )
      #expect(abs(level - expected) < 2.5e-3, "\(random): amplitude at \(time) s")
      guard !clip.frequency.isEmpty else { continue }
      let (pitch, wanted) = (
        value(back.frequencyLine, at: time), value(clip.frequencyLine, at: time)
      )
      #expect(abs(pitch - wanted) < 2.5e-3, "\(random): frequency at \(time) s")
    }
    let (taps, others) = (
      clip.amplitude.filter { $0.emphasis != nil }, back.amplitude.filter { $0.emphasis != nil }
    )
    #expect(taps.count == others.count, "\(random)")
    for (tap, other) in zip(taps, others) {
      guard let wanted = tap.emphasis, let found = other.emphasis else { continue }
      let isSame =
        abs(tap.time - other.time) < 1e-6 && abs(wanted.amplitude - found.amplitude) < 2.5e-3
        && wanted.frequency == found.frequency
      #expect(isSame, "\(random): \(other) is not \(tap)")
    }
    let text = HapticClipWriter.text(back)
    #expect(try HapticClipReader.read(Array(text.utf8)) == back, "\(random)")
  }
}
