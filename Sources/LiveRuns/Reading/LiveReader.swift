// SPDX-License-Identifier: Apache-2.0

import Glibc
package import JSONText

/// Whether a piece of work goes on.
package enum LiveState: Sendable, Equatable {
  case working
  /// It told how it ended.
  case ended(LiveEvent.End)
  /// Its process is gone, and told nothing.
  case dead

  /// The word for it.
  package var word: String {
    switch self {
    case .working: "working"
    case .ended: "ended"
    case .dead: "dead"
    }
  }
}

/// A line as it stands in the file.
package struct RawLine: Sendable, Equatable {
  /// Its place, from 0, which is its number.
  package let number: Int
  /// Its text without the line feed, to be handed on as it is.
  package let text: String

  /// The word that the line says of what it is, read without the rest; `nil` where it says none.
  package var kind: String? {
    // It stands behind two numbers.
    let head = Array(text.utf8.prefix(96))
    let mark = Array("\"kind\":\"".utf8)
    for start in head.indices where head[start...].starts(with: mark) {
      let word = head[(start + mark.count)...].prefix { $0 != UInt8(ascii: "\"") }
      return String(decoding: word, as: UTF8.self)
    }
    return nil
  }

  /// What it says; an error where a later version, or nobody, wrote it.
  package func line() throws(JSONFieldError) -> LiveLine { try LiveLine(parsing: text) }
}

/// Follows what a piece of work tells, from any number on, while it goes on and after it has ended.
///
/// Each call of `next` looks once and never waits. Whoever calls it again and again pauses between for `pause`.
package struct LiveReader: Sendable {
  /// How long to pause after a look that found nothing, in seconds: 20 looks a second.
  package static let pause = 0.05
  /// A line is never so long.
  private static let longestLine = 1 << 22
  private static let block = 1 << 16

  package let id: String
  package private(set) var state = LiveState.working
  private let events: OpenFile
  private let lock: OpenFile
  private var offset = 0
  /// The number of the line at `offset`.
  private var number = 0
  private let first: Int

  /// Opens a piece of work of this user.
  package init(
    id: String, from number: Int = 0, in folder: String? = nil
  ) throws(LiveError) {
    let folder = folder ?? LiveFolder.path
    guard LiveFolder.isPlain(id), try LiveFolder.names(in: folder).contains(id) else {
      throw LiveError("nothing works under the name '\(id)'")
    }
    lock = try OpenFile("\(folder)/\(id)/\(LiveNames.lock)")
    events = try OpenFile("\(folder)/\(id)/\(LiveNames.events)")
    self.id = id
    first = number
  }

  /// The lines that came since the last call; empty where there are none, and for ever once the state is another than
  /// `working`.
  package mutating func next() throws(LiveError) -> [RawLine] {
    guard state == .working else { return [] }
    let lines = try read()
    guard lines.isEmpty, state == .working, lock.isFree else { return lines }
    // It told its last before it let go of the lock.
    let rest = try read()
    if rest.isEmpty, state == .working { state = .dead }
    return rest
  }

  /// The lines that are whole, some tens of kilobytes at a time.
  private mutating func read() throws(LiveError) -> [RawLine] {
    var lines: [RawLine] = []
    var size = Self.block
    while true {
      let bytes = events.bytes(at: offset, atMost: size)
      var start = 0
      while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        let line = RawLine(number: number, text: text)
        if line.number >= first { lines.append(line) }
        look(at: line)
        number += 1
        start = end + 1
      }
      offset += start
      // What was read for none of these lines has more behind it.
      guard lines.isEmpty, bytes.count == size else { return lines }
      guard start == 0 else { continue }
      // A part of a line is read again when the rest of it is there.
      size *= 2
      guard size <= Self.longestLine else {
        throw LiveError("what '\(id)' tells has a line of more than \(Self.longestLine >> 1) bytes")
      }
    }
  }

  private mutating func look(at line: RawLine) {
    // No other line is worth the reading here.
    guard line.kind == "end", let told = try? line.line(), case .end(let end) = told.event
    else { return }
    state = .ended(end)
  }
}
