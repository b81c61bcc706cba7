// SPDX-License-Identifier: Apache-2.0

private import Glibc

extension ScratchFolder {
  /// Writes a text to a file of the folder and gives its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws(Failure) -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Writes bytes to a file of the folder and gives its path.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws(Failure) -> String {
    let descriptor = open(file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure(number: errno) }
    defer { close(descriptor) }
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw Failure(number: errno)
    }
    return file(name)
  }

  /// All bytes of a file of the folder.
  public func bytes(of name: String) throws(Failure) -> [UInt8] {
    guard let bytes = Self.bytes(file(name)) else { throw Failure(number: errno) }
    return bytes
  }

  /// Everything in a folder, hidden names too, sorted; nothing where there is no folder.
  public static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The bytes of the file at a path; `nil` where there is none.
  public static func bytes(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    guard size >= 0 else { return nil }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
    }
  }

  /// The text of the file at a path; `nil` where there is none.
  public static func text(_ path: String) -> String? {
    bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }
}
