// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

@testable import Authoring

struct PatternTextTests {
  private func document(_ text: String) -> PatternText { PatternText(Array(text.utf8)) }

  private func event(_ body: String) -> PatternText {
    document("{\"Version\": 1.0, \"Pattern\": [{\"Event\": {\(body)}}]}\n")
  }

  @Test func `entries show what is written and nothing else`() throws {
    let entries = document(Layouts.apple).entries
    #expect(entries.map(\.kind) == [.transient, .continuous, .parameter, .curve, .audio])
    #expect(entries[0].parameters == EventParameters(intensity: 0.8, sharpness: 0.4))
    #expect(entries[1] == PatternEntry(kind: .continuous, time: 0.1, duration: 0.25))
    #expect(
      entries[2]
        == PatternEntry(
          kind: .parameter, time: 0.2, parameter: "HapticSharpnessControl", value: -0.5))
    #expect(entries[3].points == [.init(time: 0, value: 1), .init(time: 0.25, value: 0.5)])
    #expect(entries[4] == PatternEntry(kind: .audio, time: 0.5, path: "Töne/click.wav"))
  }

  @Test(arguments: [
    #"{"Event": {"Time": 0}}"#, #"{"Event": {"Time": 0, "EventType": "hapticTransient"}}"#,
    #"{"Event": 3}"#, "7", "{}", #"{"Parameter": {"ParameterID": "X"}}"#,
    #"{"ParameterCurve": {"ParameterID": "X", "ParameterCurveControlPoints": [{"Time": 0}]}}"#,
    #"{"Event": {"EventType": "HapticTransient"}, "Parameter": {}}"#,
  ])
  func `what cannot be shown as something known is other`(entry: String) throws {
    let document = document("{\"Pattern\": [\(entry), \(entry)]}")
    #expect(document.entries.map(\.kind) == [.other, .other])
    let removal = try document.edits(for: [.remove([0])])
    #expect(document.replacing(removal).text == "{\"Pattern\": [\(entry)]}")
    #expect(throws: OperationError.self) {
      try document.edits(for: [.set(entry: 0, EntryChange(.time, .number(1)))])
    }
  }

  @Test func `of a key given twice the last one counts and is edited`() throws {
    let document = event(
      #""Time": 1, "EventType": "HapticTransient", "EventParameters": ["#
        + #"{"ParameterID": "HapticIntensity", "ParameterValue": 0.1}, "#
        + #"{"ParameterID": "HapticIntensity", "ParameterValue": 0.2, "ParameterValue": 0.3}"#
        + #"], "Time": 2"#)
    #expect(document.entries[0].time == 2)
    #expect(document.entries[0].parameters.intensity == 0.3)
    let changed = document.replacing(
      try document.edits(for: [
        .set(entry: 0, EntryChange(.time, .number(3))),
        .set(entry: 0, EntryChange(.intensity, .number(0.4))),
      ]))
    #expect(
      changed.text == document.text.replacing(": 2}", with: ": 3}").replacing("0.3", with: "0.4"))
    let without = changed.replacing(
      try changed.edits(for: [.set(entry: 0, EntryChange(.intensity, nil))]))
    #expect(without.entries[0].parameters.isEmpty)
    #expect(try AHAPReader.read(without.bytes).pattern.events[0].parameters.isEmpty)
  }

  @Test func `a broken text keeps its entries and says so`() throws {
    let good = document(Layouts.apple)
    let broken = good.replacing(
      try good.edits(for: [.text([UTF16Edit(from: 0, to: 1, insert: "[")])]))
    #expect(broken.broken?.code == .brokenJSON)
    #expect(broken.entries == good.entries)
    #expect(broken.places == good.places)
    #expect(broken.reading() == nil)
    #expect(broken.findings(of: nil).map(\.diagnostic.code) == [.brokenJSON])
    #expect(
      throws: OperationError(
        operation: nil,
        message:
          "the text cannot be read (expected ',' or ']', found ':'), so only the text itself "
          + "can be edited")
    ) { try broken.edits(for: [.remove([0])]) }
    let mended = broken.replacing(
      try broken.edits(for: [.text([UTF16Edit(from: 0, to: 1, insert: "{")])]))
    #expect(mended.broken == nil)
    #expect(mended.bytes == good.bytes)
  }

  @Test(arguments: ["[]", "{}", #"{"Pattern": 3}"#, "", "nonsense"])
  func `a text without a list of entries is broken`(text: String) {
    #expect(document(text).broken != nil)
    #expect(document(text).entries == [])
  }

  @Test func `bytes that are not UTF-8 are shown and not edited`() {
    let document = PatternText(Array(Layouts.minified.utf8) + [0xFF])
    #expect(!document.isUTF8)
    #expect(document.broken != nil)
    #expect(
      throws: OperationError(
        operation: nil, message: "the text is not UTF-8, so it is shown and not edited")
    ) { try document.edits(for: [.text([])]) }
  }

  @Test func `findings name their entry and what mends them`() throws {
    let document = event(
      #""Time": 0, "EventType": "HapticTransient", "EventParameters": ["#
        + #"{"ParameterID": "HapticSharpness", "ParameterValue": 7}, {"ParameterID": "HapticIntensity", "ParameterValue": 1}]"#
    )
    let reading = try #require(document.reading())
    let findings = document.findings(of: reading)
    let finding = try #require(findings.first { $0.diagnostic.code == .valueOutOfRange })
    #expect(finding.diagnostic.severity == .warning)
    #expect(finding.entry == 0)
    let fix = try #require(finding.fixes.first)
    let fixed = document.replacing(
      try document.edits(for: [.text(document.utf16(fix.edits))]))
    #expect(fixed.text == document.text.replacing("7", with: "1"))
  }

  @Test func `what Apple refuses is an error among the findings and no end`() throws {
    let document = document(
      #"{"Pattern": [{"Event": {"Time": 0}}, {"Event": {"Time": 1, "EventType": "HapticTransient"}}]}"#
    )
    let reading = try #require(document.reading())
    #expect(reading.pattern.events.map(\.time) == [1])
    let errors = document.findings(of: reading).filter { $0.diagnostic.severity == .error }
    #expect(errors.map(\.diagnostic.code) == [.eventFieldMissing])
    #expect(errors.map(\.entry) == [0])
  }
}
