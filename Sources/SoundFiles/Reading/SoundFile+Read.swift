private import Glibc
public import Units

extension SoundFile {
  /// Reads a sound file of any format that libsndfile knows.
  ///
  /// Integer codings become -1...1; floating-point ones stay as they are. A file that is shorter than
  /// its header says is an error, as is one that passes the limit. The samples count `unit`. Follows
  /// symbolic links: a caller that must not opens the file itself.
  public static func read(
    path: String, unit: MeasurementUnit = .one, limit: Limit = Limit()
  ) throws(SoundFileError) -> SoundFile {
    let descriptor = try opened(path)
    defer { close(descriptor) }
    return try read(descriptor: descriptor, name: path, unit: unit, limit: limit)
  }

  /// Reads a sound file block by block, so that no more than a block of it is in memory.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The most that is read.
  ///   - body: Called with interleaved samples, whole frames, and how many of them are a frame.
  /// - Returns: What the file says of itself.
  /// - Throws: `SoundFileError` where it cannot be read whole, or is more than the limit.
  public static func scan(
    path: String, limit: Limit = Limit(),
    _ body: (_ block: Span<Float>, _ channelCount: Int) -> Void
  ) throws(SoundFileError) -> Info {
    let descriptor = try opened(path)
    defer { close(descriptor) }
    return try decoder(descriptor, name: path).scan(limit: limit, body)
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
  public static func read(
    descriptor: Int32, name: String, unit: MeasurementUnit = .one, limit: Limit = Limit()
  ) throws(SoundFileError) -> SoundFile {
    try decoder(descriptor, name: name).decode(unit: unit, limit: limit)
  }

  /// Looks at an open file, and begins to decode it.
  private static func decoder(
    _ descriptor: Int32, name: String
  ) throws(SoundFileError) -> SoundDecoder {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileSystem.openingError(name, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "not a regular file"
      throw SoundFileError(.notAFile, path: name, "this is \(kind): name a sound file")
    }
    let source = DescriptorSource(descriptor: descriptor, count: Int(status.st_size))
    try ContainerCheck(name: name, source: source).check()
    lseek(descriptor, 0, SEEK_SET)
    return try SoundDecoder(descriptor: descriptor, name: name)
  }

  /// Reads a sound file that is in memory already.
  ///
  /// `name` stands for the file in errors.
  public static func read(
    bytes: [UInt8], name: String, unit: MeasurementUnit = .one, limit: Limit = Limit()
  ) throws(SoundFileError) -> SoundFile {
    try ContainerCheck(name: name, source: MemorySource(bytes: bytes)).check()
    let decoder = try SoundDecoder(bytes: bytes, name: name)
    return try decoder.decode(unit: unit, limit: limit)
  }
}
