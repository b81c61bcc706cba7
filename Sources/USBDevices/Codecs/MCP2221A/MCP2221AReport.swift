public import DeviceStreams

/// What an MCP2221A answers.
public enum MCP2221AReport: Sendable, Hashable {
  /// How the engine stands, after a status, cancel or speed.
  case status(Status)
  /// Whether a write or read was begun.
  case accepted(code: UInt8, Bool, engine: UInt8)
  /// What was read; `nil` while the engine has nothing to give.
  case data([UInt8]?, engine: UInt8)

  /// The engine in a status.
  public struct Status: Sendable, Hashable {
    /// What the engine does; `MCP2221AFacts.Engine` has names.
    public var engine: UInt8
    /// Bytes asked for in the transfer.
    public var requestedCount: UInt16
    /// Bytes moved in the transfer.
    public var transferredCount: UInt16
    /// What became of a new speed: 0x20 set, 0x21 not, since a transfer runs, 0 not asked.
    public var speed: UInt8
    /// Whether the address or a byte was not acknowledged.
    public var notAcknowledged: Bool
    /// The levels of the lines.
    public var clockIsHigh: Bool
    /// The levels of the lines.
    public var dataIsHigh: Bool
  }

  /// Reads a report of 64 bytes.
  ///
  /// - Throws: `length`, `unknown`, `range` or `refused`.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "MCP2221A report")
    guard bytes.count == MCP2221AFacts.reportSize else {
      throw reader.error(.length, "\(bytes.count) bytes where a report has 64")
    }
    let code = try reader.u8()
    let result = try reader.u8()
    switch code {
    case 0x10:
      guard result == 0 else { throw reader.error(.refused, "result \(result) of a status") }
      self = .status(
        Status(
          engine: bytes[8], requestedCount: UInt16(bytes[9]) | UInt16(bytes[10]) << 8,
          transferredCount: UInt16(bytes[11]) | UInt16(bytes[12]) << 8, speed: bytes[3],
          notAcknowledged: bytes[20] & 0x40 != 0, clockIsHigh: bytes[22] != 0,
          dataIsHigh: bytes[23] != 0))
    case 0x90, 0x91, 0x93, 0x94:
      guard result <= 1 else { throw reader.error(.unknown, "result \(result) where 0 and 1 are") }
      self = .accepted(code: code, result == 0, engine: bytes[2])
    case 0x40:
      let engine = try reader.u8()
      let count = try reader.u8()
      guard result == 0, count != 127 else {
        self = .data(nil, engine: engine)
        return
      }
      guard count <= MCP2221AFacts.dataSize else {
        throw reader.error(.range, "\(count) bytes where a report holds 60")
      }
      self = .data(Array(try reader.take(Int(count))), engine: engine)
    default: throw reader.error(.unknown, "the answer to command 0x\(String(code, radix: 16))")
    }
  }
}
