// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The writing end of a file of waves, which is mapped: one thread writes, and waits for nobody.
final class WavesWriter: @unchecked Sendable {
  // Sendable: one thread at a time pushes; what others read is atomic.
  let layout: WavesLayout
  private let memory: UnsafeMutableRawPointer
  private let partial: UnsafeMutablePointer<Bin>

  /// A bin that is not full yet: of a channel those of the three rings.
  private struct Bin {
    var low = Float.infinity
    var high = -Float.infinity

    mutating func take(_ other: Bin) {
      if other.low < low { low = other.low }
      if other.high > high { high = other.high }
    }
  }

  /// Makes the file, with all its pages; an error number where there is no room.
  init(path: String, layout: WavesLayout) throws(LiveError) {
    self.layout = layout
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw LiveError("the waves", path, errno) }
    defer { close(descriptor) }
    let refusal = posix_fallocate(descriptor, 0, off_t(layout.byteCount))
    guard refusal == 0 else {
      unlink(path)
      throw LiveError("the waves", path, refusal)
    }
    let mapped = mmap(
      nil, layout.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED | Int32(MAP_POPULATE), descriptor,
      0)
    guard let mapped, mapped != MAP_FAILED else {
      unlink(path)
      throw LiveError("the waves", path, errno)
    }
    memory = mapped
    partial = .allocate(capacity: 3 * layout.channels)
    partial.initialize(repeating: Bin(), count: 3 * layout.channels)
    memory.storeBytes(
      of: WavesLayout.version, toByteOffset: WavesLayout.versionOffset, as: UInt32.self)
    for (offset, value) in [
      (WavesLayout.driveChannelsOffset, layout.driveChannels),
      (WavesLayout.captureChannelsOffset, layout.captureChannels),
      (WavesLayout.ringFramesOffset, WavesLayout.ringFrames),
      (WavesLayout.ringBinsOffset, WavesLayout.ringBins),
      (WavesLayout.headerBytesOffset, WavesLayout.headerBytes),
    ] {
      memory.storeBytes(of: UInt32(value), toByteOffset: offset, as: UInt32.self)
    }
    memory.storeBytes(of: layout.rate, toByteOffset: WavesLayout.rateOffset, as: Double.self)
    for offset in Self.counters { counter(at: offset).initialize(to: Atomic(0)) }
    // The magic comes last: without it a file is none yet.
    memory.copyMemory(from: WavesLayout.magic, byteCount: WavesLayout.magic.count)
  }

  deinit {
    partial.deallocate()
    munmap(memory, layout.byteCount)
  }

  private static let counters = [
    WavesLayout.driveCountOffset, WavesLayout.captureCountOffset, WavesLayout.lastBlockOffset,
  ]

  private func counter(at offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (memory + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// Adds interleaved frames of one side, as wide as its channels are many.
  func push(_ frames: Span<Float>, ofDrive: Bool) {
    let width = ofDrive ? layout.driveChannels : layout.captureChannels
    guard width > 0 else { return }
    let count = frames.count / width
    let written = self.written(ofDrive: ofDrive)
    frames.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      var done = 0
      while done < count {
        let part = min(count - done, WavesLayout.stretch)
        for channel in 0..<width {
          fill(
            ofDrive ? channel : layout.driveChannels + channel, from: written + done, count: part,
            base + done * width + channel, step: width)
        }
        done += part
        publish(written + done, ofDrive: ofDrive)
      }
    }
    stamp()
  }

  /// Adds frames of which nothing is known.
  func skip(_ count: Int, ofDrive: Bool) {
    var unknown = Float.nan
    let first = ofDrive ? 0 : layout.driveChannels
    let width = ofDrive ? layout.driveChannels : layout.captureChannels
    let written = self.written(ofDrive: ofDrive)
    var done = 0
    while done < count {
      let part = min(count - done, WavesLayout.stretch)
      for channel in first..<first + width {
        fill(channel, from: written + done, count: part, &unknown, step: 0)
      }
      done += part
      publish(written + done, ofDrive: ofDrive)
    }
  }

  private func written(ofDrive: Bool) -> Int {
    let offset = ofDrive ? WavesLayout.driveCountOffset : WavesLayout.captureCountOffset
    return Int(counter(at: offset).pointee.load(ordering: .relaxed))
  }

  private func publish(_ count: Int, ofDrive: Bool) {
    let offset = ofDrive ? WavesLayout.driveCountOffset : WavesLayout.captureCountOffset
    counter(at: offset).pointee.store(UInt64(count), ordering: .releasing)
    // Whoever sees a sample of the next stretch sees this count too, and knows what may be torn.
    atomicMemoryFence(ordering: .releasing)
  }

  private func stamp() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    counter(at: WavesLayout.lastBlockOffset).pointee.store(
      UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec), ordering: .relaxed)
  }

  private func fill(
    _ channel: Int, from first: Int, count: Int, _ samples: UnsafePointer<Float>, step: Int
  ) {
    let ring = (memory + WavesLayout.offset(ofChannel: channel, level: 0))
      .assumingMemoryBound(to: Float.self)
    let bins = partial + 3 * channel
    let end = first + count
    var frame = first
    while frame < end {
      let stop = min(end, (frame | (WavesLayout.sizes[1] - 1)) + 1)
      // A bin lies in the ring in one piece.
      let room = ring + (frame & (WavesLayout.ringFrames - 1))
      let source = samples + (frame - first) &* step
      if stop - frame == WavesLayout.sizes[1] {
        bins[0].take(Self.wholeBin(source, step, into: room))
      } else {
        for place in 0..<(stop - frame) {
          let sample = source[place &* step]
          room[place] = sample
          bins[0].take(Bin(low: sample, high: sample))
        }
      }
      frame = stop
      shut(channel, at: frame, bins)
    }
  }

  /// Copies the samples of a whole bin, and gives its smallest and its largest; four at a time, since each comparison
  /// would wait for the one before it.
  private static func wholeBin(
    _ samples: UnsafePointer<Float>, _ step: Int, into room: UnsafeMutablePointer<Float>
  ) -> Bin {
    var low = SIMD4<Float>(repeating: .infinity)
    var high = -low
    for place in stride(from: 0, to: WavesLayout.sizes[1], by: 4) {
      let source = samples + place &* step
      let four = SIMD4(source[0], source[step], source[2 &* step], source[3 &* step])
      UnsafeMutableRawPointer(room + place).storeBytes(of: four, as: SIMD4<Float>.self)
      low.replace(with: four, where: four .< low)
      high.replace(with: four, where: four .> high)
    }
    return Bin(low: low.min(), high: high.max())
  }

  /// Puts the bins that end at a frame into their rings, each into the one above as well.
  private func shut(_ channel: Int, at frame: Int, _ bins: UnsafeMutablePointer<Bin>) {
    var level = 1
    while level <= 3, frame & (WavesLayout.sizes[level] - 1) == 0 {
      let full = bins[level - 1]
      let place = frame / WavesLayout.sizes[level] - 1
      let room =
        (memory + WavesLayout.offset(ofChannel: channel, level: level))
        .assumingMemoryBound(to: Float.self) + 2 * (place & (WavesLayout.ringBins - 1))
      // Of a bin without a known sample nothing is known.
      let isKnown = full.low <= full.high
      room[0] = isKnown ? full.low : .nan
      room[1] = isKnown ? full.high : .nan
      if level < 3 { bins[level].take(full) }
      bins[level - 1] = Bin()
      level += 1
    }
  }
}
