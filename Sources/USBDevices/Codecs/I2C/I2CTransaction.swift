import DeviceStreams

/// One act on an I2C bus, from its start to its stop.
public enum I2CTransaction: Sendable, Hashable {
  /// Writes bytes, mostly a register's number and its value.
  case write(address: UInt8, bytes: [UInt8])
  /// Writes a register's number and, after a repeated start, reads so many bytes.
  case read(address: UInt8, register: UInt8, count: Int)

  /// The device spoken to, 7 bits.
  public var address: UInt8 {
    switch self {
    case .write(let address, _), .read(let address, _, _): address
    }
  }

  /// The most bytes either way: one report of the narrowest bridge.
  public static let maximumCount = 60

  /// Traps unless the address has 7 bits and the bytes fit into one report of every bridge.
  func checkForm() {
    precondition(address < 0x80, "an I2C address has 7 bits, not \(address)")
    let count =
      switch self {
      case .write(_, let bytes): bytes.count
      case .read(_, _, let count): count
      }
    precondition(
      (1...Self.maximumCount).contains(count), "\(count) bytes where 1 to 60 go in one transaction")
  }
}

/// Why a transaction did not happen.
public enum I2CFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// Nobody at that address: check the wiring and the device's supply.
  case noAcknowledge(address: UInt8)
  /// The bus or the bridge's engine is stuck; what the bridge says of it.
  case bus(String)
  /// The bridge did not answer in time.
  case silent
  /// The bridge answered what cannot be understood.
  case garbled(CodecError)
  /// The bridge was busy for longer than a transaction takes.
  case busy(polls: Int)

  /// One sentence with what to do.
  public var description: String {
    switch self {
    case .noAcknowledge(let address):
      "no device acknowledges at I2C address 0x\(String(address, radix: 16)): check its supply and "
        + "the wires SDA and SCL"
    case .bus(let reason): "the I2C bus is stuck (\(reason)): check the pull-up resistors"
    case .silent: "the I2C bridge does not answer: plug it in again"
    case .garbled(let error): "the I2C bridge answers in a wrong way (\(error)): plug it in again"
    case .busy(let polls): "the I2C bridge was still busy after \(polls) questions"
    }
  }
}
