// SPDX-License-Identifier: Apache-2.0

import CSndFile
import Glibc
import Paths
package import Units

/// How samples are stored: integers clip what lies beyond -1...1, floating point keeps every sample.
package enum SoundFileFormat: Sendable, Hashable, CaseIterable {
  case wavFloat
  case wav16
  case wav24
  case flac16
  case flac24
  /// MATLAB 4, 32-bit floating point, `wavedata` with a row for each channel and `samplerate`: its header
  /// holds no date, as that of later MATLAB files does.
  case matlab

  /// The bytes of one sample before compression.
  var bytesPerSample: Int { traits.bytes }

  package var maximumChannels: Int { traits.channels }

  /// Whether the sizes in the header are 32-bit numbers.
  var isWAV: Bool { self == .wavFloat || self == .wav16 || self == .wav24 }

  var isFLAC: Bool { self == .flac16 || self == .flac24 }

  /// libsndfile's number of the format.
  var code: Int32 { Int32(traits.container | traits.coding) }

  private var traits: (bytes: Int, channels: Int, container: Int, coding: Int) {
    switch self {
    case .wavFloat: (4, 1_024, SF_FORMAT_WAV, SF_FORMAT_FLOAT)
    case .wav16: (2, 1_024, SF_FORMAT_WAV, SF_FORMAT_PCM_16)
    case .wav24: (3, 1_024, SF_FORMAT_WAV, SF_FORMAT_PCM_24)
    case .flac16: (2, 8, SF_FORMAT_FLAC, SF_FORMAT_PCM_16)
    case .flac24: (3, 8, SF_FORMAT_FLAC, SF_FORMAT_PCM_24)
    case .matlab: (4, 1_024, SF_FORMAT_MAT4, SF_FORMAT_FLOAT)
    }
  }
}

