// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams

/// The type of a channel in a buffer of Linux' Industrial I/O: `le:s12/16>>4`.
///
/// Byte order (`le`, `be`), sign (`s`, `u`), bits that are used, bits that are stored, a count of repeats
/// (`X3`), and the shift down. Source: the kernel's Documentation/ABI/testing/sysfs-bus-iio,
/// `in_*_type`.
public struct ScanElement: Sendable, Hashable, CustomStringConvertible {
  package let isBigEndian: Bool
  package let isSigned: Bool
  package let bits: Int
  /// Bits that are stored: 8, 16, 32 or 64.
  package let storageBits: Int
  package let count: Int
  package let shift: Int

  /// Makes a type; `nil` where the numbers do not fit together.
  package init?(
    isBigEndian: Bool = false, isSigned: Bool, bits: Int, storageBits: Int, count: Int = 1,
    shift: Int = 0
  ) {
    guard [8, 16, 32, 64].contains(storageBits), (1...storageBits).contains(bits),
      (0...(storageBits - bits)).contains(shift), (1...64).contains(count)
    else { return nil }
    self.isBigEndian = isBigEndian
    self.isSigned = isSigned
    self.bits = bits
    self.storageBits = storageBits
    self.count = count
    self.shift = shift
  }

  /// Reads the text of a `type` file; a line feed at its end is allowed.
  ///
  /// - Throws: `unknown` with the place where the text is not a type, `range` where its numbers do not
  ///   fit together.
  public init(_ text: String) throws(CodecError) {
    var scanner = Scanner(bytes: Array(text.utf8))
    let order = try scanner.oneOf(["le:", "be:"])
    let sign = try scanner.oneOf(["s", "u"])
    let bits = try scanner.number()
    _ = try scanner.oneOf(["/"])
    let storageBits = try scanner.number()
    var count = 1
    if scanner.peek == UInt8(ascii: "X") {
      scanner.place += 1
      count = try scanner.number()
    }
    _ = try scanner.oneOf([">>"])
    let shift = try scanner.number()
    if scanner.peek == UInt8(ascii: "\n") { scanner.place += 1 }
    guard scanner.peek == nil else { throw scanner.error("the end of the text") }
    guard
      let element = ScanElement(
        isBigEndian: order == "be:", isSigned: sign == "s", bits: bits, storageBits: storageBits,
        count: count, shift: shift)
    else {
      throw CodecError(
        .range, packet: "IIO type", offset: 0,
        problem:
          "'\(text)': \(bits) bits and a shift of \(shift) do not fit into \(storageBits), which "
          + "has to be 8, 16, 32 or 64, with 1 to 64 repeats")
    }
    self = element
  }

  /// The text as the kernel writes it.
  public var description: String {
    "\(isBigEndian ? "be" : "le"):\(isSigned ? "s" : "u")\(bits)/\(storageBits)"
      + (count > 1 ? "X\(count)" : "") + ">>\(shift)"
  }

  package var byteCount: Int { storageBits / 8 }

  /// The number in stored bytes, whose count is `byteCount`; unsigned 64 bits wrap into the sign.
  package func value(_ bytes: some BidirectionalCollection<UInt8>) -> Int64 {
    precondition(bytes.count == byteCount, "\(bytes.count) bytes are no \(self)")
    var stored: UInt64 = 0
    if isBigEndian {
      for byte in bytes { stored = stored << 8 | UInt64(byte) }
    } else {
      for byte in bytes.reversed() { stored = stored << 8 | UInt64(byte) }
    }
    let unused = UInt64(64 - bits)
    let top = (stored >> UInt64(shift)) << unused
    return isSigned ? Int64(bitPattern: top) >> Int64(unused) : Int64(bitPattern: top >> unused)
  }

  private struct Scanner {
    let bytes: [UInt8]
    var place = 0

    var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func oneOf(_ choices: [String]) throws(CodecError) -> String {
      for choice in choices where bytes[place...].starts(with: choice.utf8) {
        place += choice.utf8.count
        return choice
      }
      throw error(choices.map { "'\($0)'" }.joined(separator: " or "))
    }

    mutating func number() throws(CodecError) -> Int {
      let digits = bytes[place...].prefix { (0x30...0x39).contains($0) }
      guard (1...3).contains(digits.count) else { throw error("a number of one to three digits") }
      place += digits.count
      return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    func error(_ expected: String) -> CodecError {
      CodecError(
        .unknown, packet: "IIO type", offset: place,
        problem: "\(expected) is expected, as in 'le:s12/16>>4'")
    }
  }
}

/// Where the channels of an Industrial I/O buffer lie in a scan.
///
/// Channels lie in the order of their index, each aligned to its own size, a repeated one to that of its
/// numbers; the scan is as long as its alignment needs. Source: the kernel's
/// Documentation/iio/iio_devbuf.rst and drivers-api/iio/buffers.
public struct ScanLayout: Sendable, Hashable {
  /// A channel of a scan.
  public struct Channel: Sendable, Hashable {
    /// The name as sysfs has it, without `in_`: `accel_x`, `timestamp`.
    package var name: String
    package var index: Int
    package var type: ScanElement
    /// m/s2 (or the channel's unit) of a step, after the offset.
    package var scale: Double
    /// Steps to add before the scale.
    package var offset: Double

    /// Makes a channel.
    public init(
      name: String, index: Int, type: ScanElement, scale: Double = 1, offset: Double = 0
    ) {
      self.name = name
      self.index = index
      self.type = type
      self.scale = scale
      self.offset = offset
    }
  }

  package let channels: [Channel]
  /// The place of each channel in bytes.
  package let offsets: [Int]
  /// Bytes of a scan.
  public let size: Int

  /// Lays out the enabled channels; throws `range` without channels, or where two have one index.
  public init(_ channels: [Channel]) throws(CodecError) {
    let sorted = channels.sorted { $0.index < $1.index }
    guard !sorted.isEmpty, Set(sorted.map(\.index)).count == sorted.count else {
      throw CodecError(
        .range, packet: "IIO scan", offset: 0,
        problem:
          "\(channels.count) channels with indices \(sorted.map(\.index)): each needs its own")
    }
    var offsets: [Int] = []
    var place = 0
    var alignment = 1
    for channel in sorted {
      let unit = channel.type.byteCount
      place = (place + unit - 1) / unit * unit
      offsets.append(place)
      place += unit * channel.type.count
      alignment = max(alignment, unit)
    }
    self.channels = sorted
    self.offsets = offsets
    size = (place + alignment - 1) / alignment * alignment
  }

  /// A scan in numbers.
  public struct Scan: Sendable, Hashable {
    /// The channels' numbers in their units, in the order of the layout, repeated ones one after the other; the
    /// time stamp is left out.
    public var values: [Double]
    /// The time stamp in nanoseconds of the buffer's clock; `nil` without that channel.
    public var timestamp: Int64?
  }

  /// Reads whole scans; the bytes of a part at the end are left.
  public func read(_ bytes: [UInt8]) -> (scans: [Scan], byteCount: Int) {
    let count = bytes.count / size
    let scans = (0..<count).map { index in
      var scan = Scan(values: [], timestamp: nil)
      for (channel, offset) in zip(channels, offsets) {
        for repeated in 0..<channel.type.count {
          let place = index * size + offset + repeated * channel.type.byteCount
          let value = channel.type.value(bytes[place..<(place + channel.type.byteCount)])
          if channel.name == "timestamp" {
            scan.timestamp = value
          } else {
            scan.values.append((Double(value) + channel.offset) * channel.scale)
          }
        }
      }
      return scan
    }
    return (scans, count * size)
  }
}
