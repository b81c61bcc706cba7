// SPDX-License-Identifier: Apache-2.0

import DeviceStreams

/// What a board tells the host.
public enum BoardReport: Sendable, Hashable {
  case identity(BoardIdentity)
  /// How it stands: after each command but drive and clock, on each fault, and every 50 ms.
  case status(BoardStatus)
  /// Frames of the sensors; the packet's ticks say when the first one was taken.
  case sensor(BoardFrames)
  /// The board's clock: when the question came; the packet's ticks say when the answer went.
  case clock(token: UInt64, received: UInt32)
  case refusal(kind: UInt8, sequence: UInt32, reason: BoardRefusal)

  package var kind: UInt8 {
    switch self {
    case .identity: 0x81
    case .status: 0x82
    case .sensor: 0x83
    case .clock: 0x84
    case .refusal: 0x85
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
    case .sensor(let frames): try frames.write(to: &writer, as: "board sensor")
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

  package static let version = BoardRefusal(rawValue: 1)
  package static let kind = BoardRefusal(rawValue: 2)
  package static let payload = BoardRefusal(rawValue: 3)
  package static let unsupported = BoardRefusal(rawValue: 4)
  package static let state = BoardRefusal(rawValue: 5)
  package static let timing = BoardRefusal(rawValue: 6)

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

/// How a board stands.
public struct BoardStatus: Sendable, Hashable {
  /// What it does.
  public enum State: UInt8, Sendable, Hashable, CaseIterable {
    case idle = 0
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
    package static let watchdog = Faults(rawValue: 1 << 0)
    /// A drive frame was due and not there: zero was driven.
    package static let underrun = Faults(rawValue: 1 << 1)
    /// A drive frame found no room and was dropped.
    package static let overrun = Faults(rawValue: 1 << 2)
    package static let checksum = Faults(rawValue: 1 << 3)
    package static let sequence = Faults(rawValue: 1 << 4)
    /// A drive sample lay above the peak of the start and was clipped.
    package static let clipped = Faults(rawValue: 1 << 5)
    /// The host did not fetch sensor packets: some were dropped.
    package static let unread = Faults(rawValue: 1 << 6)
    /// The amplifier reports a fault (current, heat, open load): the output is off.
    package static let amplifier = Faults(rawValue: 1 << 7)

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

  package var state = State.idle
  package var faults: Faults = []
  package var bufferedFrames: UInt16 = 0
  /// The tick of frame 0 of both streams.
  package var startTicks: UInt32 = 0
  /// The next drive frame to be played, modulo 2^32.
  package var nextFrame: UInt32 = 0
  /// Frames that were due and not there, since the start.
  package var underrunFrames: UInt32 = 0
  /// Packets with a wrong check sum, and bytes that were no packet taken as one, since the hello.
  package var damagedPackets: UInt32 = 0
  package var lostPackets: UInt32 = 0

  package static let idle = BoardStatus()
}

extension BoardStatus {
  private static var numbers: [WritableKeyPath<BoardStatus, UInt32>] {
    [\.startTicks, \.nextFrame, \.underrunFrames, \.damagedPackets, \.lostPackets]
  }

  init(from reader: inout ByteReader) throws(CodecError) {
    let code = try reader.u8()
    guard let state = State(rawValue: code) else {
      throw reader.error(.unknown, "state \(code) where 0, 1 and 2 are known")
    }
    try reader.skip(1)
    self.init(
      state: state, faults: Faults(rawValue: try reader.u16()), bufferedFrames: try reader.u16())
    try reader.skip(2)
    for number in Self.numbers { self[keyPath: number] = try reader.u32() }
  }

  func write(to writer: inout ByteWriter) {
    writer.u8(state.rawValue)
    writer.u8(0)
    writer.u16(faults.rawValue)
    writer.u16(bufferedFrames)
    writer.u16(0)
    for number in Self.numbers { writer.u32(self[keyPath: number]) }
  }
}
