private import Glibc
private import Synchronization

/// A file of float samples without a name: it is gone with its last user, whatever ends the process.
final class ScratchFile: Sendable {
  private let descriptor: Int32
  /// How many files this process made.
  private static let made = Atomic(0)

  /// Makes an empty file in `TMPDIR`, else in /var/tmp, which is on a disk where /tmp may be memory; `nil` where
  /// neither takes one.
  init?() {
    let folders = [getenv("TMPDIR").map { String(cString: $0) }, "/var/tmp", "/tmp"]
    for folder in folders.compactMap(\.self) {
      let number = Self.made.add(1, ordering: .relaxed).newValue
      let name = "\(folder)/haprig-\(getpid())-\(number).samples"
      let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { continue }
      unlink(name)
      self.descriptor = descriptor
      return
    }
    return nil
  }

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Writes samples from one of them on; false where the disk does not take them all.
  func write(_ samples: Span<Float>, at first: Int) -> Bool {
    samples.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = pwrite(
          descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done,
          off_t(4 * first + done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }

  /// Reads samples from one of them on, as many as there is room for; traps where the disk fails, as memory would.
  func read(into room: UnsafeMutableBufferPointer<Float>, at first: Int) {
    let bytes = UnsafeMutableRawBufferPointer(room)
    var done = 0
    while done < bytes.count {
      let count = pread(
        descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done,
        off_t(4 * first + done))
      if count < 0, errno == EINTR { continue }
      precondition(
        count > 0, "samples \(first) on cannot be read back from the disk: errno \(errno)")
      done += count
    }
  }
}
