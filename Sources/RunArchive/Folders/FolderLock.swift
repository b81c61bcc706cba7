private import Glibc

/// The right of one process to work in a folder that stays: a file in it with its process id.
enum FolderLock {
  /// The name of the file.
  static let file = ".lock"

  /// Makes the folder where it is not there and takes its lock, which lasts until `HeldLock.release`.
  static func take(_ folder: String) throws(ArchiveError) -> Int32 {
    let path = folder + "/" + file
    while true {
      if mkdir(folder, 0o755) != 0, errno != EEXIST { throw AtomicFile.failure(folder, errno) }
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
      // The folder may have got its name since it was made.
      if descriptor < 0, errno == ENOENT { continue }
      guard descriptor >= 0 else { throw AtomicFile.failure(path, errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let holder = LockHolder.read(from: descriptor).map { "process \($0)" } ?? "another process"
        close(descriptor)
        throw ArchiveError(
          path: folder,
          message: "\(holder) is at work on it: wait for it, or end it, and give the command again")
      }
      var (held, found) = (stat(), stat())
      guard fstat(descriptor, &held) == 0, stat(path, &found) == 0, held.st_ino == found.st_ino
      else {
        // Its holder was done in this very moment, and the folder has its name.
        close(descriptor)
        continue
      }
      LockHolder.write(to: descriptor)
      return descriptor
    }
  }
}
