// SPDX-License-Identifier: Apache-2.0

private import Glibc
package import Units

/// A decoded sound: its channels and what its file said of itself.
package struct SoundFile: Sendable, Equatable {
  /// How much a caller takes; what is more is an error before memory is asked for.
  package struct Limit: Sendable, Equatable {
    /// The most bytes of decoded samples, four for each.
    package var bytes: Int
    package var channels: Int
    /// The highest rate in hertz.
    package var rate: Int

    package init(bytes: Int = 512 << 20, channels: Int = 16, rate: Int = 192_000) {
      self.bytes = bytes
      self.channels = channels
      self.rate = rate
    }

    /// The same for who holds all samples in memory.
    package static let wholeRecording = Limit(channels: 1_024, rate: 655_350)

    /// Whatever `SoundFileWriter` writes, for who reads block by block: 23 h of four channels at 48 kHz.
    package static let recording = Limit(bytes: 64 << 30, channels: 1_024, rate: 655_350)
  }

  /// What a block of samples is of: its frames are of so many channels.
  package struct Shape: Sendable, Equatable {
    package let rate: SampleRate
    package let channelCount: Int
  }

  /// What a file says of itself.
  package struct Info: Sendable, Equatable {
    package let rate: SampleRate
    package let channelCount: Int
    package let frameCount: Int
    /// The container and the coding, for example `WAV (Microsoft), 32 bit float`.
    package let formatName: String

    /// The length in seconds.
    package var duration: Double { rate.seconds(Double(frameCount)) }
  }

  /// One signal a channel, in the order of the file, all of one length.
  package let channels: [Signal]
  package let info: Info
}

extension SoundFile {
  /// Reads a sound file of any format that libsndfile knows, and of some more where `ffmpeg` is installed.
  ///
  /// Integer codings become -1...1; floating-point ones stay as they are. A file that is shorter than
  /// its header says is an error, as is one that passes the limit. The samples count `unit`. Follows
  /// symbolic links: a caller that must not opens the file itself.
  package static func read(
    path: String, unit: MeasurementUnit = .one, limit: Limit = Limit()
  ) throws(SoundFileError) -> SoundFile {
    let descriptor = try opened(path)
    defer { close(descriptor) }
    return try read(descriptor: descriptor, name: path, unit: unit, limit: limit)
  }

  /// Reads a sound file block by block, so that no more than a block of it is in memory.
  package static func scan(
    path: String, limit: Limit = Limit(),
    _ body: (_ block: Span<Float>, _ shape: Shape) -> Void
  ) throws(SoundFileError) -> Info {
    let descriptor = try opened(path)
    defer { close(descriptor) }
    return try scan(descriptor: descriptor, name: path, limit: limit, body)
  }

  private static func opened(_ path: String) throws(SoundFileError) -> Int32 {
    // Without O_NONBLOCK a pipe without a writer would hold the caller for ever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileSystem.openingError(path, errno) }
    return descriptor
  }

  /// Reads a sound file that is open already, from its beginning.
  ///
  /// The descriptor stays open and belongs to the caller; its position afterwards is undefined.
  /// `name` stands for the file in errors.
  package static func read(
    descriptor: Int32, name: String, unit: MeasurementUnit = .one, limit: Limit = Limit()
  ) throws(SoundFileError) -> SoundFile {
    var planes: [[Float]] = []
    let info = try scan(descriptor: descriptor, name: name, limit: limit) { block, shape in
      Self.append(block, shape.channelCount, to: &planes)
    }
    return SoundFile(planes, info, unit: unit)
  }

  private init(_ planes: [[Float]], _ info: Info, unit: MeasurementUnit) {
    self.init(
      channels: planes.map { Signal(samples: $0, rate: info.rate, unit: unit) }, info: info)
  }

  private static func append(
    _ block: Span<Float>, _ channelCount: Int, to planes: inout [[Float]]
  ) {
    if planes.isEmpty { planes = Array(repeating: [], count: channelCount) }
    for channel in planes.indices {
      for place in stride(from: channel, to: block.count, by: channelCount) {
        planes[channel].append(block[place])
      }
    }
  }

  /// Reads a sound file that is open already block by block, from its beginning; the descriptor stays open.
  package static func scan(
    descriptor: Int32, name: String, limit: Limit = Limit(),
    _ body: (_ block: Span<Float>, _ shape: Shape) -> Void
  ) throws(SoundFileError) -> Info {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileSystem.openingError(name, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "not a regular file"
      throw SoundFileError(.notAFile, path: name, "this is \(kind): name a sound file")
    }
    let check = ContainerCheck(name: name, descriptor: descriptor, size: Int(status.st_size))
    lseek(descriptor, 0, SEEK_SET)
    if let coding = check.foreignCoding {
      return try ForeignDecoder(coding: coding, name: name)
        .scan(descriptor: descriptor, limit: limit, body)
    }
    try check.check()
    return try SoundDecoder(descriptor: descriptor, name: name).scan(limit: limit, body)
  }

  /// Reads a sound file that is in memory already.
  ///
  /// `name` stands for the file in errors.
  package static func read(
    bytes: [UInt8], name: String, unit: MeasurementUnit = .one, limit: Limit = Limit()
  ) throws(SoundFileError) -> SoundFile {
    let check = ContainerCheck(name: name, bytes: bytes)
    if let coding = check.foreignCoding {
      throw SoundFileError(
        .unsupported, path: name, "this is \(coding), which is read from a file alone")
    }
    try check.check()
    var planes: [[Float]] = []
    let info = try SoundDecoder(bytes: bytes, name: name).scan(limit: limit) {
      Self.append($0, $1.channelCount, to: &planes)
    }
    return SoundFile(planes, info, unit: unit)
  }
}
