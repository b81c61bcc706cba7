public import DeviceStreams

/// What the host tells an MCP2221A.
public enum MCP2221ACommand: Sendable, Hashable {
  /// Asks how the engine stands.
  case status
  /// Ends the transfer that runs and frees the bus.
  case cancel
  /// Sets the bus's clock in hertz, 47 kHz to 400 kHz.
  case speed(hertz: Int)
  /// Writes bytes, 60 at most; without stop a read with repeated start follows.
  case write(address: UInt8, bytes: [UInt8], stop: Bool)
  /// Reads so many bytes; with a repeated start after a write without stop.
  case read(address: UInt8, count: Int, restart: Bool)
  /// Fetches what was read.
  case fetch

  /// The byte that the reply begins with too.
  public var code: UInt8 {
    switch self {
    case .status, .cancel, .speed: 0x10
    case .write(_, _, let stop): stop ? 0x90 : 0x94
    case .read(_, _, let restart): restart ? 0x93 : 0x91
    case .fetch: 0x40
    }
  }

  /// The 64 bytes of the report.
  ///
  /// - Throws: `range` where a value does not fit.
  public func bytes() throws(CodecError) -> [UInt8] {
    var writer = ByteWriter(capacity: MCP2221AFacts.reportSize)
    writer.u8(code)
    switch self {
    case .status, .fetch: break
    case .cancel:
      writer.u8(0)
      writer.u8(0x10)
    case .speed(let hertz):
      // SCL = 12 MHz / (divider + 3).
      let divider = hertz > 0 ? MCP2221AFacts.clock / hertz - 3 : 0
      guard hertz <= 400_000, (1...255).contains(divider) else {
        throw error(.range, at: 4, "\(hertz) Hz where the bus runs at 47 kHz to 400 kHz")
      }
      writer.append([0, 0, 0x20, UInt8(divider)])
    case .write(let address, let bytes, _):
      guard bytes.count <= MCP2221AFacts.dataSize, address < 0x80 else {
        throw error(.range, at: 1, "\(bytes.count) bytes to \(address): 60 at most, 7 bits")
      }
      writer.u16(UInt16(bytes.count))
      writer.u8(address << 1)
      writer.append(bytes)
    case .read(let address, let count, _):
      guard (0...MCP2221AFacts.dataSize).contains(count), address < 0x80 else {
        throw error(.range, at: 1, "\(count) bytes from \(address): 60 at most, 7 bits")
      }
      writer.u16(UInt16(count))
      writer.u8(address << 1 | 1)
    }
    writer.pad(to: MCP2221AFacts.reportSize)
    return writer.bytes
  }

  private func error(_ code: CodecError.Code, at offset: Int, _ problem: String) -> CodecError {
    CodecError(code, packet: "MCP2221A command", offset: offset, problem: problem)
  }
}
