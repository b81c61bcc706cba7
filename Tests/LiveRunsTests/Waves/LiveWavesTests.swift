// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import Devices
import Glibc
import LiveRuns
import ScratchFolder
import SeededRandom
import Synchronization
import Testing

private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  func set() { value.store(true, ordering: .releasing) }
}

/// What is read of waves is what was written, whoever writes at the same time.
struct LiveWavesTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// Passes frames of the closed form, from one on, in blocks of some length, through a tap.
  private func pass(_ range: Range<Int>, block: Int, into tap: LiveTap) {
    var frame = range.lowerBound
    while frame < range.upperBound {
      let end = min(range.upperBound, frame + block)
      tap.drive(Rigs.frames(frame..<end, channels: 0..<2).span)
      tap.capture(Rigs.frames(frame..<end, channels: 2..<4).span)
      frame = end
    }
  }

  /// Whether a column's pair is that of its frames, or of the bins that they lie in.
  private func expect(
    _ bins: [Float], channel: Int, from first: Int, to end: Int, columns: Int, size: Int,
    written: Int, _ comment: String
  ) {
    let width = Double(end - first) / Double(columns)
    for column in 0..<columns {
      let low = first + Int(Double(column) * width)
      let high = column + 1 == columns ? end : first + Int(Double(column + 1) * width)
      let range = max(0, low / size * size)..<min(written, (high + size - 1) / size * size)
      let known = Rigs.extremes(range, channel: channel)
      #expect(
        bins[2 * column] == known.low && bins[2 * column + 1] == known.high,
        "\(comment) column \(column) of \(columns), frames \(low)..<\(high)")
    }
  }

  @Test(arguments: [1, 63, 64, 777, 5000])
  func `waves hold what passed, ring by ring`(block: Int) throws {
    let tap = try LiveTap(Rigs.described(), folder: scratch.path)
    tap.begin()
    let written = 100_000
    pass(0..<written, block: block, into: tap)
    let waves = try LiveWaves(folder: scratch.path)
    #expect(waves.frameCount == written)
    #expect(waves.layout.channels == 4 && waves.layout.rate == 48_000)
    for channel in 0..<4 {
      // Single frames, as far as they are there.
      let newest = waves.bins(channel: channel, from: written - 500, to: written, columns: 500)
      #expect(
        newest
          == (written - 500..<written).flatMap {
            [Rigs.value($0, channel), Rigs.value($0, channel)]
          })
      for (size, columns) in [(64, 20), (1024, 9)] {
        let first = (written / size - 2 * columns) * size
        let bins = waves.bins(
          channel: channel, from: first, to: first + size * columns, columns: columns)
        expect(
          bins, channel: channel, from: first, to: first + size * columns, columns: columns,
          size: size, written: written, "block \(block), size \(size)")
      }
      // The whole of it, with the end that fills no bin yet.
      let whole = waves.bins(channel: channel, from: 0, to: written, columns: 3)
      let all = Rigs.extremes(0..<written, channel: channel)
      #expect(stride(from: 0, to: 6, by: 2).map { whole[$0] }.min() == all.low)
      #expect(stride(from: 1, to: 6, by: 2).map { whole[$0] }.max() == all.high)
    }
  }

  @Test func `what is not known is no number`() throws {
    let tap = try LiveTap(Rigs.described(), folder: scratch.path)
    tap.begin()
    pass(0..<1000, block: 256, into: tap)
    let waves = try LiveWaves(folder: scratch.path)
    for (first, end) in [(-200, -100), (1000, 2000), (5000, 9000)] {
      #expect(waves.bins(channel: 0, from: first, to: end, columns: 10).allSatisfy { $0.isNaN })
    }
    #expect(waves.bins(channel: 4, from: 0, to: 10, columns: 2).allSatisfy { $0.isNaN })
    #expect(waves.bins(channel: -1, from: 0, to: 10, columns: 2).allSatisfy { $0.isNaN })
    #expect(waves.bins(channel: 0, from: 10, to: 0, columns: 2).allSatisfy { $0.isNaN })
    #expect(waves.bins(channel: 0, from: 0, to: 10, columns: 0) == [])
    #expect(waves.bins(channel: 0, from: .min, to: .max, columns: 1).allSatisfy { $0.isNaN })
    let across = waves.bins(channel: 0, from: -10, to: 10, columns: 20)
    #expect(across.prefix(20).allSatisfy { $0.isNaN })
    #expect(across[20] == Rigs.value(0, 0))
  }

  @Test func `what the fine rings have no more a coarser one tells`() throws {
    let tap = try LiveTap(Rigs.described(inputs: 1), folder: scratch.path)
    tap.begin()
    let written = 40 * 32_768
    var frame = 0
    while frame < written {
      tap.drive(Rigs.frames(frame..<frame + 4096, channels: 0..<2).span)
      tap.capture(Rigs.frames(frame..<frame + 4096, channels: 2..<3).span)
      frame += 4096
    }
    let waves = try LiveWaves(folder: scratch.path)
    // Frames are gone and bins of 64 are gone: of 1,024 they are there.
    let bins = waves.bins(channel: 2, from: 20_480, to: 20_480 + 64, columns: 64)
    let known = Rigs.extremes(20_480..<21_504, channel: 2)
    #expect(bins[0] == known.low && bins[127] == known.high)
    // Of 64 they are there where single frames are gone.
    let recent = written - 100_000 / 64 * 64
    let later = waves.bins(channel: 2, from: recent, to: recent + 64, columns: 64)
    let near = Rigs.extremes(recent..<recent + 64, channel: 2)
    #expect(later[0] == near.low && later[127] == near.high)
  }

  @Test func `takes follow one another at one frame of both sides`() throws {
    let tap = try LiveTap(Rigs.described(), folder: scratch.path)
    tap.begin()
    tap.drive(Rigs.frames(0..<1000, channels: 0..<2).span)
    tap.capture(Rigs.frames(0..<700, channels: 2..<4).span)
    tap.begin()
    pass(1000..<2000, block: 300, into: tap)
    let waves = try LiveWaves(folder: scratch.path)
    #expect(waves.frameCount(ofChannel: 0) == 2000 && waves.frameCount(ofChannel: 2) == 2000)
    let lost = waves.bins(channel: 2, from: 600, to: 1100, columns: 500)
    #expect(lost[0] == Rigs.value(600, 2) && lost[198] == Rigs.value(699, 2))
    #expect(lost[200..<800].allSatisfy { $0.isNaN })
    #expect(lost[800] == Rigs.value(1000, 2))
  }

  /// A writer as fast as it can and readers of all rings: every pair that is told is that of its frames.
  @Test func `no bin is ever torn`() throws {
    let tap = try LiveTap(Rigs.described(inputs: 1), folder: scratch.path)
    tap.begin()
    let isDone = Flag()
    let end = 1_500_000
    let period = 1 << 16
    // Made before: the writer shall be faster than the readers.
    let blocks = (0..<end / 1000).map { Rigs.frames($0 * 1000..<($0 + 1) * 1000, channels: 0..<2) }
    let captured = (0..<end / 1000).map {
      Rigs.frames($0 * 1000..<($0 + 1) * 1000, channels: 2..<3)
    }
    var looks = 0
    var random = SeededRandom(seed: 0x7042)
    let writer = try RealtimeThread(name: "writer", priority: nil) {
      for place in blocks.indices {
        let (sent, felt) = (blocks[place], captured[place])
        tap.drive(sent.span)
        tap.capture(felt.span)
      }
      isDone.set()
    }
    let waves = try LiveWaves(folder: scratch.path)
    repeat {
      let written = waves.frameCount
      let level = random.integer(0...2)
      let size = [1, 64, 1024][level]
      let columns = 64
      let reach = min(written, [32_768, period * 4, period * 4][level])
      let first = max(0, written - random.integer(0...max(0, reach))) / size * size
      let channel = random.integer(0...2)
      let bins = waves.bins(
        channel: channel, from: first, to: first + columns * size, columns: columns)
      for column in 0..<columns {
        let (low, high) = (bins[2 * column], bins[2 * column + 1])
        if low.isNaN || high.isNaN { continue }
        let start = first + column * size
        // Of its own bin, of a coarser one where that is gone, or of its part that was written yet.
        let isWhole = [1, 64, 1024, 16_384].filter { $0 >= size }.contains { bin in
          let from = start / bin * bin
          let known = Rigs.extremes(from..<from + max(bin, size), channel: channel)
          return known.low == low && known.high == high
        }
        let isBeginning =
          !isWhole
          && (1..<size).contains { count in
            let known = Rigs.extremes(start..<start + count, channel: channel)
            return known.low == low && known.high == high
          }
        #expect(
          isWhole || isBeginning, "\(random) frame \(start), size \(size): \(low) ... \(high)")
      }
      looks += 1
    } while !isDone.isSet || looks < 50
    _ = consume writer
    #expect(looks >= 50)
  }

  @Test(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
  func `a look at the signals asks for no memory`() throws {
    let tap = try LiveTap(Rigs.described(), folder: scratch.path)
    let block = Rigs.frames(0..<3000, channels: 0..<2)
    let port: any SignalTap = tap
    port.begin()
    port.drive(block.span)
    let event = StreamEvent(kind: .drop, frame: 5, length: 2)
    allocationCounterStart()
    for _ in 0..<40 {
      port.begin()
      port.drive(block.span)
      port.capture(block.span)
      port.lost(event, ofDrive: true)
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0 && counts.releases == 0)
  }

  /// 500 files of waves with bytes changed or cut off: no crash, and no frame that nobody wrote.
  @Test func `spoilt waves do no harm`() throws {
    let tap = try LiveTap(Rigs.described(inputs: 1), folder: scratch.path)
    tap.begin()
    tap.drive(Rigs.frames(0..<3000, channels: 0..<2).span)
    tap.capture(Rigs.frames(0..<3000, channels: 2..<3).span)
    let head = Array(try scratch.bytes(of: "waves").prefix(12_288))
    var random = SeededRandom(seed: 0x5901)
    let folder = try scratch.folder("spoilt")
    for _ in 0..<500 {
      var bytes = head
      for _ in 0..<random.integer(1...8) {
        // The header is what steers.
        let place = random.chance(0.8) ? random.integer(0...400) : random.integer(0...12_287)
        bytes[place] = UInt8(random.integer(0...255))
      }
      if random.chance(0.3) { bytes.removeLast(random.integer(0...12_288)) }
      try scratch.write(bytes, to: "spoilt/waves")
      guard let waves = try? LiveWaves(folder: folder) else { continue }
      for channel in [0, waves.layout.channels - 1, 300] {
        let columns = random.integer(0...40)
        let bins = waves.bins(
          channel: channel, from: random.integer(-100_000...100_000),
          to: random.integer(-100_000...10_000_000), columns: columns)
        #expect(bins.count == 2 * columns, "\(random)")
      }
      _ = (waves.frameCount, waves.lastBlock, waves.isGone)
    }
  }

  @Test func `where there are no waves the reason is told`() throws {
    #expect(throws: LiveError.self) { try LiveWaves(folder: scratch.path) }
    try scratch.write("HAPWAVE1", to: "waves")
    #expect(throws: LiveError.self) { try LiveWaves(folder: scratch.path) }
  }
}
