import Devices
import Glibc

/// What is done to an Industrial I/O device: its attributes are written, its node is opened.
protocol IIOAccess: Sendable {
  /// Writes a value to an attribute in one call and gives 0, or the error number.
  func write(_ value: String, to path: String) -> Int32

  /// Opens a node for reading without waiting; gives the descriptor, or the error number below 0.
  func openNode(_ path: String) -> Int32
}

extension SystemFiles: IIOAccess {
  func openNode(_ path: String) -> Int32 {
    let descriptor = Glibc.open(root + path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    return descriptor < 0 ? -errno : descriptor
  }

  func write(_ value: String, to path: String) -> Int32 {
    let file = Glibc.open(root + path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard file >= 0 else { return errno }
    defer { close(file) }
    // An empty value is a line feed to sysfs: nothing at all would not be written.
    let bytes = Array("\(value)\n".utf8)
    return Glibc.write(file, bytes, bytes.count) == bytes.count ? 0 : errno
  }

  /// Whether anybody may write to an attribute: the kernel has some that only tell.
  func isSettable(_ path: String) -> Bool {
    var status = stat()
    return stat(root + path, &status) == 0 && status.st_mode & 0o222 != 0
  }

  /// Whether this user may write to a file.
  func mayWrite(_ path: String) -> Bool { Glibc.access(root + path, W_OK) == 0 }

  /// Whether this user may read a file.
  func mayRead(_ path: String) -> Bool { Glibc.access(root + path, R_OK) == 0 }
}

/// What was changed of a device's attributes, so that it can be changed back.
struct AttributeJournal: Sendable {
  private let files: SystemFiles
  private let access: any IIOAccess
  private var changes: [(path: String, before: String)] = []

  init(_ files: SystemFiles, access: any IIOAccess) {
    self.files = files
    self.access = access
  }

  /// Writes a value where it is not there yet, and gives 0, or the error number.
  mutating func set(_ value: String, at path: String) -> Int32 {
    let before = files.text(path)
    guard before != value else { return 0 }
    let number = access.write(value, to: path)
    if number == 0, let before { changes.append((path, before)) }
    return number
  }

  /// Writes a value that is not to be changed back.
  func put(_ value: String, at path: String) -> Int32 { access.write(value, to: path) }

  /// Changes everything back, the latest first, as far as it can be.
  mutating func undo() {
    for (path, before) in changes.reversed() { _ = access.write(before, to: path) }
    changes = []
  }
}
