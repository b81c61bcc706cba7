// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText

/// The draft of a document: its history as lines of JSON that are only ever appended.
///
/// The first line has the text that it begins from; each other one is an event, with the length of the text after it,
/// by which a line that does not belong is told. A line counts once its line feed is written.
public enum Draft {
  /// A draft longer than this in bytes begins anew from the present text; undo ends there.
  public static let longest = 32 << 20
  /// The longest draft in bytes that is read: one that is at its limit, and one more step.
  public static let longestRead = 64 << 20

  private static let format = 1

  /// What a draft says.
  public struct Replay: Sendable {
    /// The text with its history.
    public var history: EditHistory
    /// How many bytes of the draft it is made of; what stands behind them is to be cut off before more
    /// is appended.
    public var length: Int
    /// How many lines that are.
    public var lines: Int
    /// What is wrong with the line behind them; nil where there is none, or only a torn one.
    public var fault: String?
  }

  /// Why a draft says nothing.
  public struct Unreadable: Error, Sendable, Hashable {
    /// One sentence.
    public var message: String
  }

  /// Writes the first line of a draft, from which a history begins anew.
  public static func opening(_ history: EditHistory) -> [UInt8] {
    line(
      .object(present: [
        "draft": .integer(format), "text": .string(text(history.bytes)),
        "file": history.isSaved ? nil : .string(text(history.fileBytes)),
      ]))
  }

  /// Writes the line of an event, after which the history is this one.
  public static func line(_ event: EditEvent, after history: EditHistory) -> [UInt8] {
    var members: [JSONMember]
    switch event {
    case .edit(let label, let edits, let continues):
      members = [
        JSONMember("edit", .string(label)),
        JSONMember(
          "at",
          .array(
            edits.map {
              .array([
                .integer($0.range.lowerBound), .integer($0.range.count), .string($0.replacement),
              ])
            })),
      ]
      if continues { members.append(JSONMember("continues", true)) }
    case .undo: members = [JSONMember("undo", true)]
    case .redo: members = [JSONMember("redo", true)]
    case .saved: members = [JSONMember("saved", true)]
    case .file(let bytes): members = [JSONMember("file", .string(text(bytes)))]
    }
    members.append(JSONMember("length", .integer(history.bytes.count)))
    return line(.object(members))
  }

  /// Reads a draft: as far as its lines are whole and fit each other.
  ///
  /// Throws where not even the first line can be read. Each step costs a copy of the text.
  public static func replay(_ bytes: [UInt8]) throws(Unreadable) -> Replay {
    guard bytes.count <= longestRead else {
      throw Unreadable(
        message: "the draft has \(bytes.count) bytes; at most \(longestRead) are read")
    }
    guard let end = bytes.firstIndex(of: 0x0A) else {
      throw Unreadable(message: "the draft's first line was not written to its end")
    }
    var replay = Replay(
      history: try opened(Array(bytes[..<end])), length: end + 1, lines: 1, fault: nil)
    while let end = bytes[replay.length...].firstIndex(of: 0x0A) {
      let isGood: Bool
      do throws(Unreadable) {
        isGood = try take(Array(bytes[replay.length..<end]), &replay.history)
      } catch {
        replay.fault = fault(after: replay.lines, error.message)
        break
      }
      guard isGood else {
        // The line has changed the history already, so what stands before it is read once more.
        replay = try self.replay(Array(bytes[..<replay.length]))
        replay.fault = fault(
          after: replay.lines, "the text after it is not as long as it says")
        break
      }
      replay.length = end + 1
      replay.lines += 1
    }
    return replay
  }

  private static func opened(_ line: [UInt8]) throws(Unreadable) -> EditHistory {
    let value = try parsed(line)
    guard let version = value["draft"]?.integer, let text = value["text"]?.string else {
      throw Unreadable(message: "the draft's first line has no 'draft' and 'text'")
    }
    guard version == format else {
      throw Unreadable(
        message: "the draft is of format \(version); this program reads format \(format)")
    }
    return EditHistory(
      Array(text.utf8), file: value["file"]?.string.map { Array($0.utf8) })
  }

  private static func fault(after lines: Int, _ reason: String) -> String {
    "line \(lines + 1) of the draft cannot be used, and what follows it is left out: \(reason)"
  }

  /// Lets the event of a line happen; false where it was another one than was written.
  private static func take(
    _ line: [UInt8], _ history: inout EditHistory
  ) throws(Unreadable) -> Bool {
    let value = try parsed(line)
    do throws(EditHistoryError) {
      try history.take(try event(value))
    } catch {
      throw Unreadable(message: error.message)
    }
    return value["length"]?.integer == history.bytes.count
  }

  private static func event(_ value: JSONValue) throws(EditHistoryError) -> EditEvent {
    if let label = value["edit"]?.string {
      let edits = try (value["at"]?.elements ?? []).map { item throws(EditHistoryError) in
        guard let parts = item.elements, parts.count == 3, let start = parts[0].integer,
          let count = parts[1].integer, let text = parts[2].string, start >= 0, count >= 0,
          start <= longestRead, count <= longestRead
        else { throw EditHistoryError(message: "a replacement is [start, count, text]") }
        return TextEdit(range: start..<start + count, replacement: text)
      }
      return .edit(label: label, edits, continues: value["continues"]?.bool == true)
    }
    if value["undo"] != nil { return .undo }
    if value["redo"] != nil { return .redo }
    if value["saved"] != nil { return .saved }
    if let text = value["file"]?.string { return .file(Array(text.utf8)) }
    throw EditHistoryError(message: "it is no edit, undo, redo, saved or file")
  }

  private static func parsed(_ line: [UInt8]) throws(Unreadable) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: line)
    } catch {
      throw Unreadable(message: error.message)
    }
  }

  private static func line(_ value: JSONValue) -> [UInt8] {
    value.utf8(indent: nil) + [0x0A]
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
