// SPDX-License-Identifier: Apache-2.0

import Devices
import SeededRandom
import Testing

@testable import SampledSensors

struct BinaryStreamTests {
  private func samples(_ events: [SensorEvent]) -> [SensorSample] {
    events.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
  }

  @Test func `a WitMotion packet is an acceleration`() throws {
    // WT901 protocol: 55 51, ax ay az temperature with the lower byte first, sum; a = raw / 32768 * 16 g.
    let packet = hex("55 51 00 08 00 f8 01 00 c4 09 74")
    var stream = BinaryStream(.witMotion)
    let sample = try #require(samples(stream.append(packet)).first)
    #expect(abs(sample.acceleration[0] - 9.80665) < 1e-9)
    #expect(abs(sample.acceleration[1] + 9.80665) < 1e-9)
    #expect(abs(sample.acceleration[2] - 16 * 9.80665 / 32768) < 1e-9)
  }

  @Test func `other packets of the module are passed over`() {
    // 55 52 is the gyroscope's packet of the same module.
    let gyroscope = hex("55 52 00 01 00 02 00 03 c4 09 7a")
    let acceleration = hex("55 51 00 08 00 f8 01 00 c4 09 74")
    var stream = BinaryStream(.witMotion)
    let events = stream.append(gyroscope + acceleration + gyroscope + acceleration)
    #expect(samples(events).count == 2)
    #expect(events.first == .skipped(11))
  }

  private static func format(
    _ check: BinaryFormat.Check, bigEndian: Bool = false
  ) -> BinaryFormat {
    BinaryFormat(
      magic: [0xaa, 0x55],
      fields: [
        .init(.u16, .counter(bits: 16)), .init(.u32, .ticks(rate: 1e6, bits: 32)),
        .init(.i24, .axis(0)), .init(.float32, .axis(1)), .init(.i32, .axis(2)), .init(.u8, .other),
      ], check: check, bigEndian: bigEndian, scale: 1)
  }

  struct Case {
    let check: BinaryFormat.Check
    let bigEndian: Bool
    let end: String
  }

  /// Python: struct.pack of 0x0102, 0x03040506, -2 in three bytes, 1.5, -3, 9; sum, xor, binascii.crc_hqx with
  /// 0xffff, zlib.crc32.
  private static let cases: [Case] = [
    Case(check: .sum8, bigEndian: false, end: "12"),
    Case(check: .xor8, bigEndian: false, end: "f2"),
    Case(check: .crc16, bigEndian: false, end: "6f a2"),
    Case(check: .crc32, bigEndian: false, end: "17 55 3f 5a"),
    Case(check: .crc16, bigEndian: true, end: "9b d2"),
    Case(check: .crc32, bigEndian: true, end: "2e 2f f3 1e"),
  ]

  @Test func `every number and check is read in either order`() throws {
    for item in Self.cases { try check(item) }
  }

  private func check(_ item: Case) throws {
    let (check, bigEndian, end) = (item.check, item.bigEndian, item.end)
    let body =
      bigEndian
      ? "aa 55 01 02 03 04 05 06 ff ff fe 3f c0 00 00 ff ff ff fd 09"
      : "aa 55 02 01 06 05 04 03 fe ff ff 00 00 c0 3f fd ff ff ff 09"
    var stream = BinaryStream(Self.format(check, bigEndian: bigEndian))
    let events = stream.append(hex(body + " " + end))
    let sample = try #require(samples(events).first, "\(events)")
    #expect(
      sample
        == SensorSample(counter: 0x0102, ticks: 0x0304_0506, acceleration: [-2, 1.5, -3]))
    #expect(stream.pendingCount == 0)
  }

  @Test func `without a check the next packet has to follow`() {
    let format = BinaryFormat(
      magic: [0xa5], fields: [.init(.i16, .axis(0))], check: .none, scale: 1)
    var stream = BinaryStream(format)
    #expect(samples(stream.append(hex("a5 01 00"))).isEmpty)
    #expect(samples(stream.append(hex("a5"))).map(\.acceleration) == [[1]])
    // A byte is lost in the second packet: it does not count, the third does.
    #expect(samples(stream.append(hex("02 a5 03 00 a5"))).map(\.acceleration) == [[3]])
  }

  @Test(arguments: 0..<60) func `damage costs the packets it touches and no other`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let format = BinaryFormat(
      magic: [0xaa, 0x55], fields: [.init(.u8, .counter(bits: 8)), .init(.i16, .axis(0))],
      check: .crc16, scale: 1)
    var bytes: [UInt8] = []
    var spared: [UInt32] = []
    for number in UInt32(0)..<100 {
      // The numbers look like magic bytes as often as can be.
      var packet: [UInt8] = [0xaa, 0x55, UInt8(number), 0xaa, 0x55]
      let sum = packet.reduce(0xffff as UInt16) { register, byte in
        (0..<8).reduce(register ^ UInt16(byte) << 8) { value, _ in
          value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
        }
      }
      packet += [UInt8(sum & 0xff), UInt8(sum >> 8)]
      switch random.integer(0...9) {
      case 0: packet[random.integer(0...6)] ^= UInt8(random.integer(1...255))
      case 1: packet.remove(at: random.integer(0...6))
      case 2: packet.insert(UInt8(random.integer(0...255)), at: random.integer(1...6))
      default: spared.append(number)
      }
      bytes += packet
    }
    bytes += Array(repeating: 0, count: 20)
    var stream = BinaryStream(format)
    var found: [UInt32] = []
    var place = 0
    while place < bytes.count {
      let end = min(place + random.integer(1...30), bytes.count)
      found += samples(stream.append(bytes[place..<end])).compactMap(\.counter)
      #expect(stream.pendingCount < 2 * format.size, "\(random)")
      place = end
    }
    #expect(Set(spared).subtracting(found).isEmpty, "\(random)")
  }

  @Test func `a tally counts what the counter says was lost`() {
    var tally = SensorTally(counterBits: 8)
    for number: UInt32 in [254, 255, 0, 3, 3, 2] {
      _ = tally.note(.sample(SensorSample(counter: number, acceleration: [0])))
    }
    _ = tally.note(.skipped(5))
    #expect(tally.sampleCount == 4 && tally.lostCount == 2 && tally.skippedByteCount == 5)
  }
}
