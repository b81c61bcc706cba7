public import DeviceStreams

/// What the host tells a CP2112.
public enum CP2112Command: Sendable, Hashable {
  /// Sets the bus up (a feature report): clock in hertz, time limits in milliseconds, retries.
  case configure(hertz: UInt32, timeout: UInt16, retries: UInt16)
  /// Writes bytes, 61 at most.
  case write(address: UInt8, bytes: [UInt8])
  /// Writes a register's number, 16 bytes at most, and reads so many bytes with a repeated start.
  case writeRead(address: UInt8, target: [UInt8], count: Int)
  /// Asks for what was read.
  case fetch(count: Int)
  /// Asks how the transfer went.
  case status
  /// Ends the transfer.
  case cancel

  /// The report's number.
  public var code: UInt8 {
    switch self {
    case .configure: 0x06
    case .writeRead: 0x11
    case .fetch: 0x12
    case .write: 0x14
    case .status: 0x15
    case .cancel: 0x17
    }
  }

  /// The bytes of the report, without the padding that its length on the wire needs.
  ///
  /// - Throws: `range` where a value does not fit.
  public func bytes() throws(CodecError) -> [UInt8] {
    switch self {
    case .configure(let hertz, let timeout, let retries):
      guard (10_000...400_000).contains(hertz), timeout <= 1000, retries <= 1000 else {
        throw error(
          "\(hertz) Hz, \(timeout) ms, \(retries) retries: 10 to 400 kHz and 1000 at most")
      }
      // Own address 2 (its default; only acknowledged), no automatic read, SCL-low reset on.
      let speed = (0..<4).map { UInt8(truncatingIfNeeded: hertz >> (24 - 8 * $0)) }
      return [code] + speed + [0x02, 0x00] + Self.big(timeout) + Self.big(timeout) + [0x01]
        + Self.big(retries)
    case .write(let address, let bytes):
      guard (1...CP2112Facts.dataSize).contains(bytes.count), address < 0x80 else {
        throw error("\(bytes.count) bytes to \(address): 1 to 61, 7 bits")
      }
      return [code, address << 1, UInt8(bytes.count)] + bytes
    case .writeRead(let address, let target, let count):
      guard (1...16).contains(target.count), (1...512).contains(count), address < 0x80 else {
        throw error("\(count) bytes of \(target) from \(address): 1 to 512, 1 to 16, 7 bits")
      }
      return [code, address << 1] + Self.big(UInt16(count)) + [UInt8(target.count)] + target
    case .fetch(let count):
      guard (1...512).contains(count) else { throw error("\(count) bytes where 1 to 512 are read") }
      return [code] + Self.big(UInt16(count))
    case .status, .cancel: return [code, 0x01]
    }
  }

  private static func big(_ value: UInt16) -> [UInt8] {
    [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
  }

  private func error(_ problem: String) -> CodecError {
    CodecError(.range, packet: "CP2112 command", offset: 1, problem: problem)
  }
}
