// SPDX-License-Identifier: Apache-2.0

/// The parts of a path as text; nothing here looks at a disk.
public enum FilePath {
  /// The folder that a file lies in: `a/b` for `a/b/c`, `.` for a name alone, `/` for what lies at the top.
  public static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The last part of a path: `c` for `a/b/c` and for `a/b/c/`.
  public static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The name of a file without its ending: `c` for `a/b/c.wav`.
  public static func stem(of path: String) -> String {
    let name = name(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The ending of a file's name in small letters, without its dot: `wav` for `a/b/c.WAV`.
  public static func ending(of path: String) -> String {
    let name = name(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }

  /// The path of a file in a folder; the working folder is left out.
  public static func join(_ folder: String, _ name: String) -> String {
    folder == "." ? name : folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  /// Names in the order of their bytes, which is the same on every machine.
  public static func sorted(_ names: [String]) -> [String] {
    names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
