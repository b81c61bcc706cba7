import DeviceStreams

/// What a board tells the host.
public enum BoardReport: Sendable, Hashable {
  /// Who is there: the answer to a hello.
  case identity(BoardIdentity)
  /// How it stands: after each command but drive and clock, on each fault, and every 50 ms.
  case status(BoardStatus)
  /// Frames of the sensors; the packet's ticks say when the first one was taken.
  case sensor(BoardFrames)
  /// The board's clock: when the question came; the packet's ticks say when the answer went.
  case clock(token: UInt64, received: UInt32)
  /// A command that was not obeyed.
  case refusal(kind: UInt8, sequence: UInt32, reason: BoardRefusal)

  /// The byte that says what kind of packet it is.
  public var kind: UInt8 {
    switch self {
    case .identity: 0x81
    case .status: 0x82
    case .sensor: 0x83
    case .clock: 0x84
    case .refusal: 0x85
    }
  }

  /// The name in messages.
  var packet: String {
    switch self {
    case .identity: "board identity"
    case .status: "board status"
    case .sensor: "board sensor"
    case .clock: "board clock reply"
    case .refusal: "board refusal"
    }
  }

  init?(kind: UInt8, from reader: inout ByteReader) throws(CodecError) {
    switch kind {
    case 0x81: self = .identity(try BoardIdentity(from: &reader))
    case 0x82: self = .status(try BoardStatus(from: &reader))
    case 0x83: self = .sensor(try BoardFrames(from: &reader))
    case 0x84: self = .clock(token: try reader.u64(), received: try reader.u32())
    case 0x85:
      let sequence = try reader.u32()
      let kind = try reader.u8()
      let reason = BoardRefusal(rawValue: try reader.u8())
      try reader.skip(2)
      self = .refusal(kind: kind, sequence: sequence, reason: reason)
    default: return nil
    }
  }

  func write(to writer: inout ByteWriter) throws(CodecError) {
    switch self {
    case .identity(let identity): try identity.write(to: &writer)
    case .status(let status): status.write(to: &writer)
    case .sensor(let frames): try frames.write(to: &writer, as: packet)
    case .clock(let token, let received):
      writer.u64(token)
      writer.u32(received)
    case .refusal(let kind, let sequence, let reason):
      writer.u32(sequence)
      writer.u8(kind)
      writer.u8(reason.rawValue)
      writer.u16(0)
    }
  }
}

/// Why a board did not obey.
public struct BoardRefusal: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The byte in the packet.
  public let rawValue: UInt8
  /// Takes a byte as it comes: boards may have reasons of their own.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The version of the packet is not spoken.
  public static let version = BoardRefusal(rawValue: 1)
  /// The kind of packet is unknown.
  public static let kind = BoardRefusal(rawValue: 2)
  /// The payload is not one of its kind.
  public static let payload = BoardRefusal(rawValue: 3)
  /// The rate, lead or channel count is not one the board has.
  public static let unsupported = BoardRefusal(rawValue: 4)
  /// The command does not fit the state: drive while idle or silenced, start while running.
  public static let state = BoardRefusal(rawValue: 5)
  /// The drive packet's ticks and its frame index say two different times.
  public static let timing = BoardRefusal(rawValue: 6)

  /// One clause for a message.
  public var description: String {
    switch self {
    case .version: "it speaks another version of the protocol"
    case .kind: "it does not know this kind of packet"
    case .payload: "the payload is malformed"
    case .unsupported: "the rate, lead or channel count is not one it has"
    case .state: "the command does not fit its state"
    case .timing: "the ticks and the index of the drive frames disagree"
    default: "reason \(rawValue)"
    }
  }
}
