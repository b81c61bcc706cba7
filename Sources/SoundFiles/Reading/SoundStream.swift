// SPDX-License-Identifier: Apache-2.0

/// A sound that comes as bytes of a pipe, WAV or AU: its header, and then its samples for as long as they come.
///
/// libsndfile wants to know where a file ends; a player that writes into a pipe does not know it either.
package struct SoundStream: Sendable {
  /// What is wrong with the bytes, in a sentence.
  package struct Failure: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  /// How samples are coded.
  package struct Format: Sendable, Equatable {
    package enum Coding: Sendable, Equatable {
      case integer
      case float
    }

    package var coding: Coding
    /// Bytes of a sample.
    package var width: Int
    package var isBigEndian: Bool
    package var rate: Int
    package var channelCount: Int
  }

  /// Known once the header has come.
  package private(set) var format: Format?
  private var waiting: [UInt8] = []
  private static let longestHeader = 1 << 16

  package init() {}

  /// Takes bytes and gives the samples that are whole with them, mixed to one channel.
  package mutating func take(_ bytes: some Collection<UInt8>) throws(Failure) -> [Float] {
    waiting += bytes
    if format == nil {
      guard let (found, length) = try header() else {
        guard waiting.count <= Self.longestHeader else {
          throw Failure(description: "no sound begins within \(Self.longestHeader) bytes")
        }
        return []
      }
      format = found
      waiting.removeFirst(length)
    }
    guard let format else { return [] }
    let frame = format.width * format.channelCount
    let count = waiting.count / frame
    let samples = (0..<count).map { mixed(at: $0 * frame, format) }
    waiting.removeFirst(count * frame)
    return samples
  }

  /// The format and the bytes before the first sample; nil while some of them are to come.
  private func header() throws(Failure) -> (Format, Int)? {
    guard waiting.count >= 4 else { return nil }
    switch Array(waiting[..<4]) {
    case Array("RIFF".utf8), Array("RF64".utf8): return try wave()
    case Array(".snd".utf8): return try au()
    default:
      throw Failure(description: "this is neither WAV nor AU: they begin with 'RIFF' or '.snd'")
    }
  }

  private func wave() throws(Failure) -> (Format, Int)? {
    var place = 12
    var format: Format?
    while place + 8 <= waiting.count {
      let name = Array(waiting[place..<(place + 4)])
      let length = number(at: place + 4, 4)
      place += 8
      if name == Array("data".utf8) {
        guard let format else {
          throw Failure(description: "the WAV has no format before its samples")
        }
        return (format, place)
      }
      guard length <= Self.longestHeader else {
        throw Failure(description: "a part of the WAV's header has \(length) bytes")
      }
      let end = place + length + length % 2
      guard end <= waiting.count else { return nil }
      if name == Array("fmt ".utf8), length >= 16 {
        // What is extensible says its coding at the beginning of its long name.
        let own = number(at: place, 2)
        let code = own == 0xFFFE && length >= 26 ? number(at: place + 24, 2) : own
        format = try checked(
          code: code == 3 ? .float : code == 1 ? .integer : nil, named: "WAV code \(code)",
          width: number(at: place + 14, 2) / 8, isBigEndian: false,
          rate: number(at: place + 4, 4), channels: number(at: place + 2, 2))
      }
      place = end
    }
    return nil
  }

  private func au() throws(Failure) -> (Format, Int)? {
    guard waiting.count >= 24 else { return nil }
    func big(_ place: Int) -> Int {
      waiting[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    let (length, code) = (big(4), big(12))
    guard (24...Self.longestHeader).contains(length) else {
      throw Failure(description: "the AU's header says that it has \(length) bytes")
    }
    guard waiting.count >= length else { return nil }
    let widths = [3: 2, 4: 3, 5: 4, 6: 4]
    let format = try checked(
      code: code == 6 ? .float : widths[code] == nil ? nil : .integer, named: "AU code \(code)",
      width: widths[code] ?? 0, isBigEndian: true, rate: big(16), channels: big(20))
    return (format, length)
  }

  private func checked(
    code: Format.Coding?, named name: String, width: Int, isBigEndian: Bool, rate: Int,
    channels: Int
  ) throws(Failure) -> Format {
    guard let code, code == .float ? width == 4 : (2...4).contains(width) else {
      throw Failure(
        description: "\(name) with \(8 * width) bits is not read: send 16, 24 or 32 bits, or "
          + "floats of 32")
    }
    guard (8_000...192_000).contains(rate), (1...32).contains(channels) else {
      throw Failure(description: "\(channels) channels at \(rate) Hz are not read")
    }
    return Format(
      coding: code, width: width, isBigEndian: isBigEndian, rate: rate, channelCount: channels)
  }

  private func number(at place: Int, _ width: Int) -> Int {
    (0..<width).reduce(0) { $0 | Int(waiting[place + $1]) << (8 * $1) }
  }

  private func mixed(at frame: Int, _ format: Format) -> Float {
    var sum: Float = 0
    for channel in 0..<format.channelCount {
      let place = frame + channel * format.width
      var bits: UInt32 = 0
      for byte in 0..<format.width {
        let own = waiting[place + (format.isBigEndian ? byte : format.width - 1 - byte)]
        bits = bits << 8 | UInt32(own)
      }
      switch format.coding {
      case .float: sum += Float(bitPattern: bits)
      case .integer:
        sum += Float(Int32(bitPattern: bits << UInt32(32 - 8 * format.width))) * 0x1p-31
      }
    }
    return sum / Float(format.channelCount)
  }
}
