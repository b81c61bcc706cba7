// SPDX-License-Identifier: Apache-2.0

import Units

/// A sound of 16 bits and one channel.
enum WAVFile {
  /// What a sound's peak comes to: 3 dB below full scale.
  static let peak = 0.707_945_784_384_137_9

  /// A sound as an answer, with what it was amplified by; `nil` for what brings its peak to 3 dB below full scale.
  static func response(_ samples: [Float], rate: Double, gain given: Double? = nil) -> Response {
    let largest = samples.reduce(Float(0)) { $1.isFinite ? max($0, abs($1)) : $0 }
    let gain = given ?? (largest > 0 ? peak / Double(largest) : 1)
    let decibels = (Decibels.of(amplitude: gain) * 1000).rounded() / 1000
    return Response(
      200, bytes(samples, gain: gain, rate: Int(rate.rounded())), type: "audio/wav"
    ).with("X-Gain-dB", "\(decibels)")
  }

  static func bytes(_ samples: [Float], gain: Double, rate: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(44 + 2 * samples.count)
    func append(_ number: Int, _ size: Int) {
      for byte in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }
    bytes += Array("RIFF".utf8)
    append(36 + 2 * samples.count, 4)
    bytes += Array("WAVEfmt ".utf8)
    for (number, size) in [(16, 4), (1, 2), (1, 2), (rate, 4), (2 * rate, 4), (2, 2), (16, 2)] {
      append(number, size)
    }
    bytes += Array("data".utf8)
    append(2 * samples.count, 4)
    for sample in samples {
      let value = sample.isFinite ? Double(sample) * gain * 32_767 : 0
      append(Int(max(-32_768, min(32_767, value.rounded()))), 2)
    }
    return bytes
  }
}
