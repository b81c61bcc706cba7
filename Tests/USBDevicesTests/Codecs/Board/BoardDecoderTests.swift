// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import SeededRandom
import Testing

@testable import USBDevices

struct BoardDecoderTests {
  private func drive(_ sequence: UInt32, samples: [Int32] = [1, -1]) throws -> [UInt8] {
    try BoardPacket(
      sequence: sequence,
      .drive(BoardFrames(firstFrame: sequence, channelCount: 1, samples: samples))
    ).bytes()
  }

  private func sequences(_ events: [BoardDecoder.Event]) -> [UInt32] {
    events.compactMap {
      if case .packet(let packet) = $0 { packet.sequence } else { nil }
    }
  }

  @Test(arguments: 0..<30) func `packets are found however the bytes are cut`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var stream: [UInt8] = []
    for sequence in 0..<50 {
      let samples = (0..<random.integer(0...200)).map { _ in Int32(random.integer(-9000...9000)) }
      stream += try drive(UInt32(sequence), samples: samples)
    }
    var decoder = BoardDecoder()
    var events: [BoardDecoder.Event] = []
    var place = 0
    while place < stream.count {
      let count = min(random.integer(1...700), stream.count - place)
      events += decoder.append(stream[place..<(place + count)])
      place += count
    }
    #expect(sequences(events) == Array(0..<50), "\(random)")
    #expect(events.count == 50 && decoder.pendingCount == 0, "\(random)")
  }

  @Test(arguments: 0..<100) func `damage costs the packets it touches and no other`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    var stream: [UInt8] = []
    var spared: [UInt32] = []
    for sequence in UInt32(0)..<60 {
      var bytes = try drive(sequence, samples: (0..<20).map { _ in 0x5248 })
      switch random.integer(0...9) {
      case 0: bytes[random.integer(0...(bytes.count - 1))] ^= UInt8(random.integer(1...255))
      case 1: bytes.removeSubrange(random.integer(0...20)..<random.integer(21...(bytes.count - 1)))
      case 2: bytes.insert(UInt8(random.integer(0...255)), at: random.integer(1...8))
      default: spared.append(sequence)
      }
      stream += bytes
      if random.chance(0.1) {
        // No magic in it: noise that looks like a packet may hide one, until its check sum is read.
        stream += (0..<random.integer(1...40)).map { _ in UInt8(random.integer(0...0x47)) }
      }
    }
    // A packet that lost bytes is known by the ones after it.
    stream += Array(repeating: 0, count: BoardFacts.maximumPacketSize)
    var decoder = BoardDecoder()
    let found = sequences(decoder.append(stream))
    #expect(Set(spared).subtracting(found).isEmpty, "\(random): \(spared) of \(found)")
    #expect(found == found.sorted(), "\(random)")
  }

  @Test func `a packet inside what looked like one is found`() throws {
    var decoder = BoardDecoder()
    let inner = try drive(5)
    // A header that claims 64 bytes and is followed by a true packet.
    let outer = hex("48 52 01 05 40 00 00 00 00 00 00 00 00 00 00 00")
    let events = decoder.append(outer + inner + Array(repeating: 0, count: 60))
    #expect(sequences(events) == [5])
    guard case .damaged(let error) = try #require(events.first) else {
      Issue.record("\(events)")
      return
    }
    #expect(error.code == .checksum)
    #expect(events.dropFirst().first == .skipped(16))
  }

  @Test func `a length above the limit is not waited for`() throws {
    var decoder = BoardDecoder()
    let events = decoder.append(hex("48 52 01 05 ff ff") + (try drive(3)))
    #expect(sequences(events) == [3])
  }

  @Test func `a whole packet of another version is passed over and named`() {
    var bytes = hex("48 52 02 03 00 00 00 00 2a 01 00 00 00 00 00 00")
    let sum = CRC32.of(bytes)
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
    var decoder = BoardDecoder()
    let events = decoder.append(bytes)
    guard case .unreadable(let kind, let sequence, let error) = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(kind == 3 && sequence == 0x12a && error.code == .version && events.count == 1)
  }

  @Test func `less than a packet waits however much noise comes`() {
    var random = SeededRandom(seed: 77)
    var decoder = BoardDecoder()
    for _ in 0..<500 {
      _ = decoder.append((0..<300).map { _ in [0x48, 0x52, 1, 0][random.integer(0...3)] })
      #expect(decoder.pendingCount < BoardFacts.maximumPacketSize)
    }
  }

  @Test func `a reset tells what was left`() throws {
    var decoder = BoardDecoder()
    _ = decoder.append(try drive(1).dropLast())
    #expect(decoder.reset() == [.skipped(31)])
    #expect(decoder.pendingCount == 0)
  }
}
