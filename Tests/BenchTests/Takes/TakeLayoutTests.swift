// SPDX-License-Identifier: Apache-2.0

import Bench
import SeededRandom
import Testing
import Units

struct TakeLayoutTests {
  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `the parts follow one another without overlap, with the silences between`(hertz: Double) {
    let rate = SampleRate(hertz: hertz)
    var random = SeededRandom(seed: 0x1a70)
    for _ in 0..<200 {
      let pattern = random.integer(0...2_000_000)
      let probe = random.chance(0.5) ? random.integer(1...20_000) : nil
      let marker = random.integer(1...5_000)
      let layout = TakeLayout(
        rate: rate, patternLength: pattern, probeLength: probe, markerLength: marker)
      let note = "\(random), pattern \(pattern), probe \(probe ?? 0), marker \(marker), \(rate)"
      let start = layout.probe ?? layout.pattern
      #expect(layout.startMarker > 0, "\(note)")
      #expect(layout.startMarker + layout.markerLength < start, "\(note)")
      #expect(layout.probe.map { $0 + layout.probeLength < layout.pattern } ?? true, "\(note)")
      let end = layout.pattern + layout.patternLength
      // At least half a second of silence follows the last event.
      #expect(Double(layout.endMarker - end) >= 0.5 * hertz, "\(note)")
      // What is on its way for the longest delay still arrives.
      let after = layout.frameCount - layout.endMarker - layout.markerLength
      #expect(Double(after) >= TakeLayout.longestDelay * hertz, "\(note)")
      #expect(layout.patternLength == pattern, "\(note)")
      #expect(layout.markerLength == marker, "\(note)")
      #expect(layout.probeLength == probe ?? 0, "\(note)")
      #expect((layout.probe == nil) == (probe == nil), "\(note)")
    }
  }

  @Test func `the probe rings out before the pattern begins`() throws {
    let layout = TakeLayout(
      rate: .standard, patternLength: 48_000, probeLength: 9_600, markerLength: 2_400)
    let probe = try #require(layout.probe)
    #expect(probe >= 14_400)
    #expect(layout.pattern - probe - 9_600 >= 19_200)
  }
}
