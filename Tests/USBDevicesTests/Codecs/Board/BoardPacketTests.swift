// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import SeededRandom
import Testing

@testable import USBDevices

/// Packets of docs/PROTOCOL-BOARD.md; the bytes were made by Python's `struct.pack` and `zlib.crc32`.
struct BoardPacketTests {
  static let table: [(packet: BoardPacket, bytes: String)] = [
    (
      BoardPacket(sequence: 0, .hello(session: 1)),
      "48 52 01 01 04 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 ba 6a 71 89"
    ),
    (
      BoardPacket(
        sequence: 7, ticks: 12000,
        .drive(BoardFrames(firstFrame: 96, channelCount: 1, samples: [16384, -16384]))),
      """
      48 52 01 05 0c 00 00 00 07 00 00 00 e0 2e 00 00 60 00 00 00 01 01 02 00 00 40 00 c0
      52 59 b8 c6
      """
    ),
    (
      BoardPacket(
        sequence: 1,
        .start(BoardStart(driveRate: 48000, sensorRate: 26667, lead: 5000, peak: 32767))),
      """
      48 52 01 02 10 00 00 00 01 00 00 00 00 00 00 00 80 bb 00 00 2b 68 00 00 88 13 00 00
      ff 7f 00 00 d1 78 1a c7
      """
    ),
    (
      BoardPacket(sequence: 3, ticks: 5, .refusal(kind: 5, sequence: 9, reason: .timing)),
      "48 52 01 85 08 00 00 00 03 00 00 00 05 00 00 00 09 00 00 00 05 06 00 00 03 bc 2a 16"
    ),
    (
      BoardPacket(
        sequence: 2, ticks: 0xffff_fff0,
        .clock(token: 0x0102_0304_0506_0708, received: 0xffff_ff00)),
      """
      48 52 01 84 0c 00 00 00 02 00 00 00 f0 ff ff ff 08 07 06 05 04 03 02 01 00 ff ff ff
      1a d8 84 31
      """
    ),
    (
      BoardPacket(
        sequence: 4, ticks: 1000,
        .sensor(
          BoardFrames(
            firstFrame: .max, channelCount: 2, format: .s24, samples: [8_388_607, -8_388_608]))),
      """
      48 52 01 83 0e 00 00 00 04 00 00 00 e8 03 00 00 ff ff ff ff 02 02 01 00 ff ff 7f 00 00 80
      31 ce 46 39
      """
    ),
    (
      BoardPacket(
        sequence: 0, ticks: 77,
        .identity(
          BoardIdentity(
            session: 1, tickRate: 1_000_000, driveRates: [8000, 48000], sensorRates: [26667],
            driveChannelCount: 1, sensorChannelCount: 3, bufferFrames: 2400,
            fullScaleMicrovolts: 3_300_000, sensorFullScale: 156_906_400, driveDelay: 20000,
            sensorDelay: 30000, serial: "HR-0001", firmware: 7))),
      """
      48 52 01 81 50 00 00 00 00 00 00 00 4d 00 00 00 01 00 00 00 40 42 0f 00 40 1f 00 00
      80 bb 00 00 00 00 00 00 00 00 00 00 2b 68 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      01 03 60 09 01 00 07 00 a0 5a 32 00 a0 33 5a 09 20 4e 00 00 30 75 00 00
      48 52 2d 30 30 30 31 00 00 00 00 00 00 00 00 00 12 a7 a2 2b
      """
    ),
    (
      BoardPacket(
        sequence: 5, ticks: 2000,
        .status(
          BoardStatus(
            state: .running, faults: [.watchdog, .underrun], bufferedFrames: 17, startTicks: 1000,
            nextFrame: 20, underrunFrames: 2, damagedPackets: 1, lostPackets: 4))),
      """
      48 52 01 82 1c 00 00 00 05 00 00 00 d0 07 00 00 01 00 03 00 11 00 00 00 e8 03 00 00
      14 00 00 00 02 00 00 00 01 00 00 00 04 00 00 00 02 64 45 c1
      """
    ),
  ]

  @Test(arguments: table.indices) func `a packet is the bytes of the table`(index: Int) throws {
    #expect(try Self.table[index].packet.bytes() == hex(Self.table[index].bytes))
  }

