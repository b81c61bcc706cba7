// SPDX-License-Identifier: Apache-2.0

private import CEmbeddedFiles
private import Glibc

/// The pages' files: those that were built in, or those of a folder while one works on them.
struct Assets: Sendable {
  private let folder: String?

  /// What was built in, by name: the files of `Pages`, each once.
  static let embedded: [String: [UInt8]] = {
    let files = UnsafeBufferPointer(start: haprig_embedded_files(), count: haprig_embedded_count())
    let prefix = "pages/"
    let pages = files.map { (name: String(cString: $0.name), file: $0) }
      .filter { $0.name.hasPrefix(prefix) }
    return Dictionary(
      uniqueKeysWithValues: pages.map { name, file in
        (
          String(name.dropFirst(prefix.count)),
          Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        )
      })
  }()

  /// Of CodeMirror 5 (MIT), which is Debian's and no part of the program: what the editor's source pane asks for.
  static let codeMirror: Set = [
    "lib/codemirror.js", "lib/codemirror.css", "mode/javascript/javascript.js",
    "addon/edit/matchbrackets.js",
  ]
  private static let debian = "/usr/share/javascript/codemirror/"

  private static let largest = 8 << 20

  init(folder: String?) { self.folder = folder }

  /// The file at a path below the root: `assets/NAME` and `NAME` are one, the root is `index.html`.
  func response(_ path: [String]) throws(HTTPFault) -> Response {
    let parts = path.first == "assets" ? Array(path.dropFirst()) : path
    let name = parts == [""] || parts.isEmpty ? "index.html" : parts.joined(separator: "/")
    guard !parts.dropLast().contains(""), !parts.contains(where: { $0.hasPrefix(".") }),
      let bytes = bytes(of: name)
    else { throw HTTPFault(404, "no-such-path", "there is nothing here") }
    return Response(200, bytes, type: FileType.ofPage(name))
  }

  private func bytes(of name: String) -> [UInt8]? {
    if name.hasPrefix("codemirror/") {
      let file = String(name.dropFirst("codemirror/".count))
      guard Self.codeMirror.contains(file) else { return nil }
      // Where it is not installed the page has a plain field; a missing file would be an error in its console.
      return Self.read(Self.debian + file) ?? []
    }
    guard let folder else { return Self.embedded[name] }
    return Self.read(folder + "/" + name)
  }

  private static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= largest
    else {
      close(descriptor)
      return nil
    }
    let file = OpenedFile(descriptor: descriptor, size: Int(status.st_size))
    return file.bytes(from: 0, count: file.size)
  }
}
