public import Devices

extension SampleFormat {
  /// Writes frames of a port as frames of a card.
  ///
  /// Exact where the format can hold the sample; dithered (`Dither`) where it cannot, so that what is lost
  /// is noise and no distortion. A sample of zero stays zero. What lies outside -1...1 becomes the
  /// end of the scale, and what is no number becomes zero: both are counted. Card channels above the
  /// port's are zero. *Any thread*; wait-free.
  ///
  /// - Parameters:
  ///   - samples: Interleaved, `width` to a frame.
  ///   - frames: How many frames.
  ///   - width: The channels of the port.
  ///   - bytes: Room for `frames * channels` samples of the format.
  ///   - channels: The channels of the card, at least `width`.
  ///   - dither: The noise to narrow with.
  /// - Returns: How many samples did not fit the scale.
  @_noAllocation @_noLocks
  public func encode(
    _ samples: UnsafePointer<Float>, frames: Int, width: Int,
    into bytes: UnsafeMutableRawPointer, channels: Int, dither: inout Dither
  ) -> Int {
    var clipped = 0
    var place = 0
    let size = byteCount
    var source = 0
    for _ in 0..<frames {
      for _ in 0..<width {
        clipped += store(samples[source], into: bytes + place, &dither)
        source += 1
        place += size
      }
      for _ in width..<channels {
        for _ in 0..<size {
          bytes.storeBytes(of: 0, toByteOffset: place, as: UInt8.self)
          place += 1
        }
      }
    }
    return clipped
  }

  /// Stores one sample, and returns 1 if it did not fit.
  @_noAllocation @_noLocks @inline(__always)
  private func store(
    _ sample: Float, into bytes: UnsafeMutableRawPointer, _ dither: inout Dither
  ) -> Int {
    let isNumber = sample == sample
    let value = isNumber ? sample : 0
    if self == .float {
      let limited: Float = value > 1 ? 1 : value < -1 ? -1 : value
      bytes.storeBytes(of: limited.bitPattern.littleEndian, as: UInt32.self)
      return isNumber && limited == value ? 0 : 1
    }
    let (code, clipped) = quantise(value, &dither)
    switch self {
    case .s16: bytes.storeBytes(of: Int16(truncatingIfNeeded: code).littleEndian, as: Int16.self)
    case .s24in3:
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: code), as: UInt8.self)
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: code >> 8), toByteOffset: 1, as: UInt8.self)
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: code >> 16), toByteOffset: 2, as: UInt8.self)
    default: bytes.storeBytes(of: code.littleEndian, as: Int32.self)
    }
    return isNumber && !clipped ? 0 : 1
  }

  /// The integer of a sample, and whether the sample lay outside the scale.
  @_noAllocation @_noLocks @inline(__always)
  private func quantise(_ sample: Float, _ dither: inout Dither) -> (code: Int32, clipped: Bool) {
    let steps = steps
    if sample > 1 { return (Int32(steps - 1), true) }
    if sample < -1 { return (Int32(-steps), true) }
    let exact = Double(sample) * steps
    var code = Self.rounded(exact)
    // 32 bits hold every float32 of the scale but what lies under -186 dB: nothing to dither.
    if Double(code) != exact, self != .s32 { code = Self.rounded(exact + dither.next()) }
    // Full scale itself has no code above: the last one is its nearest, and no clipping.
    let (lowest, highest) = (Int(-steps), Int(steps) - 1)
    return (Int32(code > highest ? highest : code < lowest ? lowest : code), false)
  }

  /// The nearest whole number, halves away from zero.
  @_noAllocation @_noLocks @inline(__always)
  private static func rounded(_ value: Double) -> Int {
    Int(value < 0 ? value - 0.5 : value + 0.5)
  }
}
