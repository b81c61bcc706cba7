import Glibc

/// A lock on a folder by which processes agree who may replace the index in it.
///
/// The kernel lets go of it when its process ends, however it ends.
struct IndexLock: ~Copyable {
  enum Kind {
    /// Whoever uses the index.
    case shared
    /// Whoever puts another file in its place.
    case exclusive
  }

  private let descriptor: Int32

  /// Takes the lock, waiting for others up to `patience` seconds.
  init(_ folder: String, _ kind: Kind, patience: Double) throws(IndexFault) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .failed(AtomicFile.failure(folder, errno).message)
    }
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    var waited = 0.0
    while flock(descriptor, operation) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        let reason = String(cString: strerror(errno))
        close(descriptor)
        throw .failed("the folder cannot be locked: \(reason)")
      }
      guard waited < patience else {
        close(descriptor)
        throw .busy
      }
      usleep(20_000)
      waited += 0.02
    }
    self.descriptor = descriptor
  }

  deinit { HeldLock.release(descriptor) }
}
