import Glibc

/// Reading the files of an archive: regular ones of bounded size, by no link.
enum StoredFile {
  /// The most bytes of a `record.json` that are read.
  static let recordLimit = 64 << 20

  /// All bytes of a file in a folder that is no link; `nil` where there is none.
  static func bytes(
    _ name: String, in folder: String, limit: Int
  ) throws(ArchiveError) -> [UInt8]? {
    let path = folder + "/" + name
    guard let open = try OpenFolder(folder),
      let (descriptor, size) = try open.file(name, path: path)
    else { return nil }
    defer { close(descriptor) }
    guard size <= limit else {
      throw ArchiveError(
        path: path, message: "the file holds \(size) bytes, and at most \(limit) are read")
    }
    var bytes = [UInt8](repeating: 0, count: size)
    var filled = 0
    while filled < size {
      let count = bytes.withUnsafeMutableBytes { buffer in
        buffer.baseAddress.map { read(descriptor, $0 + filled, size - filled) } ?? 0
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, errno) }
      guard count > 0 else { break }
      filled += count
    }
    bytes.removeLast(size - filled)
    return bytes
  }

  /// The first bytes of a file, fewer where it has fewer; `nil` where there is none.
  static func beginning(_ path: String, count: Int) throws(ArchiveError) -> [UInt8]? {
    guard let (descriptor, _) = try opened(path) else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = read(descriptor, &bytes, count)
    guard read >= 0 else { throw failure(path, errno) }
    return Array(bytes.prefix(read))
  }

  /// The size of a regular file in a folder that is no link; `nil` where there is none.
  static func size(_ name: String, in folder: String) throws(ArchiveError) -> Int? {
    guard let open = try OpenFolder(folder),
      let (descriptor, size) = try open.file(name, path: folder + "/" + name)
    else { return nil }
    close(descriptor)
    return size
  }

  /// The size and the SHA-256 of a file of any size in a folder that is no link, a megabyte in memory; `nil`
  /// where there is none.
  static func account(
    _ name: String, in folder: String
  ) throws(ArchiveError) -> (bytes: Int, hash: ContentHash)? {
    let path = folder + "/" + name
    guard let open = try OpenFolder(folder), let (descriptor, _) = try open.file(name, path: path)
    else { return nil }
    defer { close(descriptor) }
    var hasher = ContentHasher()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var total = 0
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, errno) }
      guard count > 0 else { break }
      hasher.update(buffer, count: count)
      total += count
    }
    return (total, hasher.finish())
  }

  /// Opens a regular file; a link, a pipe or a folder is refused without waiting for it.
  private static func opened(_ path: String) throws(ArchiveError) -> (Int32, size: Int)? {
    try regular(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), path)
  }

  /// The descriptor of what was just opened and its size, where it is a regular file; `nil` where nothing is there.
  static func regular(
    _ descriptor: Int32, _ path: String
  ) throws(ArchiveError) -> (Int32, size: Int)? {
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure(path, errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw ArchiveError(
        path: path, message: "this is no regular file: run folders hold files only")
    }
    return (descriptor, Int(status.st_size))
  }

  static func failure(_ path: String, _ reason: Int32) -> ArchiveError {
    let message =
      switch reason {
      case ELOOP: "this is a link: run folders hold files only"
      case EACCES, EPERM: "the file may not be read: check its permissions"
      default: "the file cannot be read: \(String(cString: strerror(reason)))"
      }
    return ArchiveError(path: path, message: message)
  }
}
