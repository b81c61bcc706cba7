/// What goes to a bridge's USB endpoints.
public enum BridgeTransfer: Sendable, Hashable {
  /// A HID output report, through the interrupt or the control pipe.
  case report([UInt8])
  /// A HID feature report, through the control pipe.
  case feature([UInt8])
  /// Bytes for the bulk OUT endpoint.
  case bulk([UInt8])
  /// A vendor request to the device without data.
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
  /// The most exchanges of one transaction, the clean-up after a failure included.
  static var exchangeLimit: Int { get }

  /// Sets the bridge up: the bus's speed, pins, whatever was left of an earlier session.
  mutating func open() -> I2CStep

  /// Begins a transaction; the one before has to be over.
  mutating func begin(_ transaction: I2CTransaction) -> I2CStep

  /// Takes what came in after an exchange.
  mutating func receive(_ bytes: [UInt8]) -> I2CStep

  /// Gives up waiting for an answer; may ask for one more exchange that frees the bus.
  ///
  /// What still comes in belongs to nobody: whoever moves the bytes empties the IN endpoint before the next
  /// transaction.
  mutating func abandon() -> I2CStep
}
