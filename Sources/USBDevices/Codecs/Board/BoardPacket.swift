// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams

/// What every board of the vendor protocol has in common: docs/PROTOCOL-BOARD.md as numbers.
public enum BoardFacts {
  package static let version: UInt8 = 1
  /// The first two bytes of every packet: `HR`.
  package static let magic: [UInt8] = [0x48, 0x52]
  package static let headerSize = 16
  /// Bytes after the payload: the CRC-32.
  package static let trailerSize = 4
  /// The longest packet, header and check sum included: one packet of a high-speed bulk endpoint.
  public static let maximumPacketSize = 512
  package static let maximumPayloadSize = maximumPacketSize - headerSize - trailerSize

  package static let maximumChannelCount = 8
  /// Bytes before the samples of a drive or sensor packet's payload.
  static let framesHeaderSize = 8
  /// After so long without a valid drive packet a running board drives zero, in seconds.
  package static let watchdog = 0.020
  /// A board sends a status at least so often, in seconds.
  package static let statusInterval = 0.050
  /// The fastest tick that a board may count in hertz: half the counter's range stays 134 s.
  package static let maximumTickRate: UInt32 = 16_000_000
}

/// One packet of the vendor protocol: who sent it, its number, its time, and what it says.
///
/// Bytes: `HR`, version, kind, payload length (2), reserved (2), sequence (4), ticks (4), payload, CRC-32 of
/// all before it (4); every number with its lowest byte first. docs/PROTOCOL-BOARD.md is the reference.
public struct BoardPacket: Sendable, Hashable {
  /// What a packet says.
  public enum Message: Sendable, Hashable {
    case command(BoardCommand)
    case report(BoardReport)
  }

  /// Counts the packets of a direction, modulo 2^32.
  package var sequence: UInt32
  /// The board's clock, modulo 2^32: what it stands for depends on the message.
  package var ticks: UInt32
  package var message: Message

  /// Makes a packet from the host.
  public init(sequence: UInt32, ticks: UInt32 = 0, _ command: BoardCommand) {
    self.sequence = sequence
    self.ticks = ticks
    message = .command(command)
  }

  package init(sequence: UInt32, ticks: UInt32, _ report: BoardReport) {
    self.sequence = sequence
    self.ticks = ticks
    message = .report(report)
  }

  /// The bytes on the wire; throws `range` where a value does not fit its place.
  public func bytes() throws(CodecError) -> [UInt8] {
    var writer = ByteWriter(capacity: BoardFacts.maximumPacketSize)
    writer.append(BoardFacts.magic)
    writer.u8(BoardFacts.version)
    switch message {
    case .command(let command): writer.u8(command.kind)
    case .report(let report): writer.u8(report.kind)
    }
    writer.u32(0)
    writer.u32(sequence)
    writer.u32(ticks)
    switch message {
    case .command(let command): try command.write(to: &writer)
    case .report(let report): try report.write(to: &writer)
    }
    writer.replace(u16: UInt16(writer.bytes.count - BoardFacts.headerSize), at: 4)
    writer.u32(CRC32.of(writer.bytes))
    return writer.bytes
  }

