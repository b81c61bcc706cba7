// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

@testable import Authoring

/// What a batch does to `Metadata`.
struct MetadataTests {
  private static let tap = #"{"Event": {"Time": 0, "EventType": "HapticTransient"}}"#

  private func edited(_ text: String, _ operations: [Authoring.Operation]) throws -> String {
    let document = PatternText(Array(text.utf8))
    let edits = try document.edits(for: operations)
    let after = document.replacing(edits)
    #expect(after.broken == nil, "\(after.text)")
    // Taken back it is what it was, byte for byte.
    let inverse = edits.inverse(on: document.bytes)
    #expect(inverse.applied(to: after.bytes) == document.bytes)
    return after.text
  }

  @Test func `a member is put in with entries, in the layout that is there`() throws {
    let text = """
      {
        "Version": 1.0,
        "Metadata": {
          "Description": "größer"
        },
        "Pattern": [
          \(Self.tap)
        ]
      }

      """
    let added = try edited(
      text,
      [
        .metadata(key: "Composed", ["Sound": "a.wav", "Settings": ["method": "onsets"]]),
        .insert(at: 1, PatternEntry(kind: .transient, time: 0.5)),
      ])
    #expect(
      added.contains(
        """
            "Description": "größer",
            "Composed": {
              "Sound": "a.wav",
              "Settings": {
                "method": "onsets"
              }
            }
          },
        """), "\(added)")
    #expect(PatternText(Array(added.utf8)).entries.count == 2)
    #expect(try edited(added, [.metadata(key: "Composed", nil)]).contains("\"größer\"\n  }"))
    let other = try edited(added, [.metadata(key: "Composed", 3)])
    #expect(other.contains("\"Composed\": 3\n  }"), "\(other)")
    #expect(try edited(added, [.metadata(key: "Nothing", nil)]) == added)
    #expect(try edited(other, [.metadata(key: "Composed", 3)]) == other)
  }

  @Test(arguments: [
    #"{"Version":1,"Pattern":["# + tap + "]}", #"{"Pattern": []}"#,
    "{\n\t\"Version\": 1,\n\t\"Pattern\": [\n\t\t" + tap + "\n\t]\n}\n",
    #"{"Version": 1, "Metadata": {}, "Pattern": []}"#,
  ])
  func `Metadata comes where there is none`(text: String) throws {
    let added = try edited(text, [.metadata(key: "Composed", ["Sound": "a.wav"])])
    let read = try JSONValue(parsing: Array(added.utf8))
    #expect(read["Metadata"] == ["Composed": ["Sound": "a.wav"]], "\(added)")
    #expect(added.contains("\n") == text.contains("\n"), "\(added)")
    #expect(try edited(text, [.metadata(key: "Composed", nil)]) == text)
  }

  @Test func `what cannot be done is told`() throws {
    let document = PatternText(Array(#"{"Metadata": "words", "Pattern": []}"#.utf8))
    #expect(throws: OperationError.self) {
      try document.edits(for: [.metadata(key: "Composed", 1)])
    }
    let other = PatternText(Array(#"{"Pattern": []}"#.utf8))
    #expect(throws: OperationError.self) {
      try other.edits(for: [.metadata(key: "a", 1), .metadata(key: "a", 2)])
    }
    for form: JSONValue in [["metadata": "a"], ["metadata": 1, "value": 2]] {
      #expect(throws: OperationError.self) { try Batch(["operations": [form]]) }
    }
    let batch = try Batch(["operations": [["metadata": "a", "value": nil]]])
    #expect(batch.operations == [.metadata(key: "a", nil)])
  }
}
