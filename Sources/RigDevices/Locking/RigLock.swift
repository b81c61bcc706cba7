// SPDX-License-Identifier: Apache-2.0

package import Devices
private import Glibc

/// The right of one process to use a rig: a lock file with its process id in the user's runtime folder.
///
/// The kernel gives the lock back when the process ends, however it ends, so that no lock outlives its
/// holder. A holder that gives no sign of life for `patience` has hung: who asks for the rig then ends it. Noncopyable:
/// the rig is free again when the value is gone.
package struct RigLock: ~Copyable, Sendable {
  private let descriptor: Int32

  /// After how many seconds without a sign of life a holder counts as hung.
  package static let patience = 30.0

  /// Takes the lock of a rig; throws `busy` with the process that holds it, or `denied` where no file can be made.
  package init(rig: String, folder: String? = nil) throws(DeviceError) {
    let folder = folder ?? RuntimeFolder.path
    guard RuntimeFolder.make(folder) else {
      throw DeviceError(
        .denied, device: rig,
        message: "the lock folder '\(folder)' is not this user's alone: remove it, or set "
          + "XDG_RUNTIME_DIR to a folder of your own")
    }
    let path = Self.path(of: rig, in: folder)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw DeviceError(
        .denied, device: rig,
        message: "the lock file '\(path)' cannot be made: \(String(cString: strerror(errno))); "
          + "set XDG_RUNTIME_DIR to a folder of your own",
        errno: errno)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || Self.takeFromHung(descriptor) else {
      let holder = Self.holder(in: descriptor).map { "process \($0)" } ?? "another process"
      close(descriptor)
      throw DeviceError(
        .busy, device: rig,
        message: "the rig is in use by \(holder): wait for it, or end it with 'haprig stop'")
    }
    self.descriptor = descriptor
    ftruncate(descriptor, 0)
    LockSigns.give(descriptor)
    LockSigns.keepGiving(descriptor)
  }

  /// Ends a holder that has given no sign for too long, and takes its lock; false where it is well.
  private static func takeFromHung(_ descriptor: Int32) -> Bool {
    guard let holder = LockSigns.read(descriptor), let sign = holder.sign,
      LockSigns.now - sign > patience, holder.process != getpid()
    else { return false }
    // As long as the lock is held its holder lives, and the number is no other process's.
    for attempt in 0..<500 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard LockSigns.read(descriptor) == holder else { return false }
      if attempt == 0, kill(holder.process, SIGKILL) != 0 { return false }
      usleep(10_000)
    }
    return false
  }

  deinit {
    LockSigns.stopGiving(descriptor)
    // Emptied before it is free, so that nobody reads the number of a process that is done.
    ftruncate(descriptor, 0)
    // A program that is being started has the descriptor for a moment: closing alone would leave it the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  package struct Holding: Sendable, Hashable {
    /// The rig's name as a file can carry it.
    package let rig: String
    package let process: Int32
  }

  package static func holdings(folder: String? = nil) -> [Holding] {
    let folder = folder ?? RuntimeFolder.path
    guard RuntimeFolder.isOwn(folder) else { return [] }
    var found: [Holding] = []
    for name in SystemFiles().names(folder) where name.hasSuffix(suffix) {
      let descriptor = open(folder + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      // Only a file with a number in it is tried: a free one may be taken in this very moment.
      guard let holder = holder(in: descriptor), flock(descriptor, LOCK_SH | LOCK_NB) != 0 else {
        flock(descriptor, LOCK_UN)
        continue
      }
      found.append(Holding(rig: String(name.dropLast(suffix.count)), process: holder))
    }
    return found.sorted { $0.rig < $1.rig }
  }

  /// The name of a rig as `holdings` shows it: letters, digits, `-`, `_` and `.`; others as `_`.
  package static func fileName(of rig: String) -> String {
    let bytes = rig.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      let isKept =
        scalar.isASCII && scalar.properties.isAlphabetic || "0123456789-.".utf8.contains(byte)
      return isKept ? byte : UInt8(ascii: "_")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let suffix = ".rig"

  private static func path(of rig: String, in folder: String) -> String {
    "\(folder)/\(fileName(of: rig))\(suffix)"
  }

  private static func holder(in descriptor: Int32) -> Int32? { LockSigns.read(descriptor)?.process }
}

/// A rig's lock that values can share; the last of them gives it back.
final class RigHold: Sendable {
  private let lock: RigLock

  init(_ rig: String) throws(DeviceError) { lock = try RigLock(rig: rig) }
}
