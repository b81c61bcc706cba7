// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

@Suite struct SyncBandTests {
  /// Offsets in milliseconds, haptic minus audio, on both sides of every bound.
  @Test(arguments: [
    (0.0, SyncBand.green), (-1.0, .green), (-1.01, .amber), (-10, .amber), (-10.01, .orange),
    (-24, .orange), (-24.01, .red), (-1000, .red),
    (0.5, .green), (0.51, .amber), (5, .amber), (5.01, .orange), (12, .orange), (12.01, .red),
    (1000, .red), (.nan, .red), (.infinity, .red),
  ])
  func `bands are halved where the audio leads`(milliseconds: Double, band: SyncBand) {
    #expect(SyncBand(offset: milliseconds / 1000) == band, "at \(milliseconds) ms")
  }

  @Test(arguments: [
    (SyncBand.green, Verdict.pass), (.amber, .pass), (.orange, .marginal), (.red, .fail),
  ])
  func `green and amber pass, orange is marginal, red fails`(band: SyncBand, verdict: Verdict) {
    #expect(band.verdict == verdict)
  }

  @Test(arguments: (-120...120).map { 0.25 * Double($0) })
  func `the limit judges by the bands`(milliseconds: Double) {
    let limit = Limit(ReadingName(.syncAudioHaptic), .syncBands)
    let offset = milliseconds / 1000
    #expect(limit.judge(offset, uncertainty: 1) == SyncBand(offset: offset).verdict)
  }
}
