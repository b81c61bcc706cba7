// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticClips
import HapticRendering
import SeededRandom
import Testing

/// A clip as AHAP asks for what the clip asks for.
struct PatternsFromClipTests {
  private func intent(_ pattern: HapticPattern) -> Intent {
    Intent(
      timeline: Timeline(pattern, configuration: RenderConfiguration()),
      configuration: RenderConfiguration())
  }

  /// Intensity and sharpness of the continuous layer at a time, without the millisecond that each event
  /// needs to rise.
  private func layer(_ intent: Intent, at time: Double) -> (intensity: Double, sharpness: Double) {
    let controls = intent.timeline.controls
    guard
      let event = intent.timeline.events.last(where: { $0.kind == .continuous && $0.start <= time })
    else { return (0, 0) }
    return (
      event.intensity * controls.intensity.value(at: time),
      event.sharpness + controls.sharpness.value(at: time)
    )
  }

  @Test func `a constant clip is one event under two curves`() throws {
    let result = PatternsFromClip(clip([(0, 0.25), (2, 0.25)], frequency: [(0, 0.09), (2, 0.09)]))
    #expect(result.files.map(\.part) == [.whole])
    #expect(result.changes == [])
    let pattern = try #require(result.files.first).pattern
    let event = try #require(pattern.events.first)
    #expect(pattern.events.count == 1)
    #expect(event.kind == .hapticContinuous && event.duration == 2)
    #expect(event.parameters.intensity == 1 && event.parameters.sharpness == 0)
    #expect(pattern.curves.map(\.points.count) == [2, 2])
    #expect(pattern.curves[0].points.map(\.value) == [0.5, 0.5])
    #expect(pattern.curves[1].points.map(\.value) == [0.3, 0.3])
  }

  @Test func `between the points the intensity follows the root of the amplitude`() {
    let pattern = PatternsFromClip(clip([(0, 0), (1, 1)])).files[0].pattern
    let intent = intent(pattern)
    for index in 1..<100 {
      let time = Double(index) / 100
      let error = layer(intent, at: time).intensity - time.squareRoot()
      #expect(abs(error) < 1e-2, "at \(time) s")
    }
    // Straight from 0 to 1 would be off by a quarter.
    #expect(pattern.curves[0].points.count > 4)
  }

  @Test func `an emphasis is a transient over a continuous signal lowered to 80 percent`() throws {
    let clip = clip([(0, 0.25), (0.5, 0.25), (1, 0.25)], taps: [1: (0.81, 0.7)])
    let files = PatternsFromClip(clip, split: true).files
    #expect(files.map(\.part) == [.continuous, .transients])
    #expect(files[0].part.rawValue == "continuous.ahap")
    let tap = try #require(files[1].pattern.events.first)
    #expect(files[1].pattern.events.count == 1 && files[1].pattern.curves.isEmpty)
    #expect(tap.kind == .hapticTransient && tap.time == 0.5)
    #expect(abs((tap.parameters.intensity ?? 0) - 0.9) < 1e-12)
    #expect(tap.parameters.sharpness == 0.7)
    let intent = intent(files[0].pattern)
    #expect(abs(layer(intent, at: 0.5).intensity - 0.4) < 1e-9)
    #expect(abs(layer(intent, at: 0).intensity - 0.5) < 1e-9)
  }

