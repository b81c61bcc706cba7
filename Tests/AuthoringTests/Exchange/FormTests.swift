// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

@testable import Authoring

/// What pages get and send.
struct FormTests {
  @Test func `entries have what is written, and their places in UTF-16 units`() throws {
    let text =
      #"{"Metadata": "🫀é", "Pattern": [{"Event": {"Time": 0.5, "EventType": "AudioCustom", "#
      + #""EventWaveformPath": "a.wav", "EventWaveformLoopEnabled": true, "EventParameters": ["#
      + #"{"ParameterID": "Sustained", "ParameterValue": 0}]}}, "#
      + #"{"ParameterCurve": {"ParameterID": "AudioVolumeControl", "Time": 1, "#
      + #""ParameterCurveControlPoints": [{"Time": 0, "ParameterValue": 0.25}]}}]}"#
    let document = PatternText(Array(text.utf8))
    let units = Array(text.utf16)
    let entries = try #require(document.entriesJSON.elements)
    #expect(
      document.entries.map(\.json) == [
        [
          "kind": "audio", "time": 0.5, "sustained": false, "path": "a.wav", "loop": true,
        ],
        [
          "kind": "curve", "time": 1.0, "parameter": "AudioVolumeControl",
          "points": [[0.0, 0.25]],
        ],
      ])
    for (entry, start) in zip(entries, ["{\"Event\"", "{\"ParameterCurve\""]) {
      let range = try #require(entry["offset"]?.integer)..<(try #require(entry["end"]?.integer))
      let part = String(decoding: units[range], as: UTF16.self)
      #expect(part.hasPrefix(start))
      #expect((try? JSONValue(parsing: Array(part.utf8))) != nil)
    }
    // What a page got it can send.
    for entry in entries {
      let again = try PatternEntry(entry)
      #expect(entry.members?.dropLast(2) == again.json.members?[...])
    }
  }

  @Test func `a finding has its place in units and edits that a page can send back`() throws {
    let text =
      "{\"Version\": 1, \"Metadata\": {\"Description\": \"🫀🫀\"}, \"Pattern\": [\n"
      + "{\"Event\": {\"EventType\": \"HapticTransient\"}},]}\n"
    let document = PatternText(Array(text.utf8))
    let findings = document.findings(of: document.reading())
    let json = try #require(document.json(findings).elements)
    let comma = try #require(
      json.first { $0["code"]?.string == "AHAP006" }
        ?? json.first {
          $0["message"]?.string?.hasPrefix("a comma stands") == true
        })
    #expect(comma["line"] == 2)
    #expect(comma["severity"] == "note")
    let fix = try #require(comma["fixes"]?.elements?.first)
    #expect(fix["label"] == "remove the comma before a closing bracket")
    let batch = try Batch([
      "label": "Fix", "operations": [["text": try #require(fix["edits"])]],
    ])
    #expect(batch.label == "Fix")
    let fixed = document.replacing(try document.edits(for: batch.operations))
    #expect(fixed.text == text.replacing("},]", with: "}]"))
    let missing = try #require(json.first { $0["entry"] != nil })
    #expect(missing["entry"] == 0)
  }

  @Test func `a batch of every operation is read`() throws {
    let json = try JSONValue(
      parsing: Array(
        #"""
        {"base": 3, "label": "All", "operations": [
          {"set": 1, "key": "intensity", "value": 0.5}, {"set": 1, "key": "duration", "value": null},
          {"set": 1, "key": "kind", "value": "audio"}, {"set": 1, "key": "sustained", "value": true},
          {"insert": 2, "entry": {"kind": "transient", "time": 1, "sharpness": 0.25, "offset": 7, "end": 9}},
          {"copy": 3, "to": 4, "set": {"time": 2, "pan": null}}, {"copy": 3, "to": 4},
          {"remove": [5, 6]}, {"point": 7, "at": 1, "time": 0.5}, {"point": 7, "at": 1, "value": 1},
          {"addPoint": 7, "at": 0, "time": 0, "value": 1}, {"removePoint": 7, "at": [2]},
          {"text": [{"from": 1, "to": 2, "insert": "x"}]}]}
        """#.utf8))
    let batch = try Batch(json)
    #expect(
      batch
        == Batch(
          label: "All",
          operations: [
            .set(entry: 1, EntryChange(.intensity, .number(0.5))),
            .set(entry: 1, EntryChange(.duration, nil)),
            .set(entry: 1, EntryChange(.kind, .text("audio"))),
            .set(entry: 1, EntryChange(.sustained, .flag(true))),
            .insert(
              at: 2,
              PatternEntry(
                kind: .transient, time: 1, parameters: EventParameters(sharpness: 0.25))),
            .copy(
              entry: 3, to: 4,
              changes: [EntryChange(.time, .number(2)), EntryChange(.pan, nil)]),
            .copy(entry: 3, to: 4, changes: []), .remove([5, 6]),
            .point(entry: 7, at: 1, time: 0.5, value: nil),
            .point(entry: 7, at: 1, time: nil, value: 1),
            .addPoint(entry: 7, at: 0, .init(time: 0, value: 1)),
            .removePoints(entry: 7, at: [2]),
            .text([UTF16Edit(from: 1, to: 2, insert: "x")]),
          ]))
  }
}
