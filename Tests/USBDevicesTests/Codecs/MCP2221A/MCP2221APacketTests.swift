// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Testing

@testable import USBDevices

/// Reports of the data sheet DS20005565, tables 3-1, 3-5, 3-13, 3-15 and 3-21.
struct MCP2221APacketTests {
  private func padded(_ text: String) -> [UInt8] {
    let bytes = hex(text)
    return bytes + Array(repeating: 0, count: 64 - bytes.count)
  }

  @Test func `an amplitude for a DRV2605L is the bytes of the hardware notes`() throws {
    // 90 02 00 B4 02 <amplitude>
    let command = MCP2221ACommand.write(address: 0x5a, bytes: [0x02, 0x7f], stop: true)
    #expect(try command.bytes() == padded("90 02 00 b4 02 7f"))
  }

  @Test func `a register is read by a write without stop and a read with repeated start`() throws {
    #expect(
      try MCP2221ACommand.write(address: 0x5a, bytes: [0x22], stop: false).bytes()
        == padded("94 01 00 b4 22"))
    #expect(
      try MCP2221ACommand.read(address: 0x5a, count: 1, restart: true).bytes()
        == padded("93 01 00 b5"))
    #expect(
      try MCP2221ACommand.read(address: 0x5a, count: 2, restart: false).bytes()
        == padded("91 02 00 b5"))
    #expect(try MCP2221ACommand.fetch.bytes() == padded("40"))
  }

  @Test func `status, cancel and speed are one command`() throws {
    #expect(try MCP2221ACommand.status.bytes() == padded("10"))
    #expect(try MCP2221ACommand.cancel.bytes() == padded("10 00 10"))
    // 12 MHz / (27 + 3) = 400 kHz, 12 MHz / (117 + 3) = 100 kHz.
    #expect(try MCP2221ACommand.speed(hertz: 400_000).bytes() == padded("10 00 00 20 1b"))
    #expect(try MCP2221ACommand.speed(hertz: 100_000).bytes() == padded("10 00 00 20 75"))
    #expect(throws: CodecError.self) { try MCP2221ACommand.speed(hertz: 40_000).bytes() }
    #expect(throws: CodecError.self) { try MCP2221ACommand.speed(hertz: 0).bytes() }
  }

  @Test func `replies are read, and wrong ones refused`() throws {
    #expect(
      try MCP2221AReport(padded("90 00 10")) == .accepted(code: 0x90, true, engine: 0x10))
    #expect(
      try MCP2221AReport(padded("90 01 25")) == .accepted(code: 0x90, false, engine: 0x25))
    #expect(try MCP2221AReport(padded("40 00 55 02 3a e0")) == .data([0x3a, 0xe0], engine: 0x55))
    #expect(try MCP2221AReport(padded("40 41 50 7f")) == .data(nil, engine: 0x50))
    #expect(throws: CodecError.self) { try MCP2221AReport(padded("40 00 55 3d")) }
    #expect(throws: CodecError.self) { try MCP2221AReport(padded("77")) }
    #expect(throws: CodecError.self) { try MCP2221AReport(hex("90 00 10")) }
    let status = "10 00 00 20 1b 00 00 00 25 02 00 01 00 00 00 00 00 00 00 00 40 00 01 00"
    guard case .status(let read) = try MCP2221AReport(padded(status)) else {
      Issue.record("no status")
      return
    }
    #expect(read.engine == 0x25 && read.requestedCount == 2 && read.transferredCount == 1)
    #expect(read.notAcknowledged && read.speed == 0x20 && read.clockIsHigh && !read.dataIsHigh)
  }

  @Test func `the longest write fills a report and one byte more is refused`() throws {
    let full = MCP2221ACommand.write(
      address: 0x5a, bytes: Array(repeating: 1, count: 60), stop: true)
    #expect(try full.bytes().count == 64)
    let long = MCP2221ACommand.write(
      address: 0x5a, bytes: Array(repeating: 1, count: 61), stop: true)
    #expect(throws: CodecError.self) { try long.bytes() }
  }
}
