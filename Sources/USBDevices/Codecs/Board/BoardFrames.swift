import DeviceStreams

/// Consecutive frames of a stream, as a drive packet or a sensor packet carries them.
public struct BoardFrames: Sendable, Hashable {
  /// How a sample is written.
  public enum Format: UInt8, Sendable, Hashable, CaseIterable {
    /// Two bytes, signed.
    case s16 = 1
    /// Three bytes, signed.
    case s24 = 2
    /// Four bytes, signed.
    case s32 = 3

    /// Bytes of a sample.
    public var byteCount: Int { Int(rawValue) + 1 }
    /// The number that stands for +1; its negative stands for -1.
    public var fullScale: Int32 { Int32.max >> (32 - Int32(byteCount) * 8) }
  }

  /// The index of the first frame since the start, modulo 2^32.
  public var firstFrame: UInt32
  /// Samples of a frame.
  public var channelCount: Int
  /// How samples are written.
  public var format: Format
  /// Frames one after the other, `channelCount` samples each.
  public var samples: [Int32]

  /// Makes frames.
  ///
  /// - Parameters:
  ///   - firstFrame: The index of the first frame since the start, modulo 2^32.
  ///   - channelCount: Samples of a frame.
  ///   - format: How samples are written.
  ///   - samples: Interleaved; `packet` refuses what the format cannot hold.
  public init(firstFrame: UInt32, channelCount: Int, format: Format = .s16, samples: [Int32]) {
    self.firstFrame = firstFrame
    self.channelCount = channelCount
    self.format = format
    self.samples = samples
  }

  /// How many frames these are.
  public var frameCount: Int { channelCount > 0 ? samples.count / channelCount : 0 }

  /// The most frames that fit into a packet.
  public static func capacity(channelCount: Int, format: Format) -> Int {
    (BoardFacts.maximumPayloadSize - BoardFacts.framesHeaderSize)
      / (format.byteCount * channelCount)
  }

  init(from reader: inout ByteReader) throws(CodecError) {
    firstFrame = try reader.u32()
    channelCount = Int(try reader.u8())
    guard (1...BoardFacts.maximumChannelCount).contains(channelCount) else {
      throw reader.error(.range, "\(channelCount) channels where a stream has 1 to 8")
    }
    let code = try reader.u8()
    guard let format = Format(rawValue: code) else {
      throw reader.error(
        .unknown, "sample format \(code) where 1 (s16), 2 (s24) and 3 (s32) are known")
    }
    self.format = format
    let count = Int(try reader.u16()) * channelCount
    guard reader.remaining == count * format.byteCount else {
      throw reader.error(
        .length, "\(reader.remaining) bytes hold no \(count) samples of \(format.byteCount) bytes")
    }
    samples = []
    samples.reserveCapacity(count)
    for _ in 0..<count {
      switch format {
      case .s16: samples.append(Int32(try reader.i16()))
      case .s24: samples.append(try reader.i24())
      case .s32: samples.append(try reader.i32())
      }
    }
  }

  func write(to writer: inout ByteWriter, as packet: String) throws(CodecError) {
    guard (1...BoardFacts.maximumChannelCount).contains(channelCount),
      samples.count.isMultiple(of: channelCount)
    else {
      throw CodecError(
        .range, packet: packet, offset: BoardFacts.headerSize + 4,
        problem: "\(samples.count) samples make no frames of \(channelCount) channels (1 to 8)")
    }
    guard frameCount <= Self.capacity(channelCount: channelCount, format: format) else {
      throw CodecError(
        .range, packet: packet, offset: BoardFacts.headerSize + 6,
        problem: "\(frameCount) frames do not fit into a packet: send "
          + "\(Self.capacity(channelCount: channelCount, format: format)) at most")
    }
    writer.u32(firstFrame)
    writer.u8(UInt8(channelCount))
    writer.u8(format.rawValue)
    writer.u16(UInt16(frameCount))
    let range = (-format.fullScale - 1)...format.fullScale
    for sample in samples {
      guard range.contains(sample) else {
        throw CodecError(
          .range, packet: packet, offset: writer.bytes.count,
          problem: "sample \(sample) is not within \(range)")
      }
      switch format {
      case .s16: writer.u16(UInt16(truncatingIfNeeded: sample))
      case .s24: writer.u24(UInt32(bitPattern: sample))
      case .s32: writer.u32(UInt32(bitPattern: sample))
      }
    }
  }
}