  // The curve scales the transient too: 0.9 is needed where the curve leaves 0.4 / 0.5 at most.
  @Test func `an emphasis that one file cannot reach is named with what comes out`() throws {
    let clip = clip([(0, 0.25), (0.5, 0.25), (1, 0.25)], taps: [1: (0.81, 0.7)])
    let result = PatternsFromClip(clip)
    let tap = try #require(result.files.first?.pattern.events.first { $0.kind == .hapticTransient })
    #expect(tap.parameters.intensity == 1)
    #expect(
      result.changes == [
        "The continuous signal is lowered to 80 % of its intensity under an emphasis: 1.",
        "1 of 1 emphases come out weaker, because the intensity curve acts on transients too: "
          + "at 0.5 s 0.8, not 0.9; two files keep them as they are.",
      ])
  }

  @Test func `an emphasis within reach is made up for exactly`() throws {
    let clip = clip([(0, 0.25), (0.5, 0.25), (1, 0.25)], taps: [1: (0.36, 0.7)])
    let result = PatternsFromClip(clip)
    let intent = intent(try #require(result.files.first).pattern)
    let tap = try #require(intent.timeline.events.first { $0.kind == .transient })
    #expect(abs(intent.intensity(of: tap, at: 0.5) - 0.6) < 1e-9)
    #expect(abs(layer(intent, at: 0.5).intensity - 0.4) < 1e-9)
    #expect(abs(layer(intent, at: 0).intensity - 0.5) < 1e-9)
    #expect(result.changes.count == 1)
  }

  @Test func `a clip of emphases alone keeps them all in one file`() throws {
    let clip = clip([(0, 0), (0.5, 0), (1, 0)], taps: [0: (1, 0.1), 1: (0.49, 0.7)])
    let result = PatternsFromClip(clip)
    let intent = intent(try #require(result.files.first).pattern)
    let taps = intent.timeline.events.filter { $0.kind == .transient }
    #expect(taps.map { intent.intensity(of: $0, at: $0.start) } == [1, 0.7])
    #expect(intent.timeline.duration == 1)
    #expect(result.changes == [])
  }

  @Test func `a clip that begins late begins late`() {
    let pattern = PatternsFromClip(clip([(0.5, 1), (1, 1)], frequency: [(0.75, 0.25)])).files[0]
      .pattern
    #expect(pattern.events.map(\.time) == [0.5])
    #expect(pattern.curves.map(\.time) == [0.5, 0.5])
    #expect(layer(intent(pattern), at: 0.6).sharpness == 0.5)
  }

  @Test func `a long clip is split every thirty seconds at most`() {
    let pattern = PatternsFromClip(clip([(0, 0.5), (70, 0.5)])).files[0].pattern
    #expect(pattern.events.count == 3)
    #expect(pattern.events.allSatisfy { $0.duration ?? 0 <= 30 })
    #expect(pattern.events.last?.end == 70)
  }

  @Test func `random clips are followed within a hundredth`() {
    for seed in 0..<40 {
      var random = SeededRandom(seed: UInt64(seed))
      let clip = random.clip(taps: true)
      let ducked = clip.amplitude.map { point in
        (time: point.time, value: point.amplitude * (point.emphasis == nil ? 1 : 0.64))
      }
      for split in [false, true] {
        let files = PatternsFromClip(clip, split: split).files
        let intent = intent(files[0].pattern)
        for _ in 0..<120 {
          let time = random.uniform(clip.start...clip.end)
          let found = layer(intent, at: time)
          // On a short ramp from near silence the bow rises within the millisecond that points keep.
          let index = ducked.lastIndex { $0.time <= time } ?? 0
          let ends = [ducked[index], ducked[min(index + 1, ducked.count - 1)]]
          let length = ends[1].time - ends[0].time
          let isFollowed = length > 1.1 || (length > 7e-3 && ends.allSatisfy { $0.value > 0.1 })
          let slack = isFollowed ? 0 : 2e-3
          let near = ducked.filter { abs($0.time - time) <= slack }.map(\.value)
          let reach = (near + [-slack, 0, slack].map { value(ducked, at: time + $0) })
            .map { $0.squareRoot() }
          let isClose =
            found.intensity > (reach.min() ?? 0) - 1e-2
            && found.intensity < (reach.max() ?? 0) + 1e-2
          #expect(isClose, "\(random): \(found.intensity) at \(time) s, \(reach)")
          guard !clip.frequency.isEmpty else { continue }
          let bright = value(clip.frequencyLine, at: time).squareRoot()
          #expect(abs(found.sharpness - bright) < 1e-2, "\(random): sharpness at \(time) s")
        }
        guard split, files.count == 2 else { continue }
        let taps = clip.amplitude.filter { $0.emphasis != nil }
        #expect(files[1].pattern.events.map(\.time) == taps.map(\.time))
        for (event, tap) in zip(files[1].pattern.events, taps) {
          let level = event.parameters.intensity ?? 0
          #expect(abs(level * level - (tap.emphasis?.amplitude ?? 0)) < 1e-12)
          #expect(event.parameters.sharpness == tap.emphasis?.frequency)
        }
      }
    }
  }

  @Test func `every pattern is within Apple's limits and in canonical form`() throws {
    for seed in 0..<40 {
      var random = SeededRandom(seed: 500 + UInt64(seed))
      let clip = random.clip(taps: true)
      for file in PatternsFromClip(clip).files + PatternsFromClip(clip, split: true).files {
        let export = AppleExport(file.pattern)
        #expect(export.pattern == file.pattern, "\(random)")
        #expect(export.changes == [], "\(random)")
        let text = AHAPWriter.text(file.pattern)
        #expect(try AHAPReader.read(Array(text.utf8)).pattern == file.pattern, "\(random)")
      }
    }
  }
}
