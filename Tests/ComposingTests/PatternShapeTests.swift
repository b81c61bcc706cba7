// SPDX-License-Identifier: Apache-2.0

import AHAP
import Composing
import Glibc
import Perception
import SeededRandom
import Testing
import Units

/// What every pattern has, whatever the sound.
struct PatternShapeTests {
  @Test(arguments: ComposeMethod.allCases)
  func `patterns are what a phone plays`(method: ComposeMethod) throws {
    for seed in 0..<6 {
      var random = SeededRandom(seed: UInt64(seed))
      let sound = RobustnessTests.medley(seconds: 5, rate: Sounds.rate, &random)
      let pattern = compose(method, sound).pattern
      let context: Comment = "\(method) \(random)"
      #expect(pattern.eventsByTime == pattern.events, context)
      for event in pattern.events {
        #expect(event.time >= 0 && event.end <= 5.001, context)
        for id in [EventParameterID.hapticIntensity, .hapticSharpness] {
          #expect(id.range.contains(event.value(of: id)), context)
        }
      }
      for curve in pattern.curves {
        #expect((2...ParameterCurve.safePointCount).contains(curve.points.count), context)
        #expect(curve.points[0].time == 0, context)
        for (first, second) in zip(curve.points, curve.points.dropFirst()) {
          #expect(second.time - first.time >= 0.99e-3, context)
        }
        #expect(curve.points.allSatisfy { curve.id.range.contains($0.value) }, context)
      }
      // What is written reads back without a remark.
      let document = try AHAPReader.read(Array(AHAPWriter.text(pattern).utf8))
      #expect(document.pattern == pattern, context)
      #expect(document.diagnostics.isEmpty, context)
    }
  }

  @Test(arguments: [ComposeMethod.envelope, .bands])
  func `around a tap nothing vibrates and no curve acts on it`(method: ComposeMethod) {
    for seed in 0..<6 {
      var random = SeededRandom(seed: 100 + UInt64(seed))
      let pattern = compose(
        method, RobustnessTests.medley(seconds: 5, rate: Sounds.rate, &random)
      ).pattern
      #expect(!pattern.taps.isEmpty && !pattern.vibrations.isEmpty)
      for tap in pattern.taps {
        let context: Comment = "\(method) \(random), tap at \(tap.time) s"
        for event in pattern.vibrations {
          #expect(event.end <= tap.time - 1.9e-3 || event.time >= tap.time + 0.024, context)
        }
        #expect(pattern.control(.hapticIntensity, at: tap.time) == 1, context)
        #expect(pattern.control(.hapticSharpness, at: tap.time) == 0, context)
      }
    }
  }

  @Test func `curves stay below a just-noticeable difference of what they draw`() throws {
    let sound = Sounds.tone(
      seconds: 5, level: { -20 + 8 * sin(2 * .pi * 3 * $0) },
      frequency: { 400 * exp2(sin(2 * .pi * $0)) })
    // A point of the trace is a hop, so both tell the same moments.
    let composition = compose(.envelope, sound, tracePoints: 1 << 14)
    let trace = try #require(composition.trace)
    var compared = 0
    for index in trace.intensity.indices.dropFirst(40) {
      let time = (Double(index) + 0.5) * trace.step
      guard let drawn = composition.pattern.vibration(at: time), time < 4.99 else { continue }
      let (before, after) = (
        Double(trace.intensity[index]), Double(trace.intensity[min(index + 1, 1_990)])
      )
      let level = [before, after].map { abs(40 * log10(drawn.intensity / $0)) }.min() ?? 0
      #expect(level < JustNoticeable.level.value / 2, "\(time) s")
      let law = SharpnessLaw.log80To230
      let ratio =
        law.frequency(of: drawn.sharpness)
        / law.frequency(of: Double(trace.sharpness[index]))
      #expect(abs(log(ratio)) < JustNoticeable.nepers, "\(time) s")
      compared += 1
    }
    #expect(compared > 1_500)
    let points = composition.pattern.curves.reduce(0) { $0 + $1.points.count }
    #expect(points < 600, "\(points) points in 5 s")
  }

  @Test func `a vibration of 70 s is three events without a gap`() {
    let sound = Sounds.tone(
      seconds: 70, rate: SampleRate(hertz: 8_000), level: { -20 + 0.1 * $0 },
      frequency: { _ in 200 })
    let pattern = compose(.pitch, sound, rate: SampleRate(hertz: 8_000)).pattern
    #expect(pattern.vibrations.count == 3)
    for (first, second) in zip(pattern.vibrations, pattern.vibrations.dropFirst()) {
      #expect(abs(first.end - second.time) < 1e-4)
    }
    #expect(pattern.vibrations.allSatisfy { ($0.duration ?? 0) <= HapticEvent.longestDuration })
  }
}
