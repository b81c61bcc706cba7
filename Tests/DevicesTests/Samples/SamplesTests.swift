// SPDX-License-Identifier: Apache-2.0

import Glibc
import SeededRandom
import Testing

@testable import Devices

struct SamplesTests {
  /// More than is kept in memory, and no whole number of blocks.
  private static let count = Samples.mostInMemory + 70_001

  private static func signal(_ count: Int) -> [Float] {
    var random = SeededRandom(seed: 24)
    return (0..<count).map { _ in Float.random(in: -1...1, using: &random) }
  }

  private static func written(_ signal: [Float], _ writer: SampleWriter, piece: Int) -> Samples {
    for first in stride(from: 0, to: signal.count, by: piece) {
      writer.append(Array(signal[first..<min(signal.count, first + piece)]))
    }
    return writer.finish()
  }

  private static let ranges = [
    0..<0, 0..<1, 5..<40_000, 1_048_570..<1_048_590, 300_000..<300_001, 0..<count,
    (count - 7)..<count,
  ]

  @Test(arguments: [0, count, 100])
  func `samples in a file read as those in memory`(expected: Int) {
    let signal = Self.signal(Self.count)
    let filed = Self.written(signal, SampleWriter(expected: expected), piece: 4_099)
    #expect(filed.count == signal.count)
    #expect(filed == signal)
    #expect(filed == Samples(signal))
    for range in Self.ranges { #expect(filed[range] == Array(signal[range]), "\(range)") }
    #expect(filed[77] == signal[77])
    #expect(filed.prefix(9) == Array(signal.prefix(9)))
    #expect(filed.padded(-3..<2) == [0, 0, 0] + signal[..<2])
    #expect(filed.padded((Self.count - 1)..<(Self.count + 2)) == [signal[Self.count - 1], 0, 0])
    #expect(filed.padded((Self.count + 5)..<(Self.count + 7)) == [0, 0])
    var reader = SampleReader(filed)
    for range in Self.ranges { #expect(Array(reader.read(range)) == Array(signal[range])) }
  }

  @Test func `few samples, and none, stay in memory`() {
    let signal = Self.signal(1_000)
    #expect(Self.written(signal, SampleWriter(expected: Self.count), piece: 10) == signal)
    #expect(Self.written(signal, SampleWriter(), piece: 999) == signal)
    let none = SampleWriter(expected: Self.count).finish()
    #expect(none.isEmpty && Array(none).isEmpty && none.padded(2..<4) == [0, 0])
  }

  @Test func `a channel is taken out of interleaved frames`() {
    let writer = SampleWriter()
    let frames: [Float] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    writer.append(channel: 1, of: 3, in: frames.span, frames: 2)
    writer.append(channel: 1, of: 3, in: frames.span, frames: 1)
    #expect(writer.finish() == [2, 5, 2])
  }

  @Test func `ranges read as one value, in a file and in memory alike`() {
    let signal = Self.signal(Self.count)
    let held = [10..<20, 1_000_000..<1_050_000, (Self.count - 1)..<(Self.count + 50)]
    var expected = signal
    for index in held.joined() where index < expected.count { expected[index] = 0.25 }
    let filed = Self.written(signal, SampleWriter(), piece: 32_768)
    #expect(filed.holding(0.25, in: held) == expected)
    #expect(Samples(signal).holding(0.25, in: held) == expected)
    #expect(filed == signal)
    #expect(filed.holding(0.25, in: held)[15..<25] == Array(expected[15..<25]))
  }

  @Test func `samples are rounded to multiples of a step, in a file and in memory alike`() {
    let step: Float = 0x1p-9
    let signal = Self.signal(Self.count)
    let expected = signal.map { Float((Double($0) / 0x1p-9).rounded(.toNearestOrEven) * 0x1p-9) }
    let filed = Self.written(signal, SampleWriter(), piece: 32_768).rounded(to: step)
    #expect(filed == expected && filed[77] == expected[77])
    #expect(Samples(signal).rounded(to: step) == expected)
    #expect(filed.holding(0.3, in: [5..<7])[4..<8] == [expected[4], 0.3, 0.3, expected[7]])
    #expect(filed.peak == expected.map(abs).max())
    // Halves go to the even neighbour, and there is one zero.
    let few = Samples([1.5, 2.5, -0.25, -0.0, -7]).rounded(to: 1)
    #expect(few == [2, 2, 0, 0, -7])
    #expect(few.allSatisfy { $0 != 0 || $0.sign == .plus })
    #expect(Samples([]).peak == 0 && Samples([.nan, -3, 2]).peak == 3)
  }

  @Test func `a disk that takes nothing leaves the samples in memory`() throws {
    let signal = Self.signal(Self.count)
    let full = ScratchFile(descriptor: open("/dev/full", O_RDWR | O_CLOEXEC))
    #expect(Self.written(signal, SampleWriter(file: full), piece: 5_000) == signal)
  }

  @Test func `a file has no name that would stay behind`() throws {
    let filed = Self.written(Self.signal(Self.count), SampleWriter(), piece: 40_000)
    let own = "haprig-\(getpid())-"
    let folders = [getenv("TMPDIR").map { String(cString: $0) }, "/var/tmp", "/tmp"]
    for folder in folders.compactMap(\.self) {
      let listing = try #require(opendir(folder))
      defer { closedir(listing) }
      while let entry = readdir(listing) {
        let name = withUnsafePointer(to: entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        #expect(!(name.hasPrefix(own) && name.hasSuffix(".samples")), "\(folder)/\(name)")
      }
    }
    #expect(filed.count == Self.count)
  }
}
