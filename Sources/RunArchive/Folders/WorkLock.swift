private import Glibc

/// The right of one process to do a piece of work on an archive: a hidden file with its process id.
///
/// The kernel gives it back when the process ends, however it ends. Noncopyable: others may work when
/// the value is gone.
public struct WorkLock: ~Copyable {
  private let descriptor: Int32

  /// Takes the lock of a piece of work, and makes the folder where it is not there.
  ///
  /// - Parameters:
  ///   - work: What is done, as a name.
  ///   - folder: The archive's folder.
  /// - Throws: `WorkInProgress` with the process that is at work, or `ArchiveError` where no file can be
  ///   made.
  public init(_ work: String, in folder: String) throws {
    try Folder.make(folder)
    let name = work.map { $0 == "/" || $0 == "\0" ? "_" : $0 }
    let path = folder + "/." + String(name.prefix(200)) + ".lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw AtomicFile.failure(path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let holder = LockHolder.read(from: descriptor)
      close(descriptor)
      throw WorkInProgress(work: work, process: holder)
    }
    self.descriptor = descriptor
    LockHolder.write(to: descriptor)
  }

  deinit {
    // The file stays: who waits for its name and who holds it must not part.
    ftruncate(descriptor, 0)
    HeldLock.release(descriptor)
  }
}

/// Why work on an archive cannot begin: another process does it.
public struct WorkInProgress: Error, Sendable, Hashable {
  /// What is done.
  public let work: String
  /// The process; `nil` where it has not said so yet.
  public let process: Int32?
}
