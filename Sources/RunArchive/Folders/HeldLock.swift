private import Glibc

/// A lock that this process has on a file or a folder.
enum HeldLock {
  /// Gives the lock back and closes its descriptor.
  static func release(_ descriptor: Int32) {
    // A program that is being started has the descriptor for a moment: closing alone would leave it the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
