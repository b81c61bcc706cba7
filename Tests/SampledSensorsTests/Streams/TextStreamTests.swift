// SPDX-License-Identifier: Apache-2.0

import Devices
import SeededRandom
import Testing

@testable import SampledSensors

struct TextStreamTests {
  private func samples(_ events: [SensorEvent]) -> [SensorSample] {
    events.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
  }

  @Test func `lines with a clock and three axes are read after the first one`() {
    // As an MPU-6050 sketch prints it: micros() and three raw axes at +-2 g.
    var stream = TextStream(
      columns: [.ticks(rate: 1e6, bits: 32), .axis(0), .axis(1), .axis(2)], scale: 9.80665 / 16384)
    let text = "us,x,y,z\r\n0,1,2,3\r\n4294967295,16384,-16384,0\r\n1000,0,8192,-1\r\n"
    let events = stream.append(Array(text.utf8))
    #expect(events.first == .skipped(9))
    let samples = samples(events)
    #expect(samples.map(\.ticks) == [4_294_967_295, 1000])
    #expect(samples.first?.acceleration == [9.80665, -9.80665, 0])
  }

  @Test(arguments: ["1 2 3\n", "1\t2\t3\r\n", "1; 2; 3\n", "a/g:\t1\t2\t3\n", "+1.0,2e0,3.\n"])
  func `separators and labels of common sketches are understood`(line: String) {
    var stream = TextStream(columns: [.axis(0), .axis(1), .axis(2)], scale: 1)
    let events = stream.append(Array("0 0 0\n".utf8) + Array(line.utf8))
    #expect(samples(events).map(\.acceleration) == [[1, 2, 3]])
  }

  @Test(arguments: [
    "1,2\n", "1,2,3,4\n", "1,x,3\n", "1,2,nan\n", "1,0x10,3\n", "1,2,3e999\n", "1,--2,3\n",
    "1,2,3e\n",
  ]) func `lines that are no sample are damaged and cost no other`(line: String) {
    var stream = TextStream(columns: [.axis(0), .axis(1), .axis(2)], scale: 1)
    let events = stream.append(Array("0 0 0\n".utf8) + Array(line.utf8) + Array("4,5,6\n".utf8))
    #expect(samples(events).map(\.acceleration) == [[4, 5, 6]])
    let isDamaged = events.contains { if case .damaged = $0 { true } else { false } }
    #expect(isDamaged)
  }

  @Test func `a line without end is bounded and passed over`() {
    var stream = TextStream(columns: [.axis(0)], scale: 1)
    _ = stream.append(Array("0\n".utf8))
    let events = stream.append(Array(repeating: UInt8(ascii: "1"), count: 100_000))
    #expect(events.isEmpty)
    let rest = stream.append(Array("\n7\n".utf8))
    #expect(samples(rest).map(\.acceleration) == [[7]])
    #expect(rest.count == 2)
  }

  @Test(arguments: 0..<40) func `with a counter, lost bytes show and no wrong sample is used`(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    var bytes: [UInt8] = Array("0,0\n".utf8)
    for number in 0..<400 {
      // The axis repeats the counter, so that a wrong sample shows.
      bytes += Array("\(number),\(number * 7)\n".utf8)
    }
    var stream = TextStream(columns: [.counter(bits: 32), .axis(0)], scale: 1)
    var tally = SensorTally(counterBits: 32)
    var used: [SensorSample] = []
    var place = 0
    var cuts = 0
    while place < bytes.count {
      let count = random.integer(1...40)
      let end = min(place + count, bytes.count)
      if random.chance(0.05), cuts < 8, let line = bytes[end...].firstIndex(of: 10) {
        // A loss of whole lines, as of a packet.
        cuts += 1
        for event in stream.append(bytes[place..<end]) {
          if let sample = tally.note(event) { used.append(sample) }
        }
        place = line
        continue
      }
      for event in stream.append(bytes[place..<end]) {
        if let sample = tally.note(event) { used.append(sample) }
      }
      place = end
    }
    let numbers = used.compactMap(\.counter)
    #expect(numbers == numbers.sorted(), "\(random)")
    #expect(tally.sampleCount == used.count, "\(random)")
    #expect(used.count > 200, "\(random)")
  }
}
