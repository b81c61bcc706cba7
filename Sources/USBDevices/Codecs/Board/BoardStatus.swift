import DeviceStreams

/// How a board stands.
public struct BoardStatus: Sendable, Hashable {
  /// What it does.
  public enum State: UInt8, Sendable, Hashable, CaseIterable {
    /// Nothing is driven and nothing captured.
    case idle = 0
    /// Both streams run.
    case running = 1
    /// The drive is held at zero until the next start; the capture goes on.
    case silenced = 2
  }

  /// What went wrong since the last start or hello.
  public struct Faults: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// The bits in the packet.
    public let rawValue: UInt16
    /// Takes bits as they come: boards may have faults of their own in the upper byte.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No drive packet came for 20 ms: the output is off.
    public static let watchdog = Faults(rawValue: 1 << 0)
    /// A drive frame was due and not there: zero was driven.
    public static let underrun = Faults(rawValue: 1 << 1)
    /// A drive frame found no room and was dropped.
    public static let overrun = Faults(rawValue: 1 << 2)
    /// A packet's check sum was wrong.
    public static let checksum = Faults(rawValue: 1 << 3)
    /// Packets were lost, late, or came twice.
    public static let sequence = Faults(rawValue: 1 << 4)
    /// A drive sample lay above the peak of the start and was clipped.
    public static let clipped = Faults(rawValue: 1 << 5)
    /// The host did not fetch sensor packets: some were dropped.
    public static let unread = Faults(rawValue: 1 << 6)
    /// The amplifier reports a fault (current, heat, open load): the output is off.
    public static let amplifier = Faults(rawValue: 1 << 7)

    private static let names = [
      "watchdog", "underrun", "overrun", "checksum", "sequence", "clipped", "unread", "amplifier",
    ]

    /// The names of the faults; `none` without one.
    public var description: String {
      let names = (0..<16).filter { rawValue >> $0 & 1 == 1 }
        .map { $0 < Self.names.count ? Self.names[$0] : "vendor \($0)" }
      return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
  }

  /// What the board does.
  public var state: State
  /// What went wrong since the last start or hello.
  public var faults: Faults
  /// Drive frames that wait.
  public var bufferedFrames: UInt16
  /// The tick of frame 0 of both streams.
  public var startTicks: UInt32
  /// The next drive frame to be played, modulo 2^32.
  public var nextFrame: UInt32
  /// Frames that were due and not there, since the start.
  public var underrunFrames: UInt32
  /// Packets with a wrong check sum, and bytes that were no packet taken as one, since the hello.
  public var damagedPackets: UInt32
  /// Packets that the sequence numbers say were lost, since the hello.
  public var lostPackets: UInt32

  /// Makes a status.
  public init(
    state: State = .idle, faults: Faults = [], bufferedFrames: UInt16 = 0, startTicks: UInt32 = 0,
    nextFrame: UInt32 = 0, underrunFrames: UInt32 = 0, damagedPackets: UInt32 = 0,
    lostPackets: UInt32 = 0
  ) {
    self.state = state
    self.faults = faults
    self.bufferedFrames = bufferedFrames
    self.startTicks = startTicks
    self.nextFrame = nextFrame
    self.underrunFrames = underrunFrames
    self.damagedPackets = damagedPackets
    self.lostPackets = lostPackets
  }

  init(from reader: inout ByteReader) throws(CodecError) {
    let code = try reader.u8()
    guard let state = State(rawValue: code) else {
      throw reader.error(.unknown, "state \(code) where 0, 1 and 2 are known")
    }
    self.state = state
    try reader.skip(1)
    faults = Faults(rawValue: try reader.u16())
    bufferedFrames = try reader.u16()
    try reader.skip(2)
    startTicks = try reader.u32()
    nextFrame = try reader.u32()
    underrunFrames = try reader.u32()
    damagedPackets = try reader.u32()
    lostPackets = try reader.u32()
  }

  func write(to writer: inout ByteWriter) {
    writer.u8(state.rawValue)
    writer.u8(0)
    writer.u16(faults.rawValue)
    writer.u16(bufferedFrames)
    writer.u16(0)
    writer.u32(startTicks)
    writer.u32(nextFrame)
    writer.u32(underrunFrames)
    writer.u32(damagedPackets)
    writer.u32(lostPackets)
  }
}
