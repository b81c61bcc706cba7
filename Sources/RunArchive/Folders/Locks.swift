// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A lock that this process has on a file or a folder; a file says with a process id who holds it.
enum HeldLock {
  static func open(_ path: String) -> Int32 {
    Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
  }

  static func take(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Gives the lock back and closes its descriptor.
  static func release(_ descriptor: Int32) {
    // A program that is being started has the descriptor for a moment: closing alone would leave it the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  static func writeHolder(to descriptor: Int32) {
    let text = Array("\(getpid())\n".utf8)
    ftruncate(descriptor, 0)
    _ = pwrite(descriptor, text, text.count, 0)
  }

  /// The process that holds the lock by its file; `nil` where it has not said so yet.
  static func holder(in descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].filter { $0 != 0x0A }, as: UTF8.self))
  }
}

/// The right of one process to work in a folder that stays: a file in it with its process id.
enum FolderLock {
  /// The name of the file.
  static let file = ".lock"

  /// Makes the folder where it is not there and takes its lock, which lasts until `HeldLock.release`.
  static func take(_ folder: String) throws(ArchiveError) -> Int32 {
    let path = folder + "/" + file
    while true {
      if mkdir(folder, 0o755) != 0, errno != EEXIST { throw AtomicFile.failure(folder, errno) }
      let descriptor = HeldLock.open(path)
      // The folder may have got its name since it was made.
      if descriptor < 0, errno == ENOENT { continue }
      guard descriptor >= 0 else { throw AtomicFile.failure(path, errno) }
      guard HeldLock.take(descriptor) else {
        let holder = WorkInProgress(work: folder, process: HeldLock.holder(in: descriptor)).holder
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
      HeldLock.writeHolder(to: descriptor)
      return descriptor
    }
  }
}

/// The right of one process to do a piece of work on an archive: a hidden file with its process id.
///
/// The kernel gives it back when the process ends, however it ends. Noncopyable: others may work when
/// the value is gone.
public struct WorkLock: ~Copyable {
  private let descriptor: Int32

  /// Takes the lock of a piece of work by its name, and makes the folder where it is not there.
  ///
  /// Throws `WorkInProgress` with the process that is at work, or `ArchiveError` where no file can be made.
  public init(_ work: String, in folder: String) throws {
    try Folder.make(folder)
    let name = work.map { $0 == "/" || $0 == "\0" ? "_" : $0 }
    let path = folder + "/." + String(name.prefix(200)) + ".lock"
    let descriptor = HeldLock.open(path)
    guard descriptor >= 0 else { throw AtomicFile.failure(path, errno) }
    guard HeldLock.take(descriptor) else {
      let holder = HeldLock.holder(in: descriptor)
      close(descriptor)
      throw WorkInProgress(work: work, process: holder)
    }
    self.descriptor = descriptor
    HeldLock.writeHolder(to: descriptor)
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

  /// Who does it, for sentences.
  public var holder: String { process.map { "process \($0)" } ?? "another process" }
}
