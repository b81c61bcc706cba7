// SPDX-License-Identifier: Apache-2.0

import Authoring
import JSONText

/// What a page keeps of a document: it never sees the whole again after the first time.
struct Page {
  private(set) var text: [UInt16]
  private(set) var entries: [JSONValue]

  init(_ document: PatternText) {
    text = Array(document.text.utf16)
    entries = document.entriesJSON.elements ?? []
  }

  /// Does what the answer to an edit says, by the rules of the document of the interface.
  mutating func take(edits: JSONValue, splices: JSONValue) {
    let edits = edits.elements ?? []
    for index in entries.indices { entries[index] = moved(entries[index], by: edits) }
    for edit in edits.reversed() {
      guard let from = edit["from"]?.integer, let to = edit["to"]?.integer,
        let insert = edit["insert"]?.string
      else { continue }
      text.replaceSubrange(from..<to, with: insert.utf16)
    }
    for splice in splices.elements ?? [] {
      guard let at = splice["at"]?.integer, let remove = splice["remove"]?.integer,
        let arrivals = splice["entries"]?.elements
      else { continue }
      entries.replaceSubrange(at..<at + remove, with: arrivals)
    }
  }

  private func moved(_ entry: JSONValue, by edits: [JSONValue]) -> JSONValue {
    var (start, end) = (0, 0)
    for edit in edits {
      guard let from = edit["from"]?.integer, let to = edit["to"]?.integer,
        let growth = edit["insert"].map({ ($0.string ?? "").utf16.count - (to - from) })
      else { continue }
      if to <= (entry["offset"]?.integer ?? 0) { start += growth }
      if from < (entry["end"]?.integer ?? 0) { end += growth }
    }
    return .object(
      (entry.members ?? []).map { member in
        switch member.key {
        case "offset": JSONMember("offset", .integer((member.value.integer ?? 0) + start))
        case "end": JSONMember("end", .integer((member.value.integer ?? 0) + end))
        default: member
        }
      })
  }
}
