// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams
import Glibc

/// What one actuator of a Switch controller drives: a high and a low band at once, on the grid of its codes.
///
/// Frequencies lie 1/32 octave apart, f = 10 Hz * 2^(code / 32). Amplitudes are codes 0 to 100 in three
/// ranges; above 100 (high band 0xC8, low band 0x72) the actuator can be damaged, and no value of this type
/// gets there.
public struct SwitchRumble: Sendable, Hashable {
  /// Codes of the high band's frequency: 81.75 Hz to 1252.6 Hz.
  package static let highRange = 0x61...0xdf
  /// Codes of the low band's frequency: 40.9 Hz to 626.3 Hz.
  package static let lowRange = 0x41...0xbf
  package static let amplitudeRange = 0...100

  package let highCode: Int
  /// The high band's amplitude code.
  public let highAmplitudeCode: Int
  package let lowCode: Int
  /// The low band's amplitude code.
  public let lowAmplitudeCode: Int

  /// No drive: 320 Hz and 160 Hz at amplitude 0, as the console sends it.
  package static let off = SwitchRumble(
    highHertz: 320, highAmplitude: 0, lowHertz: 160, lowAmplitude: 0)

  package init(
    highCode: Int, highAmplitudeCode: Int, lowCode: Int, lowAmplitudeCode: Int
  ) throws(CodecError) {
    guard Self.highRange.contains(highCode), Self.lowRange.contains(lowCode),
      Self.amplitudeRange.contains(highAmplitudeCode),
      Self.amplitudeRange.contains(lowAmplitudeCode)
    else {
      throw CodecError(
        .range, packet: "Switch rumble", offset: 0,
        problem: "high \(highCode) at \(highAmplitudeCode), low \(lowCode) at \(lowAmplitudeCode): "
          + "frequencies 97 to 223 and 65 to 191, amplitudes 0 to 100")
    }
    self.highCode = highCode
    self.highAmplitudeCode = highAmplitudeCode
    self.lowCode = lowCode
    self.lowAmplitudeCode = lowAmplitudeCode
  }

  /// Makes the nearest drive to a tone in each band; what lies outside the grid becomes its edge.
  package init(
    highHertz: Double, highAmplitude: Double, lowHertz: Double, lowAmplitude: Double
  ) {
    highCode = Self.frequencyCode(highHertz, in: Self.highRange)
    highAmplitudeCode = Self.amplitudeCode(highAmplitude)
    lowCode = Self.frequencyCode(lowHertz, in: Self.lowRange)
    lowAmplitudeCode = Self.amplitudeCode(lowAmplitude)
  }

  /// The frequency of a code in hertz: 10 * 2^(code / 32).
  package static func frequency(code: Int) -> Double { 10 * exp2(Double(code) / 32) }

  /// The nearest code of a range, in octaves.
  package static func frequencyCode(_ hertz: Double, in range: ClosedRange<Int>) -> Int {
    guard hertz.isFinite, hertz > 1 else { return range.lowerBound }
    let code = Int((32 * log2(hertz / 10)).rounded())
    return min(range.upperBound, max(range.lowerBound, code))
  }

  /// The amplitude of a code, 1 being the safe highest.
  ///
  /// From 32 on 2^(code / 32) / 8.7, from 16 on 2^(code / 16) / 17 (the notes' own formulas turned round);
  /// below 16, where the notes have a table alone, 2^(code / 4) / 119.6, which is that table within
  /// 0.001.
  package static func amplitude(code: Int) -> Double {
    switch code {
    case ...0: 0
    case 1..<16: exp2(Double(code) / 4) / 119.6
    case 16..<32: exp2(Double(code) / 16) / 17
    default: min(1, exp2(Double(code) / 32) / 8.7)
    }
  }

  /// The nearest code to an amplitude; above 1 it is that of 1.
  package static func amplitudeCode(_ amplitude: Double) -> Int {
    guard amplitude > 0 else { return 0 }
    var low = amplitudeRange.lowerBound
    var high = amplitudeRange.upperBound
    while high - low > 1 {
      let middle = (low + high) / 2
      if Self.amplitude(code: middle) <= amplitude { low = middle } else { high = middle }
    }
    let isNearer =
      amplitude - Self.amplitude(code: low) < Self.amplitude(code: high) - amplitude
    return isNearer ? low : high
  }

  /// The four bytes of one actuator.
  public var bytes: [UInt8] {
    let high = (highCode - 0x60) * 4
    return [
      UInt8(high & 0xff), UInt8(highAmplitudeCode * 2 + high >> 8),
      UInt8(lowCode - 0x40 + (lowAmplitudeCode & 1) * 0x80), UInt8(0x40 + lowAmplitudeCode / 2),
    ]
  }

  /// Reads the four bytes of one actuator.
  ///
  /// - Throws: `length`, `unknown` for the other kinds of pattern that the bytes can hold, and `range` for
  ///   what is not on the grid or not safe.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    let reader = ByteReader(bytes, as: "Switch rumble")
    guard bytes.count == 4 else { throw reader.error(.length, "\(bytes.count) bytes where 4 are") }
    guard bytes[0] & 3 == 0, bytes[3] & 0xc0 == 0x40 else {
      throw reader.error(.unknown, "a kind of pattern other than two waves")
    }
    try self.init(
      highCode: (Int(bytes[0]) | Int(bytes[1] & 1) << 8) / 4 + 0x60,
      highAmplitudeCode: Int(bytes[1] >> 1),
      lowCode: Int(bytes[2] & 0x7f) + 0x40,
      lowAmplitudeCode: Int(bytes[3] - 0x40) * 2 + Int(bytes[2] >> 7))
  }
}
