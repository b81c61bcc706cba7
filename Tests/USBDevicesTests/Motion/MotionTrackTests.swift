// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import USBDevices

struct MotionTrackTests {
  @Test func `frames lie on lines between reports, on the sensor's clock`() throws {
    // Four frames a report, frame 0 half a report after the counter's zero.
    var track = MotionTrack(rate: 1000, tickRate: 3_000_000, start: 6000)
    #expect(track.add(ticks: 0, values: [0, 10], isAfterLoss: false) == nil)
    let added = track.add(ticks: 12_000, values: [4, 10], isAfterLoss: false)
    let piece = try #require(added)
    #expect(piece.first == 0 && !piece.isLost)
    #expect(piece.values == [[2, 10], [3, 10], [4, 10]])
    let later = track.add(ticks: 24_000, values: [8, 10], isAfterLoss: false)
    let next = try #require(later)
    #expect(next.first == 3)
    #expect(next.values.map { $0[0] } == [5, 6, 7, 8])
  }

  @Test func `lost reports are zeros and the time goes on`() throws {
    var track = MotionTrack(rate: 1000, tickRate: 3_000_000, start: 0)
    _ = track.add(ticks: 0, values: [1], isAfterLoss: false)
    let gap = track.add(ticks: 24_000, values: [1], isAfterLoss: true)
    let lost = try #require(gap)
    #expect(
      lost == MotionTrack.Piece(first: 1, values: Array(repeating: [0], count: 8), isLost: true))
    let later = track.add(ticks: 36_000, values: [5], isAfterLoss: false)
    let next = try #require(later)
    #expect(next.first == 9 && next.values.map { $0[0] } == [2, 3, 4, 5])
  }

  @Test func `a report that is not after the one before says nothing`() {
    var track = MotionTrack(rate: 1000, tickRate: 3_000_000, start: 0)
    _ = track.add(ticks: 12_000, values: [1], isAfterLoss: false)
    #expect(track.add(ticks: 12_000, values: [9], isAfterLoss: false) == nil)
    #expect(track.add(ticks: 9_000, values: [9], isAfterLoss: false) == nil)
    #expect(track.next == 5)
  }
}
