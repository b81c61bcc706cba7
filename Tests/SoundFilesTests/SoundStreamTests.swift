// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SoundFiles

/// Sounds that come as bytes: WAV and AU, in parts of any size, and what is neither.
struct SoundStreamTests {
  private func little(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private func wave(
    code: Int = 1, bits: Int = 16, channels: Int = 2, rate: Int = 48_000, data: [UInt8]
  ) -> [UInt8] {
    Array("RIFF".utf8) + little(-1, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(code, 2)
      + little(channels, 2) + little(rate, 4) + little(0, 6) + little(bits, 2)
      + Array("LIST".utf8) + little(3, 4) + [1, 2, 3, 0] + Array("data".utf8) + little(-1, 4) + data
  }

  @Test(arguments: [1, 3, 7, 1000])
  func `samples are the same whatever the parts are`(size: Int) throws {
    let bytes = wave(
      data: little(16_384, 2) + little(-16_384, 2) + little(8_192, 2) + little(8_192, 2))
    var stream = SoundStream()
    var samples: [Float] = []
    for place in stride(from: 0, to: bytes.count, by: size) {
      samples += try stream.take(bytes[place..<min(bytes.count, place + size)])
    }
    #expect(samples == [0, 0.25])
    #expect(stream.format?.rate == 48_000)
  }

  @Test func `24 bits, floats and AU are read`() throws {
    var stream = SoundStream()
    #expect(try stream.take(wave(bits: 24, channels: 1, data: little(-0x400000, 3))) == [-0.5])
    stream = SoundStream()
    let float = Float(0.3)
    #expect(
      try stream.take(wave(code: 3, bits: 32, channels: 1, data: little(Int(float.bitPattern), 4)))
        == [float])
    stream = SoundStream()
    func big(_ value: Int) -> [UInt8] { little(value, 4).reversed() }
    let au = Array(".snd".utf8) + big(24) + big(-1) + big(3) + big(44_100) + big(1) + [0x40, 0]
    #expect(try stream.take(au) == [0.5])
    #expect(stream.format?.rate == 44_100)
  }

  @Test func `what is no sound is said`() {
    for bytes in [
      Array("OggS".utf8), wave(code: 7, data: []), wave(bits: 8, data: []),
      wave(channels: 0, data: []), wave(rate: 1, data: []),
    ] {
      var stream = SoundStream()
      #expect(throws: SoundStream.Failure.self) { try stream.take(bytes) }
    }
  }
}
