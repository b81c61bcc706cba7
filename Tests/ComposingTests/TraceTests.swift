// SPDX-License-Identifier: Apache-2.0

import Composing
import Testing

struct TraceTests {
  @Test func `a trace has no more points than asked for, whatever the length`() throws {
    for seconds in [0.1, 1.0, 30.0] {
      let sound = Sounds.tone(
        seconds: seconds, level: { $0 < seconds / 2 ? -40 : -20 }, frequency: { _ in 500 })
      let composition = compose(.envelope, sound, tracePoints: 100)
      let trace = try #require(composition.trace)
      let lines = [trace.level, trace.rise, trace.intensity, trace.sharpness] + trace.octaves
      #expect(lines.allSatisfy { $0.count <= 100 && !$0.isEmpty })
      // From the beginning to the end, in one time.
      #expect(abs(Double(trace.level.count) * trace.step - seconds) <= trace.step)
      #expect(trace.level.last.map { abs($0 + 23) < 1 } == true)
      #expect(trace.level.first.map { abs($0 + 43) < 1 } == true)
    }
  }

  @Test func `a method tells what it has`() throws {
    let sound = Sounds.plucks([(0.5, -10, 300)], seconds: 2)
    let onsets = try #require(compose(.onsets, sound, tracePoints: 400).trace)
    #expect(onsets.intensity.isEmpty && onsets.sharpness.isEmpty)
    let peak = try #require(onsets.rise.indices.max { onsets.rise[$0] < onsets.rise[$1] })
    #expect(abs(Double(peak) * onsets.step - 0.5) < 0.02)
    let pitch = try #require(compose(.pitch, sound, tracePoints: 400).trace)
    #expect(pitch.rise.isEmpty && !pitch.sharpness.isEmpty)
    #expect(compose(.pitch, sound).trace == nil)
  }
}
