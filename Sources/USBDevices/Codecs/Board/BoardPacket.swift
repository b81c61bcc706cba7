public import DeviceStreams

/// One packet of the vendor protocol: who sent it, its number, its time, and what it says.
///
/// Bytes: `HR`, version, kind, payload length (2), reserved (2), sequence (4), ticks (4), payload, CRC-32 of
/// all before it (4); every number with its lowest byte first. docs/PROTOCOL-BOARD.md is the reference.
public struct BoardPacket: Sendable, Hashable {
  /// What a packet says.
  public enum Message: Sendable, Hashable {
    /// From the host.
    case command(BoardCommand)
    /// From the board.
    case report(BoardReport)
  }

  /// Counts the packets of a direction, modulo 2^32.
  public var sequence: UInt32
  /// The board's clock, modulo 2^32: what it stands for depends on the message.
  public var ticks: UInt32
  /// What the packet says.
  public var message: Message

  /// Makes a packet from the host.
  public init(sequence: UInt32, ticks: UInt32 = 0, _ command: BoardCommand) {
    self.sequence = sequence
    self.ticks = ticks
    message = .command(command)
  }

  /// Makes a packet from a board.
  public init(sequence: UInt32, ticks: UInt32, _ report: BoardReport) {
    self.sequence = sequence
    self.ticks = ticks
    message = .report(report)
  }

  /// The bytes on the wire.
  ///
  /// - Throws: `range` where a value does not fit its place.
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

  /// Reads how long a packet is from its first six bytes.
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
