// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams
public import Devices

/// One sample of a sensor that sends by itself.
public struct SensorSample: Sendable, Hashable {
  /// The sample's number as sent; `nil` where the stream has none.
  package var counter: UInt32?
  /// The sensor's clock as sent; `nil` where the stream has none.
  package var ticks: UInt32?
  /// When it was taken, in nanoseconds of the host's raw monotonic clock; `nil` where nothing says.
  package var time: UInt64?
  /// m/s2 along x, y, z, as many as the stream has.
  public var acceleration: [Double]
}

/// What was found in a sensor's stream.
public enum SensorEvent: Sendable, Hashable {
  case sample(SensorSample)
  /// What looked like one and was not.
  case damaged(CodecError)
  case skipped(Int)
}

/// What a stream lost: by the sensor's own counter where it has one, else by what was damaged.
public struct SensorTally: Sendable {
  package private(set) var sampleCount = 0
  /// Samples that never came, by the counter.
  package private(set) var lostCount = 0
  package private(set) var damagedCount = 0
  package private(set) var skippedByteCount = 0
  private var tracker: SequenceTracker?

  /// Makes a tally; `counterBits` is `nil` where the stream has no counter.
  public init(counterBits: Int?) { tracker = counterBits.map { SequenceTracker(bits: $0) } }

  /// Counts an event; gives the sample if it is to be used, that is neither late nor a duplicate.
  public mutating func note(_ event: SensorEvent) -> SensorSample? {
    switch event {
    case .damaged:
      damagedCount += 1
      return nil
    case .skipped(let count):
      skippedByteCount += count
      return nil
    case .sample(let sample):
      if let counter = sample.counter, tracker?.note(counter).isUsable == false { return nil }
      lostCount = tracker?.lostCount ?? 0
      sampleCount += 1
      return sample
    }
  }
}

/// The text that MEMS breakouts send through a serial port: a line a sample, columns of decimal numbers.
///
/// Columns are separated by commas, semicolons, tabs or spaces, lines end with a line feed; words, as a
/// header or `a/g:` at a line's begin, are passed over. A line with another count of numbers is damaged: half a
/// line, or two that ran together after a loss. Text has no check sum: two halves that make the right count are
/// taken for a line, which only a counter among the columns shows. Holds one line at most.
public struct TextStream: Sendable {
  package static let lineLimit = 256

  package let columns: [SensorField]
  /// m/s2 of the number 1 in an axis' column.
  package let scale: Double
  private var line: [UInt8] = []
  private var isTooLong = false
  private var isFirst = true

  /// Makes a reader; the scale is 9.80665 for g, 9.80665 / 16384 for raw 16 bits at +-2 g.
  public init(columns: [SensorField], scale: Double) {
    precondition(columns.contains { $0.isAxis }, "a stream without axes has no samples")
    precondition(scale.isFinite && scale != 0, "a scale of \(scale) makes no acceleration")
    self.columns = columns
    self.scale = scale
  }

  /// Takes the next bytes and gives the lines that they end, in order.
  ///
  /// The first line with numbers is passed over: a port is opened in the middle of one, and what is missing of a
  /// number does not show.
  public mutating func append(_ bytes: some Sequence<UInt8>) -> [SensorEvent] {
    var events: [SensorEvent] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        if line.count < Self.lineLimit { line.append(byte) } else { isTooLong = true }
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    return events
  }

  private mutating func endLine() -> SensorEvent? {
    defer {
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    guard !isTooLong || isFirst else {
      return .damaged(error(.length, at: Self.lineLimit, "a line above 256 bytes"))
    }
    let separators: [UInt8] = [0x20, 0x09, 0x0d, UInt8(ascii: ","), UInt8(ascii: ";")]
    let words = line.split { separators.contains($0) }
    // Words before the first number are a label; a line of words alone is a header.
    let numbers = words.drop { !Self.beginsNumber($0) }
    guard !numbers.isEmpty else { return nil }
    guard !isFirst else {
      isFirst = false
      return .skipped(line.count + 1)
    }
    guard numbers.count == columns.count else {
      return .damaged(
        error(.length, at: 0, "\(numbers.count) numbers where \(columns.count) make a sample"))
    }
    var sample = SensorSample(acceleration: [])
    for (column, word) in zip(columns, numbers) {
      let text = String(decoding: word, as: UTF8.self)
      guard word.allSatisfy(Self.isNumeral), let value = Double(text), value.isFinite else {
        return .damaged(error(.unknown, at: word.startIndex, "'\(text)' is no decimal number"))
      }
      switch column {
      case .axis: sample.acceleration.append(value * scale)
      case .counter, .ticks:
        guard let whole = UInt32(text) else {
          return .damaged(error(.range, at: word.startIndex, "'\(text)' is no counter of 32 bits"))
        }
        if case .counter = column { sample.counter = whole } else { sample.ticks = whole }
      case .other: break
      }
    }
    return .sample(sample)
  }

  private static func isNumeral(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
  }

  private static func beginsNumber(_ word: ArraySlice<UInt8>) -> Bool {
    guard let first = word.first else { return false }
    return (0x30...0x39).contains(first) || (word.count > 1 && "+-.".utf8.contains(first))
  }

  private func error(_ code: CodecError.Code, at offset: Int, _ problem: String) -> CodecError {
    CodecError(code, packet: "serial line", offset: offset, problem: problem)
  }
}

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
