// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

@testable import Authoring

/// Each bad operation is refused with its number and a sentence.
struct RefusalTests {
  private static let cases: [(operations: String, number: Int?, sentence: String)] = [
    (
      #"[{"set": 9, "key": "time", "value": 0}]"#, 0,
      "there is no entry 9: the pattern has 5 entries"
    ),
    (#"[{"set": 0, "key": "time", "value": -1}]"#, 0, "the time is -1 s; it must not be negative"),
    (#"[{"set": 0, "key": "time", "value": null}]"#, 0, "the time cannot be left out"),
    (#"[{"set": 0, "key": "time", "value": "1"}]"#, 0, "the time must be a number"),
    (
      #"[{"set": 0, "key": "time", "value": 1e9}]"#, 0,
      "the time is 1000000000 s; at most 86400 s are written"
    ),
    (
      #"[{"set": 0, "key": "intensity", "value": 1.5}]"#, 0,
      "the intensity is 1.5; it must be from 0 to 1"
    ),
    (#"[{"set": 4, "key": "pan", "value": -1.5}]"#, 0, "the pan is -1.5; it must be from -1 to 1"),
    (#"[{"set": 0, "key": "sustained", "value": 0.5}]"#, 0, "the sustained must be true or false"),
    (
      #"[{"set": 0, "key": "colour", "value": 1}]"#, 0,
      "'colour' is no property of an entry: known are "
        + "kind, time, duration, intensity, sharpness, attack, decay, release, sustained, volume, pan, "
        + "pitch, brightness, path, envelope, loop, parameter, value"
    ),
    (#"[{"set": 3, "key": "intensity", "value": 1}]"#, 0, "a curve has no intensity"),
    (#"[{"set": 0, "key": "value", "value": 1}]"#, 0, "a transient has no value"),
    (#"[{"set": 2, "key": "value", "value": 2}]"#, 0, "the value is 2; it must be from -1 to 1"),
    (
      #"[{"set": 2, "key": "parameter", "value": "Loud"}]"#, 0,
      "'Loud' is not a dynamic parameter; it must be one of "
        + DynamicParameterID.allCases.map(\.rawValue).joined(separator: ", ")
    ),
    (
      #"[{"set": 2, "key": "parameter", "value": "HapticIntensityControl"}]"#, 0,
      "the value is -0.5; it must be from 0 to 1"
    ),
    (
      #"[{"set": 0, "key": "kind", "value": "curve"}]"#, 0,
      "the kind 'curve' cannot be set; it must be transient, continuous or audio"
    ),
    (
      #"[{"set": 0, "key": "kind", "value": "continuous"}]"#, 0,
      "a continuous event needs a duration above 0 s"
    ),
    (
      #"[{"set": 1, "key": "duration", "value": null}]"#, 0,
      "a continuous event needs a duration above 0 s"
    ),
    (
      #"[{"set": 4, "key": "path", "value": null}]"#, 0,
      "an audio event needs the path of its sound, or a duration above 0 s"
    ),
    (#"[{"set": 4, "key": "path", "value": ""}]"#, 0, "the path of a sound must not be empty"),
    (
      #"[{"set": 0, "key": "time", "value": 1}, {"set": 0, "key": "time", "value": 2}]"#, 1,
      "the time of the entry is set twice"
    ),
    (
      #"[{"set": 0, "key": "time", "value": 1}, {"remove": [0]}]"#, 1,
      "entry 0 is changed by the same batch"
    ),
    (
      #"[{"remove": [0]}, {"set": 0, "key": "time", "value": 1}]"#, 1,
      "entry 0 is removed by the same batch"
    ),
    (#"[{"remove": [0, 0]}]"#, 0, "entry 0 is removed twice"),
    (#"[{"remove": [5]}]"#, 0, "there is no entry 5: the pattern has 5 entries"),
    (
      #"[{"insert": 6, "entry": {"kind": "transient", "time": 0}}]"#, 0,
      "an entry cannot be put at 6: the pattern has 5 entries"
    ),
    (
      #"[{"insert": 0, "entry": {"kind": "continuous", "time": 0}}]"#, 0,
      "a continuous event needs a duration above 0 s"
    ),
    (
      #"[{"insert": 0, "entry": {"kind": "other", "time": 0}}]"#, 0,
      "the entry is none that can be edited here; edit it in the text"
    ),
    (
      #"[{"insert": 0, "entry": {"kind": "tap", "time": 0}}]"#, 0,
      "'tap' is no kind of entry: known are transient, continuous, audio, parameter, curve, other"
    ),
    (
      #"[{"insert": 0, "entry": {"kind": "transient", "points": [[0, 1]]}}]"#, 0,
      "a transient has no points"
    ),
    (
      #"[{"insert": 0, "entry": {"kind": "curve", "parameter": "HapticIntensityControl", "points": []}}]"#,
      0, "a curve needs a point; to be without any, remove the curve"
    ),
    (
      #"[{"insert": 0, "entry": {"kind": "curve", "parameter": "HapticIntensityControl", "points": [[0, -1]]}}]"#,
      0, "the value is -1; it must be from 0 to 1"
    ),
    (
      #"[{"insert": 0, "entry": {"kind": "curve", "parameter": "HapticIntensityControl", "points": [[-1, 1]]}}]"#,
      0, "the time is -1 s; it must not be negative"
    ),
    (
      #"[{"insert": 0, "entry": {"kind": "curve", "points": [3]}}]"#, 0,
      "'entry.points' must be an array of [time, value]"
    ),
    (
      #"[{"insert": 0, "entry": {"kind": "parameter", "parameter": "HapticIntensityControl"}}]"#, 0,
      "a parameter needs a value"
    ),
    (#"[{"insert": 0, "entry": 3}]"#, 0, "'entry' must be an object"),
    (#"[{"copy": 0, "to": 7}]"#, 0, "an entry cannot be put at 7: the pattern has 5 entries"),
    (
      #"[{"copy": 0, "to": 0, "set": {"intensity": 2}}]"#, 0,
      "the intensity is 2; it must be from 0 to 1"
    ),
    (#"[{"point": 0, "at": 0, "time": 1}]"#, 0, "a transient has no points"),
    (#"[{"point": 3, "at": 2, "time": 1}]"#, 0, "there is no point 2: the curve has 2 points"),
    (#"[{"point": 3, "at": 0, "value": 1.5}]"#, 0, "the value is 1.5; it must be from 0 to 1"),
    (#"[{"point": 3, "at": 0, "time": -0.5}]"#, 0, "the time is -0.5 s; it must not be negative"),
    (
      #"[{"point": 3, "at": 0, "time": 1}, {"point": 3, "at": 0, "value": 1}]"#, 1,
      "point 0 is moved twice"
    ),
    (
      #"[{"removePoint": 3, "at": [0]}, {"point": 3, "at": 0, "value": 1}]"#, 1,
      "point 0 is removed by the same batch"
    ),
    (
      #"[{"point": 3, "at": 0, "value": 1}, {"removePoint": 3, "at": [0]}]"#, 1,
      "point 0 is moved by the same batch"
    ),
    (#"[{"removePoint": 3, "at": [0, 0]}]"#, 0, "point 0 is removed twice"),
    (
      #"[{"removePoint": 3, "at": [0, 1]}]"#, 0,
      "a curve needs a point; to be without any, remove the curve"
    ),
    (
      #"[{"addPoint": 3, "at": 3, "time": 1, "value": 1}]"#, 0,
      "a point cannot be put at 3: the curve has 2 points"
    ),
    (#"[{"addPoint": 3, "at": 0, "time": 1}]"#, 0, "'value' must be a number"),
    (
      #"[{"remove": [0]}, {"text": []}]"#, 1,
      "replacements of the text must be alone in their batch"
    ),
    (
      #"[{"text": [{"from": 0, "to": 99999, "insert": ""}]}]"#, 0,
      "0 to 99999 is no run of characters of a text of 1712 UTF-16 units"
    ),
    (
      #"[{"text": [{"from": 2, "to": 1, "insert": ""}]}]"#, 0,
      "2 to 1 is no run of characters of a text of 1712 UTF-16 units"
    ),
    (
      #"[{"text": [{"from": 0, "to": 3, "insert": ""}, {"from": 2, "to": 4, "insert": ""}]}]"#, 0,
      "replacement 1 of the text does not fit: it overlaps another replacement"
    ),
    (#"[{"text": [{"from": 0, "to": 3}]}]"#, 0, "'text[0].insert' must be a string"),
    (#"[{"remove": 1}]"#, 0, "'remove' must be an array of whole numbers"),
    (#"[{"set": "a", "key": "time", "value": 1}]"#, 0, "'set' must be a whole number"),
    (#"[{"set": 0, "key": "time"}]"#, 0, "'value' must be a number, true, false, a string or null"),
    (
      #"[{"set": 0, "key": "time", "value": 1, "at": 2}]"#, 0,
      "'at' is no key here: known are set, key, value"
    ),
    (
      #"[{"jump": 1}]"#, 0,
      "an operation must have one of set, insert, copy, remove, point, addPoint, removePoint, metadata, text"
    ),
    (
      #"[3]"#, 0,
      "an operation must have one of set, insert, copy, remove, point, addPoint, removePoint, metadata, text"
    ),
    ("3", nil, "'operations' must be an array"),
  ]

  @Test(arguments: cases.indices)
  func `a bad operation has its number and its sentence`(index: Int) throws {
    let (operations, number, sentence) = Self.cases[index]
    let document = PatternText(Array(Layouts.apple.utf8))
    let json = try JSONValue(parsing: Array("{\"operations\": \(operations)}".utf8))
    let error = #expect(throws: OperationError.self) {
      try document.edits(for: try Batch(json).operations)
    }
    #expect(error == OperationError(operation: number, message: sentence), "\(operations)")
  }

  @Test func `a run that splits a pair of units is refused`() throws {
    let document = PatternText(Array(Layouts.minified.utf8))
    let heart = try #require(Layouts.minified.utf16.firstIndex(of: 0xD83D))
    let at = Layouts.minified.utf16.distance(from: Layouts.minified.utf16.startIndex, to: heart) + 1
    #expect(throws: OperationError.self) {
      try document.edits(for: [.text([UTF16Edit(from: at, to: at, insert: "x")])])
    }
  }

  @Test func `a text that is too long is not edited`() throws {
    let pattern = Array(Layouts.empty.utf8)
    let space = [UInt8](repeating: 0x20, count: PatternText.longestEditable - pattern.count)
    let document = PatternText(pattern + space)
    #expect(
      try document.edits(for: [.text([UTF16Edit(from: 0, to: 0, insert: "")])]).edits.count == 1)
    #expect(
      throws: OperationError(
        operation: nil, message: "the text has 8388609 bytes; at most 8388608 are edited")
    ) { try document.edits(for: [.text([UTF16Edit(from: 0, to: 0, insert: " ")])]) }
  }

  @Test func `values out of range that nobody touches hinder nothing`() throws {
    let text = Layouts.apple.replacing("\"ParameterValue\": 0.5\n", with: "\"ParameterValue\": 5\n")
    let document = PatternText(Array(text.utf8))
    let edits = try document.edits(for: [
      .point(entry: 3, at: 1, time: 0.3, value: nil),
      .set(entry: 0, EntryChange(.sharpness, .number(0.4))),
    ])
    #expect(
      document.replacing(edits).text
        == text.replacing("0.25\n                        \"", with: "x").replacing(
          "\"Time\": 0.25,", with: "\"Time\": 0.3,"))
  }
}
