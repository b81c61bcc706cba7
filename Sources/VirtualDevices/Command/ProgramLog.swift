// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The end of what a program wrote to its standard error, and its lines as they come.
final class ProgramLog: Sendable {
  static let capacity = 65_536

  private struct Content {
    var kept: [UInt8] = []
    var line: [UInt8] = []
    var lastLine = ""
  }

  private let content = Mutex(Content())
  private let report: @Sendable (String) -> Void

  init(report: @escaping @Sendable (String) -> Void) { self.report = report }

  /// Forgets the last line of the program before, for another one begins.
  func begin() {
    content.withLock { content in
      content.line = []
      content.lastLine = ""
    }
  }

  /// Adds bytes and reports the lines that they end; a line longer than `capacity` is cut there.
  func append(_ bytes: ArraySlice<UInt8>) {
    let lines = content.withLock { content in
      var lines: [String] = []
      for byte in bytes {
        if byte != UInt8(ascii: "\n") { content.line.append(byte) }
        if byte == UInt8(ascii: "\n") || content.line.count >= Self.capacity {
          lines.append(String(decoding: content.line, as: UTF8.self))
          content.line.removeAll(keepingCapacity: true)
        }
      }
      content.kept += bytes
      if content.kept.count > 2 * Self.capacity {
        content.kept.removeFirst(content.kept.count - Self.capacity)
      }
      if let last = lines.last(where: { !$0.isEmpty }) { content.lastLine = last }
      return lines
    }
    for line in lines { report(line) }
  }

  /// Reports what stands after the last line feed, once the program has ended.
  func finish() {
    let rest = content.withLock { content in
      guard !content.line.isEmpty else { return String?.none }
      content.lastLine = String(decoding: content.line, as: UTF8.self)
      content.line = []
      return content.lastLine
    }
    if let rest { report(rest) }
  }

  var text: String {
    content.withLock { String(decoding: $0.kept.suffix(Self.capacity), as: UTF8.self) }
  }

  /// The last line that was not empty, for an error message; at most 300 characters of it.
  var lastLine: String {
    content.withLock { content in
      let open = String(decoding: content.line, as: UTF8.self)
      return String((open.isEmpty ? content.lastLine : open).prefix(300))
    }
  }
}
