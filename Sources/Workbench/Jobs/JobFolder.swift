// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc
import JSONText
import Reporting
import RunArchive

/// Where jobs are noted: a file that says what was started, and one that takes its output and is locked by it.
///
/// The child has the lock with its standard output, and the kernel takes it back when the last who has that ends.
/// So another workbench sees what goes on, and nobody trusts the number of a process.
struct JobFolder: Sendable {
  let path: String

  /// How many jobs are remembered.
  static let most = 64
  private static let largestNote = 1 << 16

  /// In the user's runtime folder; `nil` where there is none that is the user's alone.
  static func standard() -> JobFolder? {
    let path = RuntimeFolder.path + "/jobs"
    guard RuntimeFolder.make(RuntimeFolder.path, isClosed: false),
      RuntimeFolder.make(path, isClosed: true)
    else { return nil }
    return JobFolder(path: path)
  }

  func output(of id: String) -> String { "\(path)/\(id).out" }

  func write(_ note: JSONValue, of id: String) {
    try? AtomicFile.write(note.text(indent: nil) + "\n", to: "\(path)/\(id).json")
  }

  /// The jobs that are noted, the oldest first, with their notes.
  func notes() -> [(id: String, note: JSONValue)] {
    let names = ((try? Folder.names(in: path)) ?? []).filter { $0.hasSuffix(".json") }
    return names.compactMap { name in
      let id = String(name.dropLast(5))
      guard RunFiles.isName(id), let bytes = bytes("\(path)/\(name)", limit: Self.largestNote),
        let note = try? JSONValue(parsing: bytes)
      else { return nil }
      return (id, note)
    }
  }

  func forget(_ id: String) {
    unlink("\(path)/\(id).json")
    unlink("\(path)/\(id).out")
  }

  /// Whether a job's process, or one that it left behind, still has its output.
  func isHeld(_ id: String) -> Bool {
    let descriptor = open(output(of: id), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else {
      flock(descriptor, LOCK_UN)
      return false
    }
    return true
  }

  /// The last bytes of a job's output.
  func tail(of id: String, bytes count: Int = 4096) -> String {
    let descriptor = open(output(of: id), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return "" }
    let file = OpenedFile(descriptor: descriptor, size: Int(lseek(descriptor, 0, SEEK_END)))
    let some = file.bytes(from: max(0, file.size - count), count: min(count, max(0, file.size)))
    return String(decoding: some, as: UTF8.self)
  }

  /// The whole lines of a job's output from a byte on, at most a few, and where the next one begins.
  func lines(of id: String, from offset: Int) -> (lines: [[UInt8]], next: Int) {
    let descriptor = open(output(of: id), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return ([], offset) }
    let file = OpenedFile(descriptor: descriptor, size: Int(lseek(descriptor, 0, SEEK_END)))
    guard file.size > offset else { return ([], offset) }
    let piece = file.bytes(from: offset, count: min(Self.piece, file.size - offset))
    guard let end = piece.lastIndex(of: 0x0A) else {
      // No line of ours is so long.
      return ([], piece.count == Self.piece ? offset + piece.count : offset)
    }
    let block = offset / Self.kept
    if block != (offset + end) / Self.kept { Self.drop(block, of: descriptor) }
    return (piece[..<end].split(separator: 0x0A).map(Array.init), offset + end + 1)
  }

  /// Gives the memory of a block back; what follows stays where it is.
  private static func drop(_ block: Int, of descriptor: Int32) {
    guard
      let memory = mmap(
        nil, kept, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(block * kept)),
      memory != MAP_FAILED
    else { return }
    _ = madvise(memory, kept, MADV_REMOVE)
    munmap(memory, kept)
  }

  /// What is read of an output at once, and the blocks of which those that were read are dropped.
  private static let piece = 64 << 10
  private static let kept = 1 << 20

  /// Makes a folder for a job's files; `nil` where that cannot be.
  ///
  /// What a workbench that was killed left there goes after a day.
  func scratch() -> String? {
    let now = Glibc.time(nil)
    for name in SystemFiles().names(path) where name.hasPrefix("scratch-") {
      var status = stat()
      let old = "\(path)/\(name)"
      if lstat(old, &status) == 0, now - status.st_mtim.tv_sec > 86_400 { Self.remove(old) }
    }
    var template = Array("\(path)/scratch-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes a folder of `scratch` with its files.
  static func remove(_ scratch: String) {
    for name in SystemFiles().names(scratch) { unlink("\(scratch)/\(name)") }
    rmdir(scratch)
  }

  /// All of a job's output, within a limit.
  func whole(of id: String, limit: Int) -> [UInt8]? { bytes(output(of: id), limit: limit) }

  private func bytes(_ path: String, limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    let file = OpenedFile(descriptor: descriptor, size: Int(lseek(descriptor, 0, SEEK_END)))
    return (0...limit).contains(file.size) ? file.bytes(from: 0, count: file.size) : nil
  }
}
