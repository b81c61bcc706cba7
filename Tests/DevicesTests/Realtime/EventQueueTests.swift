// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import Testing

@testable import Devices

struct EventQueueTests {
  @Test func `events come out once, in the order of noting`() {
    let queue = RealtimeQueue<EventNote>(capacity: 4)
    var writer = EventWriter(queue: queue.producer)
    var reader = EventReader(queue: queue.consumer)
    writer.note(.overrun, frame: 10, length: 5)
    writer.note(.underrun, frame: 7, length: 1)
    writer.note(.drop, frame: 3, length: 0)
    let told = reader.take()
    #expect(
      told == [
        StreamEvent(kind: .overrun, frame: 10, length: 5),
        StreamEvent(kind: .underrun, frame: 7, length: 1),
      ])
    let isEmpty = reader.take().isEmpty
    #expect(isEmpty)
  }

  @Test func `a look takes nothing away, and sees what came since`() {
    let queue = RealtimeQueue<EventNote>(capacity: 4)
    var writer = EventWriter(queue: queue.producer)
    var reader = EventReader(queue: queue.consumer)
    let first = StreamEvent(kind: .overrun, frame: 10, length: 5)
    let second = StreamEvent(kind: .drop, frame: 20, length: 1)
    writer.note(.overrun, frame: 10, length: 5)
    let looks = [reader.look(), reader.look()]
    #expect(looks == [[first], [first]])
    writer.note(.drop, frame: 20, length: 1)
    let later = [reader.look(), reader.take(), reader.look(), reader.take()]
    #expect(later == [[first, second], [first, second], [], []])
  }

  @Test func `a full queue marks too much and never too little`() {
    let queue = RealtimeQueue<EventNote>(capacity: 2)
    var writer = EventWriter(queue: queue.producer)
    var reader = EventReader(queue: queue.consumer)
    for frame in [0, 100, 200, 300] { writer.note(.overrun, frame: frame, length: 10) }
    let frames1 = reader.take().map(\.frames)
    #expect(frames1 == [0..<10, 100..<110])
    writer.note(.overrun, frame: 400, length: 10)
    let frames2 = reader.take().map(\.frames)
    #expect(frames2 == [200..<410])
    writer.note(.overrun, frame: 500, length: 10)
    let frames3 = reader.take().map(\.frames)
    #expect(frames3 == [500..<510])
  }

  @Test(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
  func `noting asks for no memory`() {
    let queue = RealtimeQueue<EventNote>(capacity: 8)
    var writer = EventWriter(queue: queue.producer)
    let cell = ClockCell()
    allocationCounterStart()
    for frame in 0..<100 {
      writer.note(.drop, frame: frame, length: 1)
      cell.store(frame: frame, nanoseconds: UInt64(frame))
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
  }

  @Test func `a clock's cell shows the latest pair`() {
    let cell = ClockCell()
    #expect(cell.load() == nil)
    cell.store(frame: 5, nanoseconds: 77)
    cell.store(frame: 6, nanoseconds: 99)
    #expect(cell.load() == ClockReading(frame: 6, nanoseconds: 99))
    cell.clear()
    #expect(cell.load() == nil)
  }

  @Test func `a pair that is read while others are written is one that was written`() throws {
    let shared = SharedCell()
    let writer = try RealtimeThread(name: "clock", priority: nil) {
      for frame in 1...200_000 { shared.cell.store(frame: frame, nanoseconds: UInt64(frame) * 3) }
    }
    var seen = 0
    while seen < 200_000 {
      guard let pair = shared.cell.load() else { continue }
      guard pair.nanoseconds == UInt64(pair.frame) * 3, pair.frame >= seen else {
        Issue.record("\(pair) after \(seen)")
        break
      }
      seen = pair.frame
    }
    writer.join()
  }

  private final class SharedCell: Sendable {
    let cell = ClockCell()
  }
}
