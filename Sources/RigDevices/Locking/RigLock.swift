package import Devices
private import Glibc

/// The right of one process to use a rig: a lock file with its process id in the user's runtime folder.
///
/// The kernel gives the lock back when the process ends, however it ends, so that no lock outlives its
/// holder. Noncopyable: the rig is free again when the value is gone.
package struct RigLock: ~Copyable, Sendable {
  private let descriptor: Int32

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
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let holder = Self.holder(in: descriptor).map { "process \($0)" } ?? "another process"
      close(descriptor)
      throw DeviceError(
        .busy, device: rig,
        message: "the rig is in use by \(holder): wait for it, or end it with 'haprig stop'")
    }
    self.descriptor = descriptor
    let text = Array("\(getpid())\n".utf8)
    ftruncate(descriptor, 0)
    _ = pwrite(descriptor, text, text.count, 0)
  }

  deinit {
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

  private static func holder(in descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].filter { $0 != 0x0A }, as: UTF8.self))
  }
}

/// A rig's lock that values can share; the last of them gives it back.
final class RigHold: Sendable {
  private let lock: RigLock

  init(_ rig: String) throws(DeviceError) { lock = try RigLock(rig: rig) }
}
