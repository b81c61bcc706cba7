// SPDX-License-Identifier: Apache-2.0

import Devices
import SeededRandom
import Testing

@testable import ALSADevices

struct EncodingTests {
  /// Encodes one channel into a card frame of as many, and returns the bytes.
  private func encode(
    _ samples: [Float], _ format: SampleFormat, width: Int = 1, channels: Int? = nil,
    seed: UInt64 = 1
  ) -> (bytes: [UInt8], clipped: Int) {
    let (frames, channels) = (samples.count / width, channels ?? width)
    var bytes = [UInt8](repeating: 0xEE, count: frames * channels * format.byteCount)
    var dither = Dither(seed: seed)
    var clipped = 0
    samples.withUnsafeBufferPointer { samples in
      bytes.withUnsafeMutableBytes { bytes in
        if let samples = samples.baseAddress, let bytes = bytes.baseAddress {
          clipped = format.encode(
            samples, frames: frames, width: width, into: bytes, channels: channels,
            dither: &dither)
        }
      }
    }
    return (bytes, clipped)
  }

  private func decode(
    _ bytes: [UInt8], _ format: SampleFormat, channels: Int = 1, inputs: [Int] = [0]
  ) -> [Float] {
    let frames = bytes.count / channels / format.byteCount
    var samples = [Float](repeating: .nan, count: frames * inputs.count)
    bytes.withUnsafeBytes { bytes in
      samples.withUnsafeMutableBufferPointer { samples in
        inputs.withUnsafeBufferPointer { inputs in
          if let bytes = bytes.baseAddress, let samples = samples.baseAddress,
            let list = inputs.baseAddress
          {
            format.decode(
              bytes, frames: frames, channels: channels, into: samples, inputs: list,
              width: inputs.count)
          }
        }
      }
    }
    return samples
  }

  @Test(arguments: SampleFormat.allCases)
  func `what a format can hold goes through it exactly`(format: SampleFormat) {
    // Multiples of 2^-15 are whole numbers in every format.
    let samples = (-32_768..<32_767).map { Float($0) * 0x1p-15 }
    let (bytes, clipped) = encode(samples, format)
    #expect(decode(bytes, format) == samples)
    #expect(clipped == 0)
  }

  @Test(arguments: SampleFormat.allCases)
  func `silence is zero in every byte`(format: SampleFormat) {
    #expect(encode([0, -0, 0], format).bytes.allSatisfy { $0 == 0 || format == .float })
    #expect(decode(encode([0, 0], format).bytes, format) == [0, 0])
  }

  @Test func `bytes lie as the formats say`() {
    #expect(encode([0.5, -1], .s16).bytes == [0x00, 0x40, 0x00, 0x80])
    #expect(encode([0.5, -1], .s24in3).bytes == [0, 0, 0x40, 0, 0, 0x80])
    #expect(encode([0.5, -1], .s24).bytes == [0, 0, 0x40, 0, 0, 0, 0x80, 0xFF])
    #expect(encode([0.5, -1], .s32).bytes == [0, 0, 0, 0x40, 0, 0, 0, 0x80])
    #expect(encode([0.5, -1], .float).bytes == [0, 0, 0, 0x3F, 0, 0, 0x80, 0xBF])
    // The fourth byte of 24 bits may hold anything.
    #expect(decode([0, 0, 0x40, 0x99, 0, 0, 0x80, 0x00], .s24) == [0.5, -1])
  }

  @Test(arguments: SampleFormat.allCases)
  func `what lies outside the scale is cut and counted, and full scale is not`(
    format: SampleFormat
  ) {
    let (bytes, clipped) = encode(
      [1, -1, 1.001, -7, .infinity, -.infinity, .nan, .greatestFiniteMagnitude], format)
    let back = decode(bytes, format)
    #expect(clipped == 6)
    let top = format.largest
    #expect(back == [top, -1, top, -1, top, -1, 0, top])
  }

  @Test(arguments: [SampleFormat.s16, .s24, .s24in3])
  func `narrowing adds noise of a triangular density and no error that follows the signal`(
    format: SampleFormat
  ) {
    // Between two codes at every fraction: the error has no mean and a variance of 1/12 + 1/6 steps.
    for fraction in [0.1, 0.25, 0.5, 0.8] {
      let value = Float((1000 + fraction) / format.steps)
      let count = 40_000
      let back = decode(encode([Float](repeating: value, count: count), format).bytes, format)
      let errors = back.map { Double($0 - value) * format.steps }
      let mean = errors.reduce(0, +) / Double(count)
      let variance = errors.map { $0 * $0 }.reduce(0, +) / Double(count)
      #expect(abs(mean) < 0.012, "fraction \(fraction)")
      #expect(abs(variance - 0.25) < 0.01, "fraction \(fraction)")
    }
  }

  @Test func `a seed gives the same bytes again, another one others`() {
    var random = SeededRandom(seed: 5)
    let samples = (0..<500).map { _ in Float(random.uniform(-1...1)) }
    #expect(encode(samples, .s16).bytes == encode(samples, .s16).bytes)
    #expect(encode(samples, .s16).bytes != encode(samples, .s16, seed: 2).bytes)
  }

  @Test(arguments: SampleFormat.allCases)
  func `every channel finds its place, and those that nobody feeds are zero`(
    format: SampleFormat
  ) {
    let samples: [Float] = [0.25, 0.5, -0.25, -0.5]
    let bytes = encode(samples, format, width: 2, channels: 5).bytes
    #expect(
      decode(bytes, format, channels: 5, inputs: [0, 1, 2, 3, 4])
        == [0.25, 0.5, 0, 0, 0, -0.25, -0.5, 0, 0, 0])
    #expect(decode(bytes, format, channels: 5, inputs: [1]) == [0.5, -0.5])
    #expect(
      decode(bytes, format, channels: 5, inputs: [4, 1, 0]) == [0, 0.5, 0.25, 0, -0.5, -0.25])
  }

  @Test func `32 bits keep what float32 has down to their last one`() {
    var random = SeededRandom(seed: 11)
    let samples = (0..<2000).map { _ in Float(random.uniform(-1...1)) }
    let back = decode(encode(samples, .s32).bytes, .s32)
    for (sample, heard) in zip(samples, back) { #expect(abs(sample - heard) <= 0x1p-32) }
  }
}