  /// Reads the bytes of exactly one packet.
  ///
  /// - Throws: `truncated`, `length`, `checksum`, `version`, `unknown` or `range`, in this order.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    try self.init(bytes, range: 0..<bytes.count)
  }

  init(_ bytes: [UInt8], range: Range<Int>) throws(CodecError) {
    var header = ByteReader(bytes, range: range, as: "board packet")
    let size = try Self.size(header)
    guard range.count >= size else {
      throw header.error(.truncated, "\(range.count) bytes of a packet of \(size)")
    }
    guard range.count == size else {
      throw header.error(.length, "\(range.count) bytes for a packet of \(size)")
    }
    let end = range.upperBound - BoardFacts.trailerSize
    var trailer = ByteReader(bytes, range: end..<range.upperBound, as: "board packet")
    let stated = try trailer.u32()
    let sum = CRC32.of(bytes[range.lowerBound..<end])
    guard stated == sum else {
      throw CodecError(
        .checksum, packet: "board packet", offset: size - BoardFacts.trailerSize,
        problem: "the CRC-32 is \(Self.hex(stated)) where \(Self.hex(sum)) fits the bytes")
    }
    try header.skip(2)
    let version = try header.u8()
    guard version == BoardFacts.version else {
      throw CodecError(
        .version, packet: "board packet", offset: 2,
        problem: "version \(version) where \(BoardFacts.version) is spoken")
    }
    let kind = try header.u8()
    try header.skip(4)
    sequence = try header.u32()
    ticks = try header.u32()
    var payload = ByteReader(
      bytes, range: (range.lowerBound + BoardFacts.headerSize)..<end,
      as: "payload of board packet 0x" + String(kind, radix: 16))
    if let command = try BoardCommand(kind: kind, from: &payload) {
      message = .command(command)
    } else if let report = try BoardReport(kind: kind, from: &payload) {
      message = .report(report)
    } else {
      throw CodecError(
        .unknown, packet: "board packet", offset: 3,
        problem: "kind 0x\(String(kind, radix: 16)) is no packet of version 1")
    }
    try payload.finish()
  }

  static func size(_ header: ByteReader) throws(CodecError) -> Int {
    var header = header
    guard Array(try header.take(2)) == BoardFacts.magic else {
      throw header.error(.unknown, "a packet begins with 0x48 0x52")
    }
    try header.skip(2)
    let payload = Int(try header.u16())
    guard payload <= BoardFacts.maximumPayloadSize else {
      throw header.error(
        .length, "a payload of \(payload) bytes where \(BoardFacts.maximumPayloadSize) is the most")
    }
    return BoardFacts.headerSize + payload + BoardFacts.trailerSize
  }

  private static func hex(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }
}

/// Finds packets in a stream of bytes, however it is cut, and finds its way back after damage.
///
/// Bytes that are no packet are passed over to the next `HR` at which one begins; a wrong check sum costs
/// its first byte only, so that a true packet inside a false one is found. Holds less than one packet.
public struct BoardDecoder: Sendable {
  /// What was found.
  public enum Event: Sendable, Hashable {
    case packet(BoardPacket)
    /// A whole packet with a right check sum that this version cannot read; its header, as far as needed to
    /// refuse it.
    case unreadable(kind: UInt8, sequence: UInt32, error: CodecError)
    /// What looked like a packet and had a wrong check sum or length.
    case damaged(CodecError)
    case skipped(Int)
  }

  /// Bytes that wait for more; a transfer's are copied here and nowhere else.
  var buffer: [UInt8] = []
  private var skipped = 0

  /// Starts between two packets.
  public init() {
    buffer.reserveCapacity(2 * BoardFacts.maximumPacketSize)
  }

  /// Bytes that wait for more.
  public var pendingCount: Int { buffer.count }

  /// Takes the next bytes and gives what they complete, in order.
  ///
  /// - Complexity: O(n) in the bytes, but for damage, where every `HR` inside costs one check sum.
  public mutating func append(_ bytes: some Sequence<UInt8>) -> [Event] {
    buffer.append(contentsOf: bytes)
    return takeEvents()
  }

  mutating func takeEvents() -> [Event] {
    var events: [Event] = []
    var place = 0
    while place < buffer.count {
      let rest = buffer[place...]
      guard rest.prefix(2).elementsEqual(BoardFacts.magic.prefix(rest.count)) else {
        place += 1
        skipped += 1
        continue
      }
      guard rest.count >= 6 else { break }
      var size: Int?
      do {
        let whole = try BoardPacket.size(
          ByteReader(buffer, range: rest.indices, as: "board packet"))
        guard rest.count >= whole else { break }
        size = whole
        note(.packet(try BoardPacket(buffer, range: place..<(place + whole))), in: &events)
        place += whole
      } catch {
        guard let size, error.code != .checksum else {
          note(.damaged(error), in: &events)
          place += 1
          skipped += 1
          continue
        }
        let sequence = (0..<4).reduce(UInt32(0)) { $0 | UInt32(buffer[place + 8 + $1]) << ($1 * 8) }
        note(
          .unreadable(kind: buffer[place + 3], sequence: sequence, error: error), in: &events)
        place += size
      }
    }
    buffer.removeFirst(place)
    return events
  }

  /// Drops a packet that began and did not end, as at the end of a session; gives what was lost.
  package mutating func reset() -> [Event] {
    skipped += buffer.count
    buffer.removeAll(keepingCapacity: true)
    var events: [Event] = []
    note(nil, in: &events)
    return events
  }

  private mutating func note(_ event: Event?, in events: inout [Event]) {
    if skipped > 0 { events.append(.skipped(skipped)) }
    skipped = 0
    if let event { events.append(event) }
  }
}
