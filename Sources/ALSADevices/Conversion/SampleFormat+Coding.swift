// SPDX-License-Identifier: Apache-2.0

package import Devices

extension SampleFormat {
  /// The bytes of one sample.
  package var byteCount: Int {
    @_noAllocation @_noLocks
    get {
      switch self {
      case .float, .s32, .s24: 4
      case .s24in3: 3
      case .s16: 2
      }
    }
  }

  /// What a sample of 1 would be as an integer, one more than the largest that there is.
  package var steps: Double {
    @_noAllocation @_noLocks
    get {
      switch self {
      case .float: 1
      case .s32: 0x1p31
      case .s24, .s24in3: 0x1p23
      case .s16: 0x1p15
      }
    }
  }

  /// The largest sample that the format holds, as a port's float32.
  ///
  /// At or beyond it, or at -1, the converter was at its end.
  package var largest: Float {
    switch self {
    case .float, .s32: 1
    case .s24, .s24in3, .s16: Float((steps - 1) / steps)
    }
  }
}

/// Memory for samples between a converter and a queue, asked for once and given back with its owner.
struct SampleBlock: ~Copyable {
  let samples: UnsafeMutablePointer<Float>
  let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    samples = .allocate(capacity: capacity)
    samples.initialize(repeating: 0, count: capacity)
  }

  deinit { samples.deallocate() }
}

/// Memory for a converter's own samples where the card does not share its memory.
struct ByteBlock: ~Copyable {
  let bytes: UnsafeMutableRawPointer

  init(byteCount: Int) {
    bytes = .allocate(byteCount: byteCount, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit { bytes.deallocate() }
}

/// A list of numbers that a real-time loop reads without counting references.
struct IndexBlock: ~Copyable {
  let indices: UnsafeMutablePointer<Int>
  let count: Int

  init(_ list: [Int]) {
    count = list.count
    indices = .allocate(capacity: max(1, list.count))
    for (place, index) in list.enumerated() { (indices + place).initialize(to: index) }
  }

  deinit { indices.deallocate() }
}

extension SampleFormat {
  /// Writes frames of a port as frames of a card.
  ///
  /// Exact where the format can hold the sample; dithered (`Dither`) where it cannot, so that what is lost
  /// is noise and no distortion. A sample of zero stays zero. What lies outside -1...1 becomes the
  /// end of the scale, and what is no number becomes zero: both are counted. Card channels above the
  /// port's are zero. *Any thread*; wait-free.
  /// Returns how many samples did not fit the scale; `channels` is at least `width`.
  @_noAllocation @_noLocks
  package func encode(
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

  @_noAllocation @_noLocks @inline(__always)
  private static func rounded(_ value: Double) -> Int {
    Int(value < 0 ? value - 0.5 : value + 0.5)
  }

  /// Reads some channels of a card's frames as frames of a port, full scale at 1.
  ///
  /// Exact but for 32-bit integers, of which float32 keeps the upper 24 bits, rounded. *Any thread*;
  /// wait-free.
  @_noAllocation @_noLocks
  package func decode(
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

/// Noise of triangular density, two steps wide, that makes a narrowing an added noise of its own.
///
/// Repeatable: a seed gives the same sequence on every machine.
package struct Dither: Sendable {
  private var state: UInt64

  /// Starts a sequence.
  @_noAllocation @_noLocks
  package init(seed: UInt64) { state = seed }

  /// The next value, in steps of the converter: the sum of two even ones, in -1...1.
  @_noAllocation @_noLocks @inline(__always)
  mutating func next() -> Double {
    // SplitMix64 (Steele, Lea, Flood 2014): one draw holds both halves.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    let (high, low) = (Int(mixed >> 32), Int(mixed & 0xFFFF_FFFF))
    return Double(high - low) * 0x1p-32
  }
}
