public import Devices

extension SampleFormat {
  /// Reads some channels of a card's frames as frames of a port, full scale at 1.
  ///
  /// Exact but for 32-bit integers, of which float32 keeps the upper 24 bits, rounded. *Any thread*;
  /// wait-free.
  ///
  /// - Parameters:
  ///   - bytes: Interleaved frames of the card, `channels` samples each.
  ///   - frames: How many frames.
  ///   - channels: The channels of the card.
  ///   - samples: Room for `frames * width` samples.
  ///   - inputs: The card's channel of each port channel, from 0.
  ///   - width: The channels of the port.
  @_noAllocation @_noLocks
  public func decode(
    _ bytes: UnsafeRawPointer, frames: Int, channels: Int,
    into samples: UnsafeMutablePointer<Float>,
    inputs: UnsafePointer<Int>, width: Int
  ) {
    let size = byteCount
    var frame = bytes
    var place = 0
    for _ in 0..<frames {
      for channel in 0..<width {
        samples[place] = load(frame + inputs[channel] * size)
        place += 1
      }
      frame += channels * size
    }
  }

  @_noAllocation @_noLocks @inline(__always)
  private func load(_ bytes: UnsafeRawPointer) -> Float {
    switch self {
    case .float:
      Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
    case .s32:
      Float(Int32(littleEndian: bytes.loadUnaligned(as: Int32.self))) * 0x1p-31
    case .s24:
      // The fourth byte says nothing: the sign is bit 23.
      Float((Int32(littleEndian: bytes.loadUnaligned(as: Int32.self)) << 8) >> 8) * 0x1p-23
    case .s24in3:
      Float(
        Int32(bytes.load(as: UInt8.self)) | Int32(bytes.load(fromByteOffset: 1, as: UInt8.self))
          << 8
          | Int32(bytes.load(fromByteOffset: 2, as: Int8.self)) << 16) * 0x1p-23
    case .s16:
      Float(Int16(littleEndian: bytes.loadUnaligned(as: Int16.self))) * 0x1p-15
    }
  }
}
