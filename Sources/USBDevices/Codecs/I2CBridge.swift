// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams

/// What goes to a bridge's USB endpoints.
public enum BridgeTransfer: Sendable, Hashable {
  /// A HID output report, through the interrupt or the control pipe.
  case report([UInt8])
  case feature([UInt8])
  case bulk([UInt8])
  case control(request: UInt8, value: UInt16, index: UInt16)
}

/// What a bridge wants next.
public enum I2CStep: Sendable, Hashable {
  /// Send these, which may be none, then give what comes in to `receive`, or call `abandon` when nothing
  /// does in time.
  case exchange([BridgeTransfer])
  /// It is done; the bytes that were read, none for a write.
  case finished([UInt8])
  /// It did not happen, and the bridge is ready for the next one as far as it can be.
  case failed(I2CFailure)
}

/// A USB-to-I2C bridge as a state machine: bytes in, bytes out, one transaction at a time.
///
/// Every transaction ends after at most `exchangeLimit` exchanges, whatever comes in.
public protocol I2CBridge: Sendable {
  static var exchangeLimit: Int { get }

  /// Sets the bridge up: the bus's speed, pins, whatever was left of an earlier session.
  mutating func open() -> I2CStep

  mutating func begin(_ transaction: I2CTransaction) -> I2CStep

  mutating func receive(_ bytes: [UInt8]) -> I2CStep

  /// Gives up waiting for an answer; may ask for one more exchange that frees the bus.
  ///
  /// What still comes in belongs to nobody: whoever moves the bytes empties the IN endpoint before the next
  /// transaction.
  mutating func abandon() -> I2CStep
}

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
  case noAcknowledge(address: UInt8)
  case bus(String)
  case silent
  case garbled(CodecError)
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
