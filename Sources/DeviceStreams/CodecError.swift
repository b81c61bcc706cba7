/// Why bytes are not the packet they were read as, or a value cannot be sent.
public struct CodecError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of fault it is: enough to choose between waiting, skipping and giving up.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The bytes end before the packet does.
    case truncated
    /// The packet ends before the bytes do, or says another length than it has.
    case length
    /// The check sum does not fit: skip, and count.
    case checksum
    /// A version that is not spoken here.
    case version
    /// An identifier that is not of this device.
    case unknown
    /// A number out of the range that the device takes or the data sheet names.
    case range
    /// The device answered that it did not do what was asked.
    case refused
  }

  /// What kind of fault it is.
  public let code: Code
  /// What was being read or written, as its data sheet names it.
  public let packet: String
  /// The place of the fault in the packet, in bytes from its start.
  public let offset: Int
  /// One clause with the values: what was found and what was expected.
  public let problem: String

  /// Makes an error.
  public init(_ code: Code, packet: String, offset: Int, problem: String) {
    self.code = code
    self.packet = packet
    self.offset = offset
    self.problem = problem
  }

  /// The packet, the place and the problem as one sentence.
  public var description: String { "\(packet), byte \(offset): \(problem)" }
}
