// SPDX-License-Identifier: Apache-2.0

import AHAP
import AllocationCounter
import HapticRendering
import Perception
import SeededRandom
import Testing
import Units

/// Rendering asks the C library for no memory and gives none back.
@Suite(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
struct AllocationTests {
  @Test(arguments: 0..<6)
  func `rendering all channels touches no heap`(index: Int) {
    var random = SeededRandom(seed: 0xa110_0000 + UInt64(index))
    let pattern = random.pattern(length: 0.2)
    var sounds = bank(sine(440, count: 4800), path: "mono.wav")
    let side = Signal(samples: sine(300, count: 2000), rate: .standard, unit: .one)
    sounds.add([side, side], path: "stereo.wav")
    let configuration = RenderConfiguration(
      sharpnessLaw: SharpnessLaw.named[index % 4].law,
      intensityLaw: IntensityLaw.allCases[index % 4], mixingLaw: index < 3 ? .ducked : .standard)
    let timeline = Timeline(
      pattern, configuration: configuration, soundDuration: sounds.duration(of:))
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration, sounds: sounds)
    var haptic = [Float](repeating: 0, count: 200)
    var left = haptic
    var right = haptic
    // Written to, so that each has memory of its own before the count.
    (left[0], right[0]) = (1, 2)
    let blocks = renderer.frameCount / 200 + 2
    allocationCounterStart()
    for _ in 0..<blocks {
      var h = haptic.mutableSpan
      var l = left.mutableSpan
      var r = right.mutableSpan
      renderer.render(haptic: &h, left: &l, right: &r)
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0, "\(random)")
    #expect(counts.releases == 0, "\(random)")
  }

  @Test func `rendering the drive alone touches no heap`() {
    var random = SeededRandom(seed: 0xa111)
    let configuration = RenderConfiguration()
    let timeline = Timeline(
      random.pattern(length: 0.2, hapticOnly: true), configuration: configuration)
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration)
    var drive = [Float](repeating: 0, count: 480)
    let blocks = renderer.frameCount / 480 + 2
    allocationCounterStart()
    for _ in 0..<blocks {
      var span = drive.mutableSpan
      renderer.render(haptic: &span)
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
  }

  @Test func `making a renderer does touch the heap, so the counter would have seen it`() {
    let configuration = RenderConfiguration()
    var pattern = HapticPattern()
    pattern.events = [transient(at: 0), continuous(at: 0, for: 1)]
    let timeline = Timeline(pattern, configuration: configuration)
    allocationCounterStart()
    let renderer = HapticRenderer(timeline: timeline, configuration: configuration)
    let counts = allocationCounterStop()
    #expect(counts.allocations > 0)
    #expect(renderer.frameCount > 0)
  }
}
