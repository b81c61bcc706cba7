private import Glibc

/// The process id in a lock's file, which says to others who holds it.
enum LockHolder {
  /// Writes this process's id over what stands in the file.
  static func write(to descriptor: Int32) {
    let text = Array("\(getpid())\n".utf8)
    ftruncate(descriptor, 0)
    _ = pwrite(descriptor, text, text.count, 0)
  }

  /// The id that stands in the file; `nil` where there is none.
  static func read(from descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].filter { $0 != 0x0A }, as: UTF8.self))
  }
}
