public import DeviceStreams

/// What a CP2112 answers.
public enum CP2112Report: Sendable, Hashable {
  /// A part of what was read.
  case data(status: UInt8, [UInt8])
  /// How the transfer went.
  case status(Status)

  /// A transfer's status: byte 1 of the report, with byte 2 as its detail.
  public enum Status: Sendable, Hashable {
    /// No transfer.
    case idle
    /// It runs: 0 address acknowledged, 1 not yet, 2 reading, 3 writing.
    case busy(UInt8)
    /// It is done; so many bytes were read.
    case complete(readCount: UInt16)
    /// It failed: 0 not acknowledged in time, 1 bus not free, 2 arbitration lost, 3 read incomplete, 4
    /// write incomplete.
    case failed(UInt8)
  }

  /// Reads a report; what follows its own bytes is padding.
  ///
  /// - Throws: `truncated`, `unknown` or `range`.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "CP2112 report")
    let code = try reader.u8()
    switch code {
    case 0x13:
      let status = try reader.u8()
      let count = Int(try reader.u8())
      guard count <= CP2112Facts.dataSize else {
        throw reader.error(.range, "\(count) bytes where a report holds 61")
      }
      self = .data(status: status, Array(try reader.take(count)))
    case 0x16:
      let state = try reader.u8()
      let detail = try reader.u8()
      try reader.skip(2)
      let high = UInt16(try reader.u8())
      let count = high << 8 | UInt16(try reader.u8())
      switch state {
      case 0: self = .status(.idle)
      case 1: self = .status(.busy(detail))
      case 2: self = .status(.complete(readCount: count))
      case 3: self = .status(.failed(detail))
      default: throw reader.error(.unknown, "transfer status \(state) where 0 to 3 are known")
      }
    default: throw reader.error(.unknown, "report 0x\(String(code, radix: 16))")
    }
  }
}
