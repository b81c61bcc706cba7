// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The reading end of a file of waves: what was sent and what came back, as far as it is still there.
///
/// It copies what it reads and maps nothing, so that no writer can harm it, and it neither waits for a writer nor
/// holds it up.
package struct LiveWaves: Sendable {
  private let file: OpenFile
  package let layout: WavesLayout

  /// Opens the waves of a live folder; an error where there are none, or they are no waves.
  package init(folder: String) throws(LiveError) {
    let path = folder + "/" + LiveNames.waves
    file = try OpenFile(path)
    guard let header = file.bytes(at: 0, count: WavesLayout.headerBytes) else {
      throw LiveError("the waves '\(path)' are cut off")
    }
    func number(_ offset: Int) -> Int {
      Int(header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) })
    }
    let rate = header.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: WavesLayout.rateOffset, as: Double.self)
    }
    let (drive, capture) = (
      number(WavesLayout.driveChannelsOffset), number(WavesLayout.captureChannelsOffset)
    )
    guard header.starts(with: WavesLayout.magic),
      number(WavesLayout.versionOffset) == WavesLayout.version,
      number(WavesLayout.ringFramesOffset) == WavesLayout.ringFrames,
      number(WavesLayout.ringBinsOffset) == WavesLayout.ringBins,
      number(WavesLayout.headerBytesOffset) == WavesLayout.headerBytes,
      drive <= WavesLayout.mostChannels, capture <= WavesLayout.mostChannels, rate > 0,
      rate.isFinite
    else { throw LiveError("the waves '\(path)' are none that this version of haprig reads") }
    layout = WavesLayout(rate: rate, driveChannels: drive, captureChannels: capture)
  }

  /// How many frames of a channel's side were written since the work began.
  package func frameCount(ofChannel channel: Int) -> Int {
    count(
      at: channel < layout.driveChannels
        ? WavesLayout.driveCountOffset : WavesLayout.captureCountOffset)
  }

  /// How many frames were written of both sides.
  package var frameCount: Int {
    let (drive, capture) = (
      count(at: WavesLayout.driveCountOffset), count(at: WavesLayout.captureCountOffset)
    )
    if layout.driveChannels == 0 { return capture }
    return layout.captureChannels == 0 ? drive : min(drive, capture)
  }

  /// When the last block came, in nanoseconds of the clock that nobody sets.
  package var lastBlock: UInt64 { UInt64(count(at: WavesLayout.lastBlockOffset)) }

  /// Whether the file has lost its name: the work has ended, or goes on with other channels in another file.
  package var isGone: Bool { file.isGone }

  /// The smallest and the largest sample of a channel in each of so many columns of equal width, one after the other:
  /// `[low, high, low, high, ...]`, NaN where nothing is known.
  ///
  /// They are of the coarsest ring that has a bin a column at least; frames that it has no more are of a coarser one,
  /// and those that fill none of its bins yet of a finer one. A bin that lies in two columns counts in both. Reads as
  /// many bytes as it needs, at most 128 KiB a ring.
  package func bins(channel: Int, from first: Int, to end: Int, columns: Int) -> [Float] {
    var result = [Float](repeating: .nan, count: 2 * max(0, columns))
    guard columns > 0, channel >= 0, channel < layout.channels, first < end,
      first > -Self.farthest, end < Self.farthest
    else { return result }
    let written = frameCount(ofChannel: channel)
    let width = Double(end - first) / Double(columns)
    let level = WavesLayout.sizes.lastIndex { Double($0) <= width } ?? 0
    let begin = max(0, first)
    let strips = strips(channel, level, begin..<max(begin, min(end, written)))
    for column in 0..<columns {
      let from = first + Int(Double(column) * width)
      // The next column begins where this one ends; one of less than a frame has that frame.
      let to = max(from + 1, column + 1 == columns ? end : first + Int(Double(column + 1) * width))
      var (low, high) = (Float.infinity, -Float.infinity)
      for strip in strips { strip.extremes(from, to, &low, &high) }
      if low <= high { (result[2 * column], result[2 * column + 1]) = (low, high) }
    }
    return result
  }

  /// Beyond any frame that ever comes: sums of a few stay numbers.
  private static let farthest = 1 << 48

  /// Frames of which one ring tells.
  private struct Strip {
    /// The frames that are asked of it.
    let frames: Range<Int>
    let size: Int
    let first: Int
    /// One value a frame, or a smallest and a largest a bin.
    let values: [Float]

    func extremes(_ from: Int, _ to: Int, _ low: inout Float, _ high: inout Float) {
      let (from, to) = (max(from, frames.lowerBound), min(to, frames.upperBound))
      guard from < to else { return }
      let pair = size == 1 ? 1 : 2
      for place in (from / size)...((to - 1) / size) {
        let index = (place - first) * pair
        guard index >= 0, index + pair <= values.count else { continue }
        let (small, large) = (values[index], values[index + pair - 1])
        if small < low { low = small }
        if large > high { high = large }
      }
    }
  }

  private func strips(_ channel: Int, _ wanted: Int, _ frames: Range<Int>) -> [Strip] {
    guard !frames.isEmpty else { return [] }
    var strips: [Strip] = []
    // From the ring that is wanted to finer ones: what does not fill a bin yet.
    var from = frames.lowerBound
    var older = frames.upperBound
    for level in stride(from: wanted, through: 0, by: -1) {
      let size = WavesLayout.sizes[level]
      let end = frames.upperBound / size * size
      guard from < end, let strip = strip(channel, level, from..<end) else { continue }
      if strips.isEmpty { older = strip.frames.lowerBound }
      strips.append(strip)
      from = end
    }
    // And to coarser ones: what the others have no more.
    for level in (wanted + 1)..<max(wanted + 1, WavesLayout.sizes.count)
    where frames.lowerBound < older {
      guard let strip = strip(channel, level, frames.lowerBound..<older) else { continue }
      strips.append(strip)
      older = strip.frames.lowerBound
    }
    return strips
  }

  /// Copies what a ring has of some frames that were written; `nil` where it has nothing of them any more.
  private func strip(_ channel: Int, _ level: Int, _ frames: Range<Int>) -> Strip? {
    let (size, entries) = (WavesLayout.sizes[level], WavesLayout.entries(level))
    let before = frameCount(ofChannel: channel)
    let first = max(frames.lowerBound / size, oldest(level, before))
    let end = min((frames.upperBound + size - 1) / size, before / size)
    guard first < end, end - first <= entries else { return nil }
    guard let values = copy(channel, level, first, end) else { return nil }
    atomicMemoryFence(ordering: .acquiring)
    // What was written meanwhile may have gone over what was copied first.
    let kept = max(first, oldest(level, frameCount(ofChannel: channel)))
    let (from, to) = (max(frames.lowerBound, kept * size), min(frames.upperBound, end * size))
    guard from < to else { return nil }
    return Strip(frames: from..<to, size: size, first: first, values: values)
  }

  /// The oldest entry of a ring that nobody writes over before the next count is told.
  private func oldest(_ level: Int, _ written: Int) -> Int {
    let size = WavesLayout.sizes[level]
    return max(
      0, (written + WavesLayout.stretch + size - 1) / size - WavesLayout.entries(level))
  }

  private func copy(_ channel: Int, _ level: Int, _ first: Int, _ end: Int) -> [Float]? {
    let (entries, bytes) = (WavesLayout.entries(level), level == 0 ? 4 : 8)
    let start = WavesLayout.offset(ofChannel: channel, level: level)
    var values: [Float] = []
    values.reserveCapacity((end - first) * bytes / 4)
    var place = first
    while place < end {
      let slot = place & (entries - 1)
      let part = min(end - place, entries - slot)
      guard let read = file.floats(at: start + slot * bytes, count: part * bytes / 4) else {
        return nil
      }
      values += read
      place += part
    }
    return values
  }

  /// A counter of the header: read until two looks agree, since a copy need not be of one piece.
  private func count(at offset: Int) -> Int {
    var last = file.number(at: offset)
    for _ in 0..<64 {
      let next = file.number(at: offset)
      if next == last { break }
      last = next
    }
    return last < 1 << 62 && (offset == WavesLayout.lastBlockOffset || last < UInt64(Self.farthest))
      ? Int(last) : 0
  }
}