  @Test(arguments: table.indices) func `the bytes of the table are the packet`(index: Int) throws {
    #expect(try BoardPacket(hex(Self.table[index].bytes)) == Self.table[index].packet)
  }

  @Test(arguments: table.indices) func `one wrong bit anywhere is found`(index: Int) {
    let bytes = hex(Self.table[index].bytes)
    for bit in 0..<(bytes.count * 8) {
      var wrong = bytes
      wrong[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: CodecError.self, "bit \(bit)") { try BoardPacket(wrong) }
    }
  }

  @Test(arguments: table.indices) func `a packet cut short is truncated`(index: Int) {
    let bytes = hex(Self.table[index].bytes)
    for count in 0..<bytes.count {
      let error = #expect(throws: CodecError.self) { try BoardPacket(Array(bytes.prefix(count))) }
      #expect(error?.code == .truncated, "\(count) bytes")
    }
  }

  /// A packet as a peer of another version, or a wrong one, would make it.
  private func packet(version: UInt8 = 1, kind: UInt8, payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x48, 0x52, version, kind, UInt8(payload.count), 0, 0, 0]
    bytes += [9, 0, 0, 0, 0, 0, 0, 0] + payload
    let sum = CRC32.of(bytes)
    return bytes + (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
  }

  @Test func `another version and an unknown kind are told apart`() {
    let version = #expect(throws: CodecError.self) {
      try BoardPacket(packet(version: 2, kind: 3, payload: []))
    }
    #expect(version?.code == .version)
    let kind = #expect(throws: CodecError.self) {
      try BoardPacket(packet(kind: 0x44, payload: []))
    }
    #expect(kind?.code == .unknown)
    #expect(kind?.description == "board packet, byte 3: kind 0x44 is no packet of version 1")
  }

  @Test func `a payload longer or shorter than its kind is refused`() {
    for count in [0, 3, 5, 8] {
      let error = #expect(throws: CodecError.self) {
        try BoardPacket(packet(kind: 1, payload: Array(repeating: 0, count: count)))
      }
      #expect(error?.code == (count < 4 ? .truncated : .length))
    }
  }

  @Test func `a drive packet that says more frames than it has is refused`() {
    let error = #expect(throws: CodecError.self) {
      try BoardPacket(packet(kind: 5, payload: hex("00 00 00 00 01 01 03 00 00 40 00 c0")))
    }
    #expect(error?.code == .length)
  }

  @Test func `a sample that the format cannot hold is not sent`() {
    let frames = BoardFrames(firstFrame: 0, channelCount: 1, samples: [32768])
    #expect(throws: CodecError.self) { try BoardPacket(sequence: 0, .drive(frames)).bytes() }
  }

  @Test(arguments: BoardFrames.Format.allCases, 1...8)
  func `a full packet fits and one frame more does not`(
    format: BoardFrames.Format, channels: Int
  ) throws {
    let capacity = BoardFrames.capacity(channelCount: channels, format: format)
    func packet(_ count: Int) -> BoardPacket {
      BoardPacket(
        sequence: 0,
        .drive(
          BoardFrames(
            firstFrame: 0, channelCount: channels, format: format,
            samples: Array(repeating: -1, count: count * channels))))
    }
    #expect(try packet(capacity).bytes().count <= BoardFacts.maximumPacketSize)
    #expect(throws: CodecError.self) { try packet(capacity + 1).bytes() }
  }

  @Test(arguments: 0..<200) func `any frames read back as themselves`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let format = try #require(BoardFrames.Format.allCases.randomElement(using: &random))
    let channels = random.integer(1...8)
    let count = random.integer(0...BoardFrames.capacity(channelCount: channels, format: format))
    let samples = (0..<(count * channels)).map { _ in
      Int32(truncatingIfNeeded: random.next()) >> Int32(32 - 8 * format.byteCount)
    }
    let frames = BoardFrames(
      firstFrame: UInt32(truncatingIfNeeded: random.next()), channelCount: channels,
      format: format, samples: samples)
    let packet = BoardPacket(
      sequence: UInt32(truncatingIfNeeded: random.next()),
      ticks: UInt32(truncatingIfNeeded: random.next()), BoardReport.sensor(frames))
    #expect(try BoardPacket(try packet.bytes()) == packet, "\(random)")
  }
}
