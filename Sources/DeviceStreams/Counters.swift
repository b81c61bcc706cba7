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
