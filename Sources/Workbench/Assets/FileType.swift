// SPDX-License-Identifier: Apache-2.0

/// What a file is called when it is sent.
enum FileType {
  /// The type of a file of our own pages.
  static func ofPage(_ name: String) -> String {
    switch ending(of: name) {
    case "html": "text/html; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    default: ofArchive(name)
    }
  }

  /// The type of a file of the archive: whatever could be run in a page is plain text.
  static func ofArchive(_ name: String) -> String {
    switch ending(of: name) {
    case "json": "application/json"
    case "png": "image/png"
    case "svg": "image/svg+xml"
    case "wav": "audio/wav"
    case "flac": "audio/flac"
    case "txt", "md", "yaml", "yml", "ahap", "csv", "html", "js", "css", "xml", "prom":
      "text/plain; charset=utf-8"
    default: "application/octet-stream"
    }
  }

  private static func ending(of name: String) -> String {
    name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }
}
