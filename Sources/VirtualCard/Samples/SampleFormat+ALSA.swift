// SPDX-License-Identifier: Apache-2.0

import CALSA
import Devices

extension SampleFormat {
  /// The format that libasound names so, if the card has it.
  init?(_ format: snd_pcm_format_t) {
    guard let match = Self.allCases.first(where: { $0.alsa == format }) else { return nil }
    self = match
  }

  var alsa: snd_pcm_format_t {
    switch self {
    case .s16: SND_PCM_FORMAT_S16_LE
    case .s24in3: SND_PCM_FORMAT_S24_3LE
    case .s24: SND_PCM_FORMAT_S24_LE
    case .s32: SND_PCM_FORMAT_S32_LE
    case .float: SND_PCM_FORMAT_FLOAT_LE
    }
  }

  /// Turns one channel's samples into -1...1: every `stride` bytes of `source` into every
  /// `step`th of `target`.
  ///
  /// An integer's most negative value is -1. All but S32 are exact; of that, float32 keeps 24 bits.
  func decode(
    _ source: UnsafeRawPointer, stride: Int, into target: UnsafeMutablePointer<Float>, step: Int,
    count: Int
  ) {
    @inline(__always)
    func each(_ value: (UnsafeRawPointer) -> Float) {
      for place in 0..<count { target[place * step] = value(source + place * stride) }
    }
    switch self {
    case .s16:
      each { Float(Int16(littleEndian: $0.loadUnaligned(as: Int16.self))) * 0x1p-15 }
    case .s24in3:
      each { place in
        let low = UInt32(place.loadUnaligned(as: UInt16.self))
        let high = UInt32((place + 2).loadUnaligned(as: UInt8.self))
        return Float(Int32(bitPattern: (low << 8) | (high << 24)) >> 8) * 0x1p-23
      }
    case .s24:
      // The byte above the sample is no part of it.
      each { Float(($0.loadUnaligned(as: Int32.self) << 8) >> 8) * 0x1p-23 }
    case .s32:
      each { Float($0.loadUnaligned(as: Int32.self)) * 0x1p-31 }
    case .float:
      each { $0.loadUnaligned(as: Float.self) }
    }
  }

  /// Turns samples of -1...1 into one channel of the format, the way of `decode` back.
  ///
  /// Rounds to the nearest value without dither, as a converter's interface does, and clips at the
  /// ends of the scale.
  func encode(
    _ source: UnsafePointer<Float>, step: Int, into target: UnsafeMutableRawPointer, stride: Int,
    count: Int
  ) {
    @inline(__always)
    func each(_ store: (UnsafeMutableRawPointer, Float) -> Void) {
      for place in 0..<count { store(target + place * stride, source[place * step]) }
    }
    switch self {
    case .s16:
      each { $0.storeBytes(of: Int16(Self.scaled($1, bits: 16)), as: Int16.self) }
    case .s24in3:
      each { place, value in
        let sample = Self.scaled(value, bits: 24)
        place.storeBytes(of: UInt16(truncatingIfNeeded: sample), as: UInt16.self)
        (place + 2).storeBytes(of: UInt8(truncatingIfNeeded: sample >> 16), as: UInt8.self)
      }
    case .s24:
      each { $0.storeBytes(of: Self.scaled($1, bits: 24), as: Int32.self) }
    case .s32:
      each { $0.storeBytes(of: Self.scaled($1, bits: 32), as: Int32.self) }
    case .float:
      each { $0.storeBytes(of: $1, as: Float.self) }
    }
  }

  /// A value as an integer of so many bits; no number counts as zero.
  @inline(__always)
  private static func scaled(_ value: Float, bits: Int) -> Int32 {
    let end = Double(1 << (bits - 1))
    let sample = (Double(value) * end).rounded()
    // The comparison is false for what is no number.
    guard abs(sample) < end else { return sample >= end ? Int32(end - 1) : lowest(sample, end) }
    return Int32(sample)
  }

  @inline(__always)
  private static func lowest(_ sample: Double, _ end: Double) -> Int32 {
    sample <= -end ? Int32(-end) : 0
  }
}
