private import Glibc
import Paths

/// Links from a page to files, that hold as long as both are moved together.
enum PageLink {
  /// The path of a file from a folder, percent-encoded; links in either path are followed first.
  static func relative(_ file: String, from folder: String) -> String {
    let target = parts(resolved(file))
    let base = parts(resolved(folder))
    var common = 0
    while common < min(base.count, target.count), base[common] == target[common] { common += 1 }
    let steps = Array(repeating: "..", count: base.count - common) + target[common...]
    return encoded(steps.joined(separator: "/"))
  }

  /// The path without links, as far as it is there: a page's folder may still have to be made.
  private static func resolved(_ path: String) -> String {
    if let resolved = realpath(path, nil) {
      defer { free(resolved) }
      return String(cString: resolved)
    }
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let parent = FilePath.folder(of: trimmed)
    guard parent != trimmed, trimmed != "." else { return trimmed }
    return resolved(parent) + "/" + FilePath.name(of: trimmed)
  }

  private static func parts(_ path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.map(String.init)
  }

  private static func encoded(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "/"):
        text.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return text
  }
}
