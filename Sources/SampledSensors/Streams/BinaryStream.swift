import DeviceStreams
public import Devices

/// The packets that MEMS breakouts send through a serial port, found again after a loss.
///
/// A wrong check costs one byte, not a packet. Without a check a packet counts when the next one's magic bytes
/// follow it, so the latest is given one packet late. Holds less than two packets.
public struct BinaryStream: Sendable {
  package let format: BinaryFormat
  private var buffer: [UInt8] = []
  private var skipped = 0

  /// Makes a reader.
  public init(_ format: BinaryFormat) { self.format = format }

  /// Bytes that wait for more.
  public var pendingCount: Int { buffer.count }

  /// Takes the next bytes and gives what they complete, in order.
  public mutating func append(_ bytes: some Sequence<UInt8>) -> [SensorEvent] {
    buffer.append(contentsOf: bytes)
    var events: [SensorEvent] = []
    var place = 0
    let size = format.size
    let needed = format.check == .none ? size + format.magic.count : size
    while place < buffer.count {
      let magicCount = min(format.magic.count, buffer.count - place)
      guard buffer[place..<(place + magicCount)].elementsEqual(format.magic.prefix(magicCount))
      else {
        place += 1
        skipped += 1
        continue
      }
      guard buffer.count - place >= needed else { break }
      do {
        let sample = try read(place)
        if skipped > 0 { events.append(.skipped(skipped)) }
        skipped = 0
        events.append(.sample(sample))
        place += size
      } catch {
        if skipped > 0 { events.append(.skipped(skipped)) }
        skipped = 1
        events.append(.damaged(error))
        place += 1
      }
    }
    buffer.removeFirst(place)
    return events
  }

  private func read(_ place: Int) throws(CodecError) -> SensorSample {
    let end = place + format.size - format.check.byteCount
    let packet = buffer[place..<end]
    let stated = unsigned(end, count: format.check.byteCount)
    let sum: UInt32 =
      switch format.check {
      case .none: 0
      case .sum8: UInt32(packet.reduce(0, &+))
      case .xor8: UInt32(packet.reduce(0, ^))
      case .crc16: UInt32(Self.crc16(packet))
      case .crc32: CRC32.of(packet)
      }
    let follows =
      format.check != .none
      || buffer[end..<(end + format.magic.count)].elementsEqual(format.magic)
    guard stated == sum, follows else {
      throw CodecError(
        .checksum, packet: "serial packet", offset: format.size - format.check.byteCount,
        problem: follows
          ? "the check is \(stated) where \(sum) fits the bytes" : "no packet follows")
    }
    return try sample(place + format.magic.count)
  }

  private func sample(_ first: Int) throws(CodecError) -> SensorSample {
    var sample = SensorSample(acceleration: [])
    var place = first
    for field in format.fields {
      let bits = unsigned(place, count: field.number.byteCount)
      let value: Double =
        switch field.number {
        case .u8, .u16, .u32: Double(bits)
        case .i16: Double(Int16(truncatingIfNeeded: bits))
        case .i24: Double(Int32(bitPattern: bits << 8) >> 8)
        case .i32: Double(Int32(bitPattern: bits))
        case .float32: Double(Float(bitPattern: bits))
        }
      switch field.meaning {
      case .axis:
        guard value.isFinite else {
          throw CodecError(
            .range, packet: "serial packet", offset: place - first, problem: "an axis is no number")
        }
        sample.acceleration.append(value * format.scale)
      case .counter: sample.counter = bits
      case .ticks: sample.ticks = bits
      case .other: break
      }
      place += field.number.byteCount
    }
    return sample
  }

  private func unsigned(_ place: Int, count: Int) -> UInt32 {
    var value: UInt32 = 0
    for offset in 0..<count {
      let shift = UInt32(8 * (format.bigEndian ? count - 1 - offset : offset))
      value |= UInt32(buffer[place + offset]) << shift
    }
    return value
  }

  /// CRC-16/IBM-3740; of `123456789` it is 0x29b1.
  static func crc16(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0xffff) { register, byte in
      (0..<8).reduce(register ^ UInt16(byte) << 8) { value, _ in
        value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
      }
    }
  }
}
