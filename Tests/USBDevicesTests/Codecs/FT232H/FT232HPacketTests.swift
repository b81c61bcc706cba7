// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Testing

@testable import USBDevices

/// Commands of AN_108 (MPSSE) as AN_255 puts them together for I2C.
struct FT232HPacketTests {
  @Test func `commands are the bytes of the notes`() throws {
    // Divide-by-5 off, adaptive off, three phases on, loopback off, open drain on AD0 to AD2, divisor:
    // 60 MHz / ((1 + 49) * 2) * 2/3 = 400 kHz.
    #expect(
      try FT232HCommand.configure(hertz: 400_000).bytes() == hex("8a 97 8c 85 9e 07 00 86 31 00"))
    // AN_255 has 0x00c8 (99.5 kHz); 0x00c7 is 100 kHz exactly.
    #expect(
      try FT232HCommand.configure(hertz: 100_000).bytes().suffix(3) == hex("86 c7 00")[...])
    #expect(
      try FT232HCommand.writeByte(0xb4).bytes() == hex("11 00 00 b4 80 02 03 22 00"))
    #expect(
      try FT232HCommand.readByte(acknowledge: false).bytes()
        == hex("20 00 00 13 00 ff 80 02 03"))
    #expect(
      try FT232HCommand.lines(clock: true, data: false, times: 2).bytes()
        == hex("80 01 03 80 01 03"))
    #expect(throws: CodecError.self) { try FT232HCommand.configure(hertz: 0).bytes() }
    #expect(throws: CodecError.self) {
      try FT232HCommand.lines(clock: true, data: true, times: 0).bytes()
    }
  }

  @Test func `the status bytes of every packet are taken out`() throws {
    let packet = { (count: Int) in hex("32 60") + (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }
    let report = try FT232HReport(packet(62) + packet(5), packetSize: 64)
    #expect(report.bytes == (0..<62).map { UInt8($0) } + [0, 1, 2, 3, 4])
    #expect(!report.overrun)
    #expect(try FT232HReport(hex("32 62 01")).overrun)
    #expect(try FT232HReport([]).bytes.isEmpty)
    #expect(throws: CodecError.self) { try FT232HReport(hex("32")) }
    #expect(throws: CodecError.self) { try FT232HReport(packet(62) + [0x32], packetSize: 64) }
  }

  @Test func `a read is start, address, register, start, address, stop on the lines`() throws {
    var bench = SessionFixture(FT232HBridge(), ModelFT232H.self)
    _ = bench.open() as SessionResult
    let before = bench.model.conditions.count
    _ = bench.run(.readResonance) as SessionResult
    #expect(
      bench.model.conditions.dropFirst(before).prefix(3) == ["start", "start", "stop"])
    #expect(bench.model.divisor == 49)
  }

  @Test func `an answer in several transfers is put together`() throws {
    var bridge = FT232HBridge()
    _ = bridge.open()
    #expect(bridge.receive(hex("32 60")) == .exchange([]))
    #expect(bridge.receive(hex("32 60 fa")) == .exchange([]))
    #expect(bridge.receive(hex("32 60 aa")) == .finished([]))
  }
}
