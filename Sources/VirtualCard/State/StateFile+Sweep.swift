import Glibc

extension StateFile {
  /// Removes the states that dead processes left behind, so that crashes cannot fill the memory.
  static func sweep(except path: String) {
    guard let stream = opendir(folder) else { return }
    defer { closedir(stream) }
    let prefix = "haprig-\(getuid())-"
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let other = "\(folder)/\(name)"
      if name.hasPrefix(prefix), other != path { removeIfUnused(other) }
    }
  }

  private static func removeIfUnused(_ path: String) {
    let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Whoever opens it just now has the lock, or waits for it and finds the file removed.
    guard lock(descriptor, .opening, wait: false), !isLocked(descriptor, .side(.playback)),
      !isLocked(descriptor, .side(.capture))
    else { return }
    unlink(path)
  }
}
