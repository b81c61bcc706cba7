// SPDX-License-Identifier: Apache-2.0

import CALSA
import SeededRandom
import Testing

@Suite(.enabled(if: PluginLibrary.isThere, "\(PluginLibrary.missing)"))
struct FormatTests {
  /// Noise and both ends of the scale, as integers of so many bits.
  private func integers(bits: Int, count: Int) -> [Int32] {
    var random = SeededRandom(seed: 41)
    let end = Int32(1) << (bits - 1)
    return (0..<count).map { index in
      switch index % 64 {
      case 0: -end
      case 1: end - 1
      case 2: 1
      case 3: -1
      default: Int32.random(in: -end...(end - 1), using: &random)
      }
    }
  }

  /// Sends samples down the wire, two of a frame alike, and gives what comes back without the
  /// delay.
  private func loop<Sample>(
    _ samples: [Sample], _ format: snd_pcm_format_t, zero: Sample
  ) throws -> [Sample] {
    let duplex = try CardDuplex(CardFolder())
    try duplex.setUp(format: format)
    let padding = [Sample](repeating: zero, count: 1024)
    let drive = (samples + padding).flatMap { [zero, $0] }
    let response = try duplex.run(drive, zero: zero)
    return (480..<(480 + samples.count)).map { response[2 * $0 + 1] }
  }

  @Test func `S16 comes back bit for bit`() throws {
    let samples = integers(bits: 16, count: 4096).map { Int16(truncatingIfNeeded: $0) }
    #expect(try loop(samples, SND_PCM_FORMAT_S16_LE, zero: 0) == samples)
  }

  @Test func `S24 comes back bit for bit, whatever stands above its 24 bits`() throws {
    let samples = integers(bits: 24, count: 4096)
    let dirty = samples.map { ($0 & 0xFF_FFFF) | 0x5A00_0000 }
    #expect(try loop(dirty, SND_PCM_FORMAT_S24_LE, zero: 0) == samples)
  }

  @Test func `S24 in three bytes comes back bit for bit`() throws {
    let samples = integers(bits: 24, count: 4096).map(Packed.init)
    #expect(try loop(samples, SND_PCM_FORMAT_S24_3LE, zero: Packed(0)) == samples)
  }

  @Test func `S32 comes back with the 24 bits that a float holds`() throws {
    let samples = integers(bits: 24, count: 4096).map { $0 << 8 }
    #expect(try loop(samples, SND_PCM_FORMAT_S32_LE, zero: 0) == samples)
  }

  @Test func `FLOAT comes back to the last bit of full scale`() throws {
    let samples = integers(bits: 24, count: 4096).map { Float($0) * 0x1p-23 }
    let response = try loop(samples, SND_PCM_FORMAT_FLOAT_LE, zero: 0)
    for (index, pair) in zip(samples, response).enumerated() {
      #expect(abs(pair.0 - pair.1) < 0x1p-26, "sample \(index)")
    }
  }

  @Test func `S32 at its upper end does not wrap`() throws {
    let samples = [Int32](repeating: .max, count: 1024)
    #expect(try loop(samples, SND_PCM_FORMAT_S32_LE, zero: 0)[512] > .max - 1024)
  }

  @Test func `the acceleration comes as the converter's share of its full scale`() throws {
    // Gravity through 10.2 mV/g at 0.6 V full scale: 0.017 of it.
    let duplex = try CardDuplex(CardFolder())
    try duplex.setUp()
    let response = try duplex.run([Float](repeating: 0, count: 2 * 1024), zero: 0)
    #expect(abs(response[2 * 900] - 0.017) < 1e-4)
  }

  @Test func `mapped access carries the same samples, interleaved or not`() throws {
    for access in [SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_MMAP_NONINTERLEAVED] {
      let folder = try CardFolder()
      let playback = try MappedPCM(SND_PCM_STREAM_PLAYBACK, folder, access)
      let capture = try MappedPCM(SND_PCM_STREAM_CAPTURE, folder, access)
      var next: Float = 0
      try playback.move(256) { frame, samples in
        next += 0x1p-14
        samples(0).pointee = 0
        samples(1).pointee = next
      }
      try playback.pcm.start()
      try capture.pcm.start()
      var response: [Float] = []
      while response.count < 2048 {
        try capture.move(64) { _, samples in response.append(samples(1).pointee) }
        try playback.move(64) { _, samples in
          next += 0x1p-14
          samples(0).pointee = 0
          samples(1).pointee = next
        }
      }
      for frame in 480..<2048 {
        #expect(abs(response[frame] - Float(frame - 479) * 0x1p-14) < 1e-7, "frame \(frame)")
      }
    }
  }

  @Test func `other channel counts, rates and formats are refused`() throws {
    let pcm = try CardPCM(SND_PCM_STREAM_PLAYBACK, CardFolder())
    #expect(throws: CardPCM.Failure.self) { try pcm.setUp(channels: 1) }
    #expect(throws: CardPCM.Failure.self) { try pcm.setUp(rate: 44_100) }
    #expect(throws: CardPCM.Failure.self) { try pcm.setUp(format: SND_PCM_FORMAT_U8) }
    #expect(throws: CardPCM.Failure.self) { try pcm.setUp(period: 2) }
    try pcm.setUp()
  }

  @Test func `the channel map names only sound`() throws {
    let rig = WireRig().text
      .replacing("reference: 2}", with: "audio-left: 2, audio-right: 3}")
      .replacing("reference: {role: reference", with: "line: {role: audio")
    let playback = try CardPCM(
      SND_PCM_STREAM_PLAYBACK, CardFolder(text: rig))
    let maps = try #require(snd_pcm_query_chmaps(playback.handle))
    defer { snd_pcm_free_chmaps(maps) }
    let map = UnsafeRawPointer(try #require(maps[0])).assumingMemoryBound(to: UInt32.self)
    #expect(
      Array(UnsafeBufferPointer(start: map, count: 5)) == [
        UInt32(SND_CHMAP_TYPE_FIXED.rawValue), 3, UInt32(SND_CHMAP_UNKNOWN.rawValue),
        UInt32(SND_CHMAP_FL.rawValue), UInt32(SND_CHMAP_FR.rawValue),
      ])
    #expect(maps[1] == nil)
  }
}

/// A sample of three bytes.
private struct Packed: Equatable {
  var bytes: (UInt8, UInt8, UInt8)

  init(_ value: Int32) {
    bytes = (
      UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8),
      UInt8(truncatingIfNeeded: value >> 16)
    )
  }

  static func == (first: Packed, second: Packed) -> Bool { first.bytes == second.bytes }
}