/// Writes a sound file block by block.
///
/// The frames go to `PATH.partial`; `close()` syncs that file and gives it its name, so the name never
/// stands for half a sound. A writer that is dropped without `close()` leaves nothing behind. The same
/// samples give the same bytes: no chunk holds a time.
package struct SoundFileWriter: ~Copyable {
  package let path: String
  package let channelCount: Int
  package private(set) var frameCount = 0

  private let format: SoundFileFormat
  /// Where the frames go until `close()`; nil for a descriptor of the caller's.
  private let partialPath: String?
  private let descriptor: Int32
  private var file: OpaquePointer?
  /// Why the system did not take all frames; such a file never gets its name.
  private var loss: SoundFileError?

  /// Creates a file; an existing one is replaced when this one is closed.
  ///
  /// Throws where the folder does not take a file, or the format does not take the rate (a whole
  /// number of hertz) or the channels.
  package init(
    path: String, format: SoundFileFormat = .wavFloat, channels: Int, rate: SampleRate
  ) throws(SoundFileError) {
    try Self.check(path, format, channels, rate)
    let partial = path + ".partial"
    unlink(partial)
    let descriptor = Glibc.open(partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FileSystem.openingError(path, errno) }
    do {
      file = try Self.begin(descriptor, path, format, channels, rate)
    } catch {
      Glibc.close(descriptor)
      unlink(partial)
      throw error
    }
    self.path = path
    self.format = format
    self.descriptor = descriptor
    partialPath = partial
    channelCount = channels
  }

  /// Writes into a file that the caller has opened for reading and writing and that is empty.
  ///
  /// The descriptor stays the caller's; `close()` syncs it. `name` stands for the file in errors.
  package init(
    descriptor: Int32, name: String, format: SoundFileFormat = .wavFloat, channels: Int,
    rate: SampleRate
  ) throws(SoundFileError) {
    try Self.check(name, format, channels, rate)
    file = try Self.begin(descriptor, name, format, channels, rate)
    path = name
    self.format = format
    self.descriptor = descriptor
    partialPath = nil
    channelCount = channels
  }

  deinit {
    if let file { sf_close(file) }
    if let partialPath {
      Glibc.close(descriptor)
      unlink(partialPath)
    }
  }

  /// Writes whole frames: one sample a channel, then the next frame.
  ///
  /// Traps unless the count is a multiple of the channels. Throws where the system does not take all of
  /// it, where a sample is not finite, and where a WAV file would pass 4 GiB.
  package mutating func write(_ interleaved: [Float]) throws(SoundFileError) {
    precondition(
      interleaved.count.isMultiple(of: channelCount),
      "\(interleaved.count) samples are not whole frames of \(channelCount) channels")
    let frames = interleaved.count / channelCount
    guard frames > 0 else { return }
    if let bad = interleaved.firstIndex(where: { !$0.isFinite }) {
      throw SoundFileError(
        .damaged, path: path,
        "frame \(frameCount + bad / channelCount) of channel \(bad % channelCount + 1) is not a "
          + "finite number and was not written")
    }
    let bytes = (frameCount + frames) * channelCount * format.bytesPerSample
    // 4 kB for the header and what may follow the samples.
    guard !format.isWAV || bytes < 0xFFFF_FFFF - 4_096 else {
      throw SoundFileError(
        .tooLarge, path: path, "a WAV file holds at most 4 GiB: write shorter files, or FLAC")
    }
    errno = 0
    let written = sf_writef_float(file, interleaved, Int64(frames))
    guard written == Int64(frames), sf_error(file) == 0 else {
      let failure = failure()
      loss = failure
      throw failure
    }
    frameCount += frames
  }

  /// Finishes the header, syncs the file to its disk and gives it its name.
  ///
  /// Throws, and leaves no file, where any of it or a write before has failed.
  package consuming func close() throws(SoundFileError) {
    errno = 0
    let open = file
    // From here on deinit must not close it a second time.
    file = nil
    guard sf_close(open) == 0 else { throw FileSystem.writingError(path, errno) }
    let reason = errno
    if let loss { throw loss }
    // The last frames of FLAC are written here, and their loss is not reported: its header then has no length.
    guard !format.isFLAC || ContainerCheck.flacFrames(descriptor) == frameCount else {
      throw FileSystem.writingError(path, reason == 0 ? EIO : reason)
    }
    // libsndfile does not report a header that it could not write again: read it as a reader would.
    if format.isWAV {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw FileSystem.writingError(path, errno) }
      let expected = frameCount * channelCount * format.bytesPerSample
      let size = Int(status.st_size)
      let check = ContainerCheck(name: path, descriptor: descriptor, size: size)
      guard (try? check.check()) != nil, size >= expected else {
        throw FileSystem.writingError(path, EIO)
      }
    }
    guard fsync(descriptor) == 0 else { throw FileSystem.writingError(path, errno) }
    guard let partialPath else { return }
    guard rename(partialPath, path) == 0 else { throw FileSystem.writingError(path, errno) }
    try syncFolder()
  }

  /// Makes the new name last, too.
  private func syncFolder() throws(SoundFileError) {
    let handle = Glibc.open(FilePath.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard handle >= 0 else { throw FileSystem.writingError(path, errno) }
    defer { Glibc.close(handle) }
    // Some file systems do not sync folders and say EINVAL; the name is as safe as they make it.
    guard fsync(handle) == 0 || errno == EINVAL else {
      throw FileSystem.writingError(path, errno)
    }
  }

  private func failure() -> SoundFileError {
    guard errno == 0 else { return FileSystem.writingError(path, errno) }
    return SoundFileError(
      .noRoom, path: path,
      "the sound was not written (\(SoundDecoder.reason(file))): check the disk")
  }

  private static func check(
    _ path: String, _ format: SoundFileFormat, _ channels: Int, _ rate: SampleRate
  ) throws(SoundFileError) {
    guard (1...format.maximumChannels).contains(channels) else {
      throw SoundFileError(
        .unsupported, path: path,
        "this format takes 1 to \(format.maximumChannels) channels, not \(channels)")
    }
    guard rate.hertz == rate.hertz.rounded(), (1...655_350).contains(rate.hertz) else {
      throw SoundFileError(
        .unsupported, path: path,
        "a sound file has a whole number of hertz from 1 to 655350, not \(rate): resample it")
    }
  }

  private static func begin(
    _ descriptor: Int32, _ path: String, _ format: SoundFileFormat, _ channels: Int,
    _ rate: SampleRate
  ) throws(SoundFileError) -> OpaquePointer {
    var info = SF_INFO()
    info.channels = Int32(channels)
    info.samplerate = Int32(rate.hertz)
    info.format = format.code
    errno = 0
    guard let file = sf_open_fd(descriptor, Int32(SFM_WRITE), &info, 0) else {
      if DiskFault.isFull(errno) { throw FileSystem.writingError(path, errno) }
      throw SoundFileError(
        .notWritten, path: path,
        "the sound file cannot be begun (\(SoundDecoder.reason(nil))): check rate and disk")
    }
    // Without clipping integer codings wrap, and FLAC drops whole blocks; PEAK chunks hold the time.
    sf_command(file, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
    sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    return file
  }
}

extension SoundFile {
  /// Writes signals of one rate and one length as the channels of a file.
  ///
  /// The file appears under its name when it is whole, and replaces one that is there. Traps where
  /// there is no signal, or where rates or lengths differ. Costs memory for one block of frames.
  package static func write(
    path: String, signals: [Signal], format: SoundFileFormat = .wavFloat
  ) throws(SoundFileError) {
    guard let first = signals.first else { preconditionFailure("a sound file without channels") }
    for signal in signals {
      precondition(
        signal.rate == first.rate && signal.samples.count == first.samples.count,
        "\(signal.samples.count) frames at \(signal.rate) beside \(first.samples.count) at "
          + "\(first.rate)")
    }
    var writer = try SoundFileWriter(
      path: path, format: format, channels: signals.count, rate: first.rate)
    let blockFrames = 8_192
    for start in stride(from: 0, to: first.samples.count, by: blockFrames) {
      let frames = start..<min(start + blockFrames, first.samples.count)
      var block: [Float] = []
      block.reserveCapacity(frames.count * signals.count)
      for frame in frames {
        for signal in signals { block.append(signal.samples[frame]) }
      }
      try writer.write(block)
    }
    try writer.close()
  }
}
