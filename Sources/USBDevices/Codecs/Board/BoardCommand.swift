// SPDX-License-Identifier: Apache-2.0

import DeviceStreams

/// What the host tells a board.
public enum BoardCommand: Sendable, Hashable {
  /// Asks who is there; ends whatever ran, and begins the sequence numbers of both directions anew.
  case hello(session: UInt32)
  case start(BoardStart)
  case stop
  /// Drives zero at once, drops what waits, and takes no drive until the next start; capture goes on.
  case silence
  /// Frames to drive; the packet's ticks say when the first one is due.
  case drive(BoardFrames)
  case clock(token: UInt64)

  package var kind: UInt8 {
    switch self {
    case .hello: 0x01
    case .start: 0x02
    case .stop: 0x03
    case .silence: 0x04
    case .drive: 0x05
    case .clock: 0x06
    }
  }

  init?(kind: UInt8, from reader: inout ByteReader) throws(CodecError) {
    switch kind {
    case 0x01: self = .hello(session: try reader.u32())
    case 0x02: self = .start(try BoardStart(from: &reader))
    case 0x03: self = .stop
    case 0x04: self = .silence
    case 0x05: self = .drive(try BoardFrames(from: &reader))
    case 0x06: self = .clock(token: try reader.u64())
    default: return nil
    }
  }

  func write(to writer: inout ByteWriter) throws(CodecError) {
    switch self {
    case .hello(let session): writer.u32(session)
    case .start(let start): start.write(to: &writer)
    case .stop, .silence: break
    case .drive(let frames): try frames.write(to: &writer, as: "board drive")
    case .clock(let token): writer.u64(token)
    }
  }
}

/// How a board is to start.
public struct BoardStart: Sendable, Hashable {
  /// Drive frames a second, one of those that the identity names; 0 for no drive.
  package var driveRate: UInt32
  /// Sensor frames a second, one of those that the identity names; 0 for no capture.
  package var sensorRate: UInt32
  /// From the arrival of the packet to frame 0 of both streams, in ticks; less than the watchdog.
  package var lead: UInt32
  /// The highest drive of the session, of full scale 65535: the board clips there, and counts.
  package var peak: UInt16
}

extension BoardStart {
  init(from reader: inout ByteReader) throws(CodecError) {
    driveRate = try reader.u32()
    sensorRate = try reader.u32()
    lead = try reader.u32()
    peak = try reader.u16()
    try reader.skip(2)
  }

  func write(to writer: inout ByteWriter) {
    writer.u32(driveRate)
    writer.u32(sensorRate)
    writer.u32(lead)
    writer.u16(peak)
    writer.u16(0)
  }
}

/// Consecutive frames of a stream, as a drive packet or a sensor packet carries them.
public struct BoardFrames: Sendable, Hashable {
  /// How a sample is written.
  public enum Format: UInt8, Sendable, Hashable, CaseIterable {
    case s16 = 1
    case s24 = 2
    case s32 = 3

    package var byteCount: Int { Int(rawValue) + 1 }
    /// The number that stands for +1; its negative stands for -1.
    package var fullScale: Int32 { Int32.max >> (32 - Int32(byteCount) * 8) }
  }

  /// The index of the first frame since the start, modulo 2^32.
  package var firstFrame: UInt32
  package var channelCount: Int
  package var format: Format
  package var samples: [Int32]

  package init(firstFrame: UInt32, channelCount: Int, format: Format = .s16, samples: [Int32]) {
    self.firstFrame = firstFrame
    self.channelCount = channelCount
    self.format = format
    self.samples = samples
  }

  package var frameCount: Int { channelCount > 0 ? samples.count / channelCount : 0 }

  package static func capacity(channelCount: Int, format: Format) -> Int {
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
