// SPDX-License-Identifier: Apache-2.0

// The functions that the render loops need for every frame. They have no table, no branch and no
// call, so that loops over them are turned into vectors.

/// Turns 0...1 as a phase in units of 2^-32 period, rounded to nearest.
///
/// Beside 1.5 x 2^20 the last bit of a double is worth 2^-32: its lower half then is the phase, found
/// without a conversion that would have to check its range.
@_noAllocation @_noLocks @inline(__always)
func phaseUnits(ofTurns turns: Double) -> UInt32 {
  UInt32(truncatingIfNeeded: (turns + 0x1.8p20).bitPattern)
}

/// The sine of a phase in units of 2^-32 period; the error stays below -130 dB.
///
/// sin(pi x) = x (1 - x^2) P(x^2) on -1...1, with P of degree 4 fitted to the least greatest error.
@_noAllocation @_noLocks @inline(__always)
func sine(ofPhase phase: UInt32) -> Float {
  let x = Float(Int32(bitPattern: phase)) * 0x1p-31
  let square = x * x
  var sum: Float = 0.005972646118
  sum = sum * square - 0.074458390885
  sum = sum * square + 0.523780003688
  sum = sum * square - 2.026083722002
  sum = sum * square + 3.141591296885
  return (x - x * square) * sum
}

/// 2^x for -126...126, to 2e-7 of the value, and exactly 1 at 0.
///
/// 2^x = 2^n 2^f with n the nearest whole number: 2^f = 1 + f P(f) with P of degree 4 fitted to the
/// least greatest error, and n is added to the exponent.
@_noAllocation @_noLocks @inline(__always)
func powerOfTwo(_ x: Float) -> Float {
  // Beside 1.5 x 2^23 the last bit of a float is worth 1: its lower bits then are n.
  let shifted = x + 0x1.8p23
  let f = x - (shifted - 0x1.8p23)
  var sum: Float = 0.00132647271894
  sum = sum * f + 0.00967151264426
  sum = sum * f + 0.05550733743273
  sum = sum * f + 0.24022242085275
  sum = sum * f + 0.69314697759916
  return Float(bitPattern: (1 + f * sum).bitPattern &+ (shifted.bitPattern << 23))
}

/// The highest frequency that taps, tones and filters are given, in turns a frame: nine tenths of half a
/// turn, the Nyquist frequency.
///
/// Above, a sine has so few samples a period that its crests are missed, and a device's own low-pass takes
/// it away.
var highestTurns: Double {
  @_noAllocation @_noLocks get { 0.45 }
}

/// The first whole frame that is not before a position in frames.
///
/// A position less than a millionth above a frame is that frame: 0.07 s at 48 kHz is frame 3360.
/// A time that no count of frames reaches may stand in a file: it becomes one that is never reached.
func frame(atOrAfter position: Double) -> Int {
  position < 0x1p52 ? Int((position - 1e-6).rounded(.up)) : 1 << 52
}

/// The earlier of two frames; the generic `min` is not known to be free of allocation.
@_noAllocation @_noLocks @inline(__always)
func earlier(_ a: Int, _ b: Int) -> Int { a < b ? a : b }

/// Where a span's samples lie; used only while the caller holds the span exclusively.
///
/// The loops work on pointers, because a closure over the span would count references.
@_noAllocation @_noLocks @inline(__always)
func memory(of span: inout MutableSpan<Float>) -> UnsafeMutablePointer<Float>? {
  span.withUnsafeMutableBufferPointer { $0.baseAddress }
}

/// Working memory for a stretch of frames, a value a frame in each row.
struct StretchMemory: ~Copyable {
  /// The most frames of a stretch.
  static var capacity: Int {
    @_noAllocation @_noLocks get { 256 }
  }

  /// The intensities of one vibration, and then its amplitudes.
  let levels: UnsafeMutablePointer<Float>
  /// The sharpness control of one vibration, or of all: offsets of sharpness, and without a profile what
  /// `TurnLaw.convert` makes of them.
  let sharpnessControl: UnsafeMutablePointer<Float>
  /// The steps of one vibration's phase, and then its phases.
  let phases: UnsafeMutablePointer<UInt32>
  let gains: UnsafeMutablePointer<Float>
  /// The intensity control of all vibrations.
  let intensity: UnsafeMutablePointer<Float>
  /// What a ducking tap leaves of all vibrations.
  let ducking: UnsafeMutablePointer<Float>
  /// The controls of sounds.
  let volume: UnsafeMutablePointer<Float>
  let pan: UnsafeMutablePointer<Float>
  let pitch: UnsafeMutablePointer<Float>
  let brightness: UnsafeMutablePointer<Float>

  init() {
    levels = .allocate(capacity: 9 * Self.capacity)
    phases = .allocate(capacity: Self.capacity)
    sharpnessControl = levels + Self.capacity
    gains = sharpnessControl + Self.capacity
    intensity = gains + Self.capacity
    ducking = intensity + Self.capacity
    volume = ducking + Self.capacity
    pan = volume + Self.capacity
    pitch = pan + Self.capacity
    brightness = pitch + Self.capacity
  }

  deinit {
    levels.deallocate()
    phases.deallocate()
  }
}
