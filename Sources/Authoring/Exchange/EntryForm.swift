// SPDX-License-Identifier: Apache-2.0

import AHAP
public import JSONText

extension PatternText {
  /// An entry as pages get it, with its place in UTF-16 units; what is not written is absent.
  ///
  /// The text must not be broken: the entries of a broken one are of another text, whose places they have.
  public func json(ofEntry index: Int) -> JSONValue {
    let place = places[index]
    return .object(
      entries[index].members + [
        JSONMember("offset", .integer(offset(place.lowerBound))),
        JSONMember("end", .integer(offset(place.upperBound))),
      ])
  }

  /// All entries as pages get them.
  public var entriesJSON: JSONValue { .array(entries.indices.map(json(ofEntry:))) }

  private func offset(_ byte: Int) -> Int { offsets.utf16(of: min(byte, bytes.count)) }

  /// Findings as pages get them.
  public func json(_ findings: [Finding]) -> JSONValue { .array(findings.map(json)) }

  private func json(_ finding: Finding) -> JSONValue {
    let diagnostic = finding.diagnostic
    return .object(present: [
      "code": .string(diagnostic.code.rawValue), "severity": .string(diagnostic.severity.rawValue),
      "message": .string(diagnostic.message), "line": .integer(diagnostic.position.line),
      "column": .integer(diagnostic.position.column),
      "offset": .integer(offsets.utf16(of: diagnostic.position.offset)),
      "entry": finding.entry.map(JSONValue.integer),
      "fixes": .array(
        finding.fixes.map { fix in
          ["label": .string(fix.summary), "edits": .array(utf16(fix.edits).map(\.json))]
        }),
    ])
  }

  /// Splices as pages get them, this being the text after the edit.
  public func json(_ splices: [EntrySplice]) -> JSONValue {
    .array(
      splices.map { splice in
        [
          "at": .integer(splice.at), "remove": .integer(splice.remove),
          "entries": .array(splice.arrivals.map(json(ofEntry:))),
        ]
      })
  }

  /// Replacements of this text as pages get them.
  public func json(_ edits: TextEdits) -> JSONValue { .array(utf16(edits.edits).map(\.json)) }
}

extension UTF16Edit {
  /// The replacement as pages get it.
  public var json: JSONValue {
    ["from": .integer(from), "to": .integer(to), "insert": .string(insert)]
  }
}

extension PatternEntry {
  /// The entry without its place.
  public var json: JSONValue { .object(members) }

  fileprivate var members: [JSONMember] {
    var members: [JSONMember] = []
    for key in EntryKey.allCases {
      switch self[key] {
      case .number(let value): members.append(JSONMember(key.rawValue, .number(value)))
      case .flag(let value): members.append(JSONMember(key.rawValue, .bool(value)))
      case .text(let value): members.append(JSONMember(key.rawValue, .string(value)))
      case nil: break
      }
    }
    if let points {
      members.append(
        JSONMember(
          "points", .array(points.map { .array([.number($0.time), .number($0.value)]) })))
    }
    return members
  }
}
