// SPDX-License-Identifier: Apache-2.0

import CSndFile
import Glibc
import Units

struct SoundDecoder: ~Copyable {
  private let file: OpaquePointer
  private let info: SF_INFO
  private let name: String
  private let memory: UnsafeMutablePointer<MemoryCursor>?

  /// Opens a descriptor at its position; it stays the caller's.
  init(descriptor: Int32, name: String) throws(SoundFileError) {
    var info = SF_INFO()
    guard let file = sf_open_fd(descriptor, Int32(SFM_READ), &info, 0) else {
      throw Self.notSound(name)
    }
    self.file = file
    self.info = info
    self.name = name
    memory = nil
  }

  init(bytes: [UInt8], name: String) throws(SoundFileError) {
    var info = SF_INFO()
    var calls = memoryCalls
    // libsndfile keeps this address until sf_close, hence a place of its own, freed in deinit.
    let memory = UnsafeMutablePointer<MemoryCursor>.allocate(capacity: 1)
    memory.initialize(to: MemoryCursor(bytes: bytes))
    guard let file = sf_open_virtual(&calls, Int32(SFM_READ), &info, memory) else {
      memory.deinitialize(count: 1)
      memory.deallocate()
      throw Self.notSound(name)
    }
    self.file = file
    self.info = info
    self.name = name
    self.memory = memory
  }

  deinit {
    sf_close(file)
    memory?.deinitialize(count: 1)
    memory?.deallocate()
  }

  private static func notSound(_ name: String) -> SoundFileError {
    SoundFileError(
      .notSound, path: name,
      "this is not a sound file that can be read (\(reason(nil))): use WAV, FLAC, AIFF, Ogg or "
        + "MP3")
  }

  /// How many frames the header says there are; formats without a length in it report the largest number there is.
  private var claimedFrames: Int? { info.frames == Int64.max ? nil : Int(info.frames) }

  /// Decodes all frames, interleaved, block by block; checks the bounds first, the frames as they come, and their
  /// number last.
  func scan(
    limit: SoundFile.Limit, _ body: (_ block: Span<Float>, _ shape: SoundFile.Shape) -> Void
  ) throws(SoundFileError) -> SoundFile.Info {
    let channelCount = Int(info.channels)
    let rate = Int(info.samplerate)
    guard channelCount > 0, rate > 0, info.frames >= 0 else {
      throw SoundFileError(
        .damaged, path: name,
        "the header says \(channelCount) channels at \(rate) Hz: write it again")
    }
    guard channelCount <= limit.channels, rate <= limit.rate else {
      throw SoundFileError(
        .tooLarge, path: name,
        "\(channelCount) channels at \(rate) Hz are more than the \(limit.channels) at \(limit.rate) "
          + "Hz that are read: mix or resample it")
    }
    let most = limit.bytes / (4 * channelCount)
    let claimed = claimedFrames ?? 0
    guard claimed <= most else { throw tooLong(limit) }

    let shape = SoundFile.Shape(
      rate: SampleRate(hertz: Double(rate)), channelCount: channelCount)
    let blockFrames = 8_192
    var block = [Float](repeating: 0, count: blockFrames * channelCount)
    var count = 0
    while true {
      let read = Int(sf_readf_float(file, &block, Int64(blockFrames)))
      guard read > 0 else { break }
      guard count + read <= most else { throw tooLong(limit) }
      for index in 0..<(read * channelCount) where !block[index].isFinite {
        throw SoundFileError(
          .damaged, path: name,
          "frame \(count + index / channelCount) of channel \(index % channelCount + 1) is not a "
            + "finite number: write the file again")
      }
      body(block.span.extracting(0..<(read * channelCount)), shape)
      count += read
    }
    guard sf_error(file) == 0 else {
      throw SoundFileError(
        .damaged, path: name,
        "decoding fails after \(count) frames (\(Self.reason(file))): copy or record it again")
    }
    guard count >= claimed else {
      throw SoundFileError(
        .truncated, path: name,
        "the file was cut: it holds \(count) of \(claimed) frames; copy or record it again")
    }
    guard count > 0 else {
      throw SoundFileError(.empty, path: name, "the sound has no frames: record or export it again")
    }
    return SoundFile.Info(
      rate: shape.rate, channelCount: channelCount, frameCount: count, formatName: formatName())
  }

  private func tooLong(_ limit: SoundFile.Limit) -> SoundFileError {
    SoundFileError(
      .tooLarge, path: name,
      "the sound takes more than the \(limit.bytes) bytes of decoded samples that are read: "
        + "cut it into shorter files")
  }

  private func formatName() -> String {
    let parts = [Int(info.format) & SF_FORMAT_TYPEMASK, Int(info.format) & SF_FORMAT_SUBMASK]
    let names = parts.compactMap { part in
      var format = SF_FORMAT_INFO()
      format.format = Int32(part)
      let result = sf_command(
        nil, Int32(SFC_GET_FORMAT_INFO), &format, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
      return result == 0 ? format.name.map { String(cString: $0) } : nil
    }
    return names.joined(separator: ", ")
  }

  /// What libsndfile says of its last error; of the last failed opening for nil.
  static func reason(_ file: OpaquePointer?) -> String {
    let text = sf_strerror(file).map { String(cString: $0) } ?? "no reason given"
    let short = text.reversed().drop { $0 == "." || $0 == "\n" || $0 == " " }
    return String(short.reversed())
  }
}

/// Bytes in memory with a position, as libsndfile's virtual files want them.
struct MemoryCursor {
  let bytes: [UInt8]
  var position = 0

  mutating func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
    let taken = max(0, min(count, bytes.count - position))
    bytes.withUnsafeBytes { source in
      guard taken > 0, let base = source.baseAddress else { return }
      target.copyMemory(from: base + position, byteCount: taken)
    }
    position += taken
    return taken
  }

  mutating func seek(_ offset: Int, from origin: Int32) -> Int {
    let start =
      switch origin {
      case SEEK_CUR: position
      case SEEK_END: bytes.count
      default: 0
      }
    let (target, overflow) = start.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return -1 }
    position = target
    return target
  }
}

/// The calls through which libsndfile reads a `MemoryCursor`, given to it by its address.
var memoryCalls: SF_VIRTUAL_IO {
  SF_VIRTUAL_IO(
    get_filelen: { cursor($0).map { Int64($0.pointee.bytes.count) } ?? -1 },
    seek: { offset, origin, data in
      cursor(data).map { Int64($0.pointee.seek(Int(offset), from: origin)) } ?? -1
    },
    read: { target, count, data in
      guard let target, let cursor = cursor(data) else { return 0 }
      return Int64(cursor.pointee.read(into: target, count: Int(count)))
    },
    write: { _, _, _ in 0 },
    tell: { cursor($0).map { Int64($0.pointee.position) } ?? -1 })
}

/// The address that `SoundDecoder` gave to libsndfile, which hands it back unchanged.
private func cursor(_ data: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<MemoryCursor>? {
  data?.assumingMemoryBound(to: MemoryCursor.self)
}
