// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import SeededRandom
import Testing

struct CountersTests {
  @Test func `the check sum is that of its published check value`() {
    // CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms: check 0xcbf43926.
    #expect(CRC32.of(Array("123456789".utf8)) == 0xcbf4_3926)
    #expect(CRC32.of([]) == 0)
    // Python: zlib.crc32(bytes(range(256)))
    #expect(CRC32.of((0...255).map { UInt8($0) }) == 0x2905_8c73)
  }

  @Test func `a check sum added in parts is that of the whole`() {
    var sum = CRC32()
    sum.add(Array("1234".utf8))
    sum.add(Array("56789".utf8))
    #expect(sum.value == 0xcbf4_3926)
  }

  @Test(arguments: [4, 8, 16, 32]) func `numbers one after the other lose nothing over wraps`(
    bits: Int
  ) {
    var tracker = SequenceTracker(bits: bits)
    let first = UInt32.max - 20
    for step in 0..<100 {
      #expect(tracker.note(first &+ UInt32(step)) == .next)
    }
    #expect(tracker.lostCount == 0 && tracker.duplicateCount == 0 && tracker.lateCount == 0)
  }

  @Test func `a gap is counted, what comes twice or late is not to be used`() {
    var tracker = SequenceTracker(bits: 32)
    #expect(tracker.note(10) == .next)
    #expect(tracker.note(13) == .after(lost: 2))
    #expect(tracker.note(12) == .late)
    #expect(tracker.note(12) == .duplicate)
    #expect(tracker.note(13) == .duplicate)
    #expect(tracker.note(14) == .next)
    #expect(tracker.lostCount == 2 && tracker.lateCount == 1 && tracker.duplicateCount == 2)
  }

  @Test func `a gap over the wrap of a four-bit number is counted`() {
    var tracker = SequenceTracker(bits: 4)
    #expect(tracker.note(14) == .next)
    #expect(tracker.note(1) == .after(lost: 2))
  }

  @Test func `a new session takes any number`() {
    var tracker = SequenceTracker(bits: 32)
    _ = tracker.note(1000)
    tracker.restart()
    #expect(tracker.note(5) == .next)
    #expect(tracker.lostCount == 0)
  }

  @Test(arguments: 0..<20) func `a counter unwraps to what it counted`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let bits = random.integer(4...32)
    var counter = CounterUnwrapper(bits: bits)
    let half = Int64(1) << Int64(bits - 1)
    var truth = Int64(random.next() % UInt64(2 * half))
    var origin: Int64?
    for _ in 0..<2000 {
      let value = counter.unwrap(UInt32(truncatingIfNeeded: truth))
      let start = origin ?? truth - value
      origin = start
      #expect(value + start == truth, "\(random), \(bits) bits")
      truth += Int64(random.next() % UInt64(half))
    }
  }

  @Test func `a counter that steps back a little does not wrap`() {
    var counter = CounterUnwrapper(bits: 16)
    #expect(counter.unwrap(10) == 10)
    #expect(counter.unwrap(5) == 5)
    #expect(counter.unwrap(65535) == -1)
    #expect(counter.unwrap(11) == 11)
  }
}
