// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not the packet they were read as, or a value cannot be sent.
public struct CodecError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of fault it is: enough to choose between waiting, skipping and giving up.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    case truncated
    case length
    /// The check sum does not fit: skip, and count.
    case checksum
    case version
    case unknown
    /// A number out of the range that the device takes or the data sheet names.
    case range
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

  package init(_ code: Code, packet: String, offset: Int, problem: String) {
    self.code = code
    self.packet = packet
    self.offset = offset
    self.problem = problem
  }

  /// The packet, the place and the problem as one sentence.
  public var description: String { "\(packet), byte \(offset): \(problem)" }
}

/// The check sum of Ethernet, zip and PNG.
///
/// CRC-32/ISO-HDLC: polynomial 0x04C11DB7, bits reflected (0xEDB88320), register begun with all ones and
/// inverted at the end; of the ASCII text `123456789` it is 0xCBF43926. Source: ITU-T V.42, 8.1.1.6.2.
public struct CRC32: Sendable {
  @usableFromInline var register: UInt32 = 0xffff_ffff

  /// Begins a sum.
  @inlinable public init() {}

  /// Adds bytes to the sum.
  @inlinable
  public mutating func add(_ bytes: some Sequence<UInt8>) {
    var register = register
    let table = Self.table
    for byte in bytes {
      register = register >> 8 ^ table[Int(UInt8(truncatingIfNeeded: register) ^ byte)]
    }
    self.register = register
  }

  /// The sum of what was added.
  @inlinable public var value: UInt32 { ~register }

  /// The sum of some bytes.
  @inlinable
  public static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var sum = CRC32()
    sum.add(bytes)
    return sum.value
  }

  /// What each value of a byte does to the register.
  @usableFromInline static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xedb8_8320
    }
  }
}

/// Follows the sequence numbers of one direction: what was lost, came twice, or came late.
///
/// Numbers are `bits` wide and wrap. A number up to half the range ahead of the expected one means that the
/// ones between were lost; one behind it is late or a duplicate, and its packet is to be dropped.
public struct SequenceTracker: Sendable, Hashable {
  /// What a number says of its packet.
  public enum Arrival: Sendable, Hashable {
    case next
    case after(lost: Int)
    case duplicate
    /// A packet taken for lost when a later one came: use it no more.
    case late

    /// Whether the packet is to be used.
    public var isUsable: Bool {
      switch self {
      case .next, .after: true
      case .duplicate, .late: false
      }
    }
  }

  /// How many bits a number has.
  public let bits: Int
  /// How many packets are missing at the moment.
  public private(set) var lostCount = 0
  /// How many came twice.
  public private(set) var duplicateCount = 0
  /// How many came after a later one; each was counted among the lost first, and stays there.
  public private(set) var lateCount = 0

  private var expected: UInt64?
  /// Bit k: the packet k + 1 before the expected one came.
  private var seen: UInt64 = 0

  /// Begins; the first number is taken as it comes.
  public init(bits: Int) {
    precondition((4...32).contains(bits), "sequence numbers have 4 to 32 bits, not \(bits)")
    self.bits = bits
  }

  /// Says what a number means, and counts it.
  public mutating func note(_ number: UInt32) -> Arrival {
    let mask = (UInt64(1) << UInt64(bits)) - 1
    let number = UInt64(number) & mask
    guard let expected else {
      self.expected = (number + 1) & mask
      seen = 1
      return .next
    }
    let ahead = (number &- expected) & mask
    if ahead <= mask >> 1 {
      self.expected = (number + 1) & mask
      seen = ahead >= 63 ? 1 : seen << (ahead + 1) | 1
      guard ahead > 0 else { return .next }
      lostCount += Int(ahead)
      return .after(lost: Int(ahead))
    }
    let behind = (expected &- number) & mask  // 1: the latest that came
    guard behind <= 64, seen >> (behind - 1) & 1 == 0 else {
      duplicateCount += 1
      return .duplicate
    }
    seen |= 1 << (behind - 1)
    lateCount += 1
    return .late
  }

  /// Forgets which number is expected; the counts stay.
  public mutating func restart() {
    expected = nil
    seen = 0
  }
}

/// Makes a counter that wraps into one that does not.
///
/// A value up to half the range ahead of the latest is later, any other is earlier: so a counter must be
/// seen at least once in half its range.
public struct CounterUnwrapper: Sendable, Hashable {
  /// How many bits the counter has.
  public let bits: Int
  private var latest: Int64?

  /// Begins; the first value stands for itself.
  public init(bits: Int) {
    precondition((4...32).contains(bits), "counters have 4 to 32 bits, not \(bits)")
    self.bits = bits
  }

  /// The value without wraps; may lie before an earlier one, where the device's own values do.
  public mutating func unwrap(_ value: UInt32) -> Int64 {
    let range = Int64(1) << Int64(bits)
    let value = Int64(value) & (range - 1)
    guard let latest else {
      self.latest = value
      return value
    }
    var step = (value - latest) & (range - 1)
    if step >= range / 2 { step -= range }
    let whole = latest + step
    self.latest = max(latest, whole)
    return whole
  }
}
