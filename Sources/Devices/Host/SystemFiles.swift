// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The parts of `/proc`, `/sys`, `/dev` and `/etc` that say what devices there are and who has them, below a
/// folder of choice.
///
/// Paths are given as on a running system, with their leading slash. Every question does I/O.
public struct SystemFiles: Sendable {
  /// What stands before `/proc`, `/sys`, `/dev` and `/etc`; empty on a running system.
  public let root: String

  /// Looks at the running system, or at a tree below a folder.
  public init(root: String = "") { self.root = root }

  /// The text of a small file without the newline at its end; `nil` where it cannot be read.
  public func text(_ path: String) -> String? {
    guard var bytes = bytes(path) else { return nil }
    while bytes.last == 0x0A { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of a file, at most a megabyte; `nil` where it cannot be read.
  public func bytes(_ path: String) -> [UInt8]? {
    let file = open(root + path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 20 {
      let count = read(file, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += block[..<count]
    }
    return bytes
  }

  /// The names in a folder, sorted; none where there is no such folder.
  public func names(_ path: String) -> [String] {
    guard let folder = opendir(root + path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Where a symbolic link leads, as it is written; `nil` where it is none.
  public func link(_ path: String) -> String? {
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink(root + path, &target, target.count)
    guard count > 0 else { return nil }
    return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A path without links in it, below the root; `nil` where there is nothing.
  public func resolved(_ path: String) -> String? {
    guard let real = realpath(root + path, nil) else { return nil }
    defer { free(real) }
    let text = String(cString: real)
    guard !root.isEmpty else { return text }
    guard let top = realpath(root, nil) else { return nil }
    defer { free(top) }
    let prefix = String(cString: top)
    if prefix == "/" { return text }
    return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
  }

  /// Whether there is anything by this name.
  public func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

  /// The name of the group that a file belongs to; `nil` where it has none.
  public func group(of path: String) -> String? {
    var status = stat()
    guard stat(root + path, &status) == 0, let group = getgrgid(status.st_gid) else { return nil }
    return group.pointee.gr_name.map { String(cString: $0) }
  }
}

extension SystemFiles {
  /// The number of the first process that has a device's node open; `nil` where none is seen.
  ///
  /// `node` is its own path, without links in it. Other users' processes show nothing but to root.
  public func opener(of node: String, besides own: Int? = nil) -> Int? {
    names("/proc").compactMap { Int($0) }.sorted().first { process in
      process != own
        && names("/proc/\(process)/fd").contains { link("/proc/\(process)/fd/\($0)") == node }
    }
  }

  /// What a process is called in a message: `aplay (process 812)`.
  public func caption(ofProcess process: Int) -> String {
    "\(text("/proc/\(process)/comm") ?? "a program") (process \(process))"
  }
}

extension SystemFiles {
  /// The group whose members may use devices without a seat at the machine: for ssh and services.
  package static let deviceGroup = "plugdev"

  /// The program that has a device's node open but this one, whatever link leads to it; `nil` where none is seen.
  package func holder(ofNode path: String) -> String? {
    opener(of: resolved(path) ?? path, besides: Int(getpid())).map { caption(ofProcess: $0) }
  }
}

extension String {
  /// The text with U+FFFD in the place of every control character: what a device or a folder is called is no command
  /// to a terminal.
  package var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }
}
