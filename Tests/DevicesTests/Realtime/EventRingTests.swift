import AllocationCounter
import Devices
import Testing

struct EventRingTests {
  @Test func `events come out once, in the order of noting`() {
    let ring = EventRing(capacity: 4)
    ring.note(.overrun, frame: 10, length: 5)
    ring.note(.underrun, frame: 7, length: 1)
    ring.note(.drop, frame: 3, length: 0)
    #expect(
      ring.take() == [
        StreamEvent(kind: .overrun, frame: 10, length: 5),
        StreamEvent(kind: .underrun, frame: 7, length: 1),
      ])
    #expect(ring.take().isEmpty)
  }

  @Test func `a full ring marks too much and never too little`() {
    let ring = EventRing(capacity: 2)
    for frame in [0, 100, 200, 300] { ring.note(.overrun, frame: frame, length: 10) }
    #expect(ring.take().map(\.frames) == [0..<10, 100..<110])
    ring.note(.overrun, frame: 400, length: 10)
    #expect(ring.take().map(\.frames) == [200..<410])
    ring.note(.overrun, frame: 500, length: 10)
    #expect(ring.take().map(\.frames) == [500..<510])
  }

  @Test(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
  func `noting asks for no memory`() {
    let ring = EventRing(capacity: 8)
    let cell = ClockCell()
    allocationCounterStart()
    for frame in 0..<100 {
      ring.note(.drop, frame: frame, length: 1)
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
