// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Testing

@testable import USBDevices

/// Reports of the application note AN495, sections 4 and 5: numbers have their highest byte first.
struct CP2112PacketTests {
  @Test func `commands are the bytes of the note`() throws {
    #expect(
      try CP2112Command.write(address: 0x5a, bytes: [0x02, 0x7f]).bytes() == hex("14 b4 02 02 7f"))
    #expect(
      try CP2112Command.writeRead(address: 0x5a, target: [0x22], count: 1).bytes()
        == hex("11 b4 00 01 01 22"))
    #expect(try CP2112Command.fetch(count: 258).bytes() == hex("12 01 02"))
    #expect(try CP2112Command.status.bytes() == hex("15 01"))
    #expect(try CP2112Command.cancel.bytes() == hex("17 01"))
    // 400000 = 0x00061a80
    #expect(
      try CP2112Command.configure(hertz: 400_000, timeout: 10, retries: 1).bytes()
        == hex("06 00 06 1a 80 02 00 00 0a 00 0a 01 00 01"))
  }

  @Test func `what does not fit is refused`() {
    #expect(throws: CodecError.self) { try CP2112Command.write(address: 0x5a, bytes: []).bytes() }
    #expect(throws: CodecError.self) {
      try CP2112Command.write(address: 0x80, bytes: [1]).bytes()
    }
    #expect(throws: CodecError.self) {
      try CP2112Command.configure(hertz: 500_000, timeout: 10, retries: 1).bytes()
    }
    #expect(throws: CodecError.self) { try CP2112Command.fetch(count: 513).bytes() }
  }

  @Test func `reports are read, and wrong ones refused`() throws {
    #expect(try CP2112Report(hex("13 02 02 3a e0 00 00")) == .data(status: 2, [0x3a, 0xe0]))
    #expect(try CP2112Report(hex("16 00 00 00 00 00 00")) == .status(.idle))
    #expect(try CP2112Report(hex("16 01 03 00 00 00 00")) == .status(.busy(3)))
    #expect(try CP2112Report(hex("16 02 05 00 01 01 02")) == .status(.complete(readCount: 258)))
    #expect(try CP2112Report(hex("16 03 00 00 00 00 00")) == .status(.failed(0)))
    #expect(throws: CodecError.self) { try CP2112Report(hex("16 04 00 00 00 00 00")) }
    #expect(throws: CodecError.self) { try CP2112Report(hex("13 02 3e")) }
    #expect(throws: CodecError.self) { try CP2112Report(hex("13 02 05 01")) }
    #expect(throws: CodecError.self) { try CP2112Report(hex("99")) }
  }
}
