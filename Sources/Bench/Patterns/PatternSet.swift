private import Glibc
import Paths

/// The pattern files that a person named: files as they are, folders by the AHAP files in them.
package enum PatternSet {
  package static let limit = 10_000

  package struct Entry: Sendable, Equatable {
    package let path: String
    /// The file's name without `.ahap`; made unique by a number where two share it.
    package let name: String
  }

  /// Lists pattern files: those of a folder by name, folders not searched below.
  package static func expand(_ paths: [String]) throws(InputError) -> [Entry] {
    var files: [String] = []
    for path in paths {
      var status = stat()
      guard stat(path, &status) == 0 else {
        throw InputError("\(path): there is no such file or folder: check the path")
      }
      guard status.st_mode & S_IFMT == S_IFDIR else {
        files.append(path)
        continue
      }
      let found = try patterns(in: path)
      guard !found.isEmpty else {
        throw InputError("\(path): the folder holds no AHAP file: name a folder with *.ahap files")
      }
      files += found
    }
    guard files.count <= limit else {
      throw InputError("\(files.count) patterns are more than one run takes: at most \(limit)")
    }
    return named(files)
  }

  private static func patterns(in folder: String) throws(InputError) -> [String] {
    guard let stream = opendir(folder) else {
      throw InputError("\(folder): the folder cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name.hasSuffix(".ahap"), !name.hasPrefix(".") { names.append(name) }
    }
    let separator = folder.hasSuffix("/") ? "" : "/"
    return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
      .map { folder + separator + $0 }
  }

  private static func named(_ files: [String]) -> [Entry] {
    let names = files.map { path in
      let last = FilePath.name(of: path)
      return last.hasSuffix(".ahap") ? String(last.dropLast(5)) : last
    }
    return zip(files, names.numbered()).map { Entry(path: $0, name: $1) }
  }
}

extension [String] {
  /// The names with a number after those that an earlier one has already, in their order.
  func numbered() -> [String] {
    var taken = Set(self)
    var uses: [String: Int] = [:]
    return map { name in
      var count = uses[name, default: 0] + 1
      var unique = name
      while count > 1 {
        unique = "\(name)-\(count)"
        if taken.insert(unique).inserted { break }
        count += 1
      }
      uses[name] = count
      return unique
    }
  }
}
