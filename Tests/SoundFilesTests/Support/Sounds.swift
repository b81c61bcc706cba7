// SPDX-License-Identifier: Apache-2.0

import Glibc
import Units

/// Channels of sines, each with its own frequency.
func tones(_ frequencies: [Double], count: Int, rate: Double = 48_000, amplitude: Double = 0.5)
  -> [Signal]
{
  frequencies.map { frequency in
    Signal(
      samples: (0..<count).map {
        Float(amplitude * sin(2 * .pi * frequency * Double($0) / rate + 0.3))
      }, rate: SampleRate(hertz: rate), unit: .one)
  }
}

/// A number as four bytes, the lowest first.
func littleEndian(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 255) } }

/// A mono WAV file of 16-bit samples, made by hand; sizes can be made to lie.
func wav(samples: [Int16], dataSize: Int? = nil, riffSize: Int? = nil, after: [UInt8] = [])
  -> [UInt8]
{
  let size = 2 * samples.count
  let format: [UInt8] = [1, 0, 1, 0] + littleEndian(8_000) + littleEndian(16_000) + [2, 0, 16, 0]
  return Array("RIFF".utf8) + littleEndian(riffSize ?? 36 + size) + Array("WAVEfmt ".utf8)
    + littleEndian(16) + format + Array("data".utf8) + littleEndian(dataSize ?? size)
    + samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    + after
}
