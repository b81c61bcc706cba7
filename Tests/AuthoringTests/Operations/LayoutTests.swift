// SPDX-License-Identifier: Apache-2.0

import AHAP
import Testing

@testable import Authoring

/// What is new looks like what is there.
struct LayoutTests {
  private func edited(_ text: String, _ operations: [Authoring.Operation]) throws -> String {
    let document = PatternText(Array(text.utf8))
    return document.replacing(try document.edits(for: operations)).text
  }

  private let tap = PatternEntry(
    kind: .transient, time: 1.5, parameters: EventParameters(intensity: 0.7, sharpness: 0.2))

  @Test func `a spread neighbour is followed to the blank`() throws {
    let text = try edited(Layouts.apple, [.insert(at: 1, tap)])
    let added = """
              {
                  "Event": {
                      "Time": 1.5,
                      "EventType": "HapticTransient",
                      "EventParameters": [
                          {
                              "ParameterID": "HapticIntensity",
                              "ParameterValue": 0.7
                          },
                          {
                              "ParameterID": "HapticSharpness",
                              "ParameterValue": 0.2
                          }
                      ]
                  }
              },

      """
    let place = try #require(
      Layouts.apple.firstRange(
        of: "        {\n            \"Event\": {\n                \"Time\": 0.10"))
    var expected = Layouts.apple
    expected.insert(contentsOf: added, at: place.lowerBound)
    #expect(text == expected)
  }

  @Test func `a packed neighbour is followed`() throws {
    #expect(
      try edited(Layouts.packed, [.insert(at: 3, tap)]).contains(
        """
        ParameterValue": -1 } ] } },
            { "Event": { "Time": 1.5, "EventType": "HapticTransient", "EventParameters": [ { "ParameterID": "HapticIntensity", "ParameterValue": 0.7 }, { "ParameterID": "HapticSharpness", "ParameterValue": 0.2 } ] } }
          ]
        """))
  }

  @Test func `a minified text stays minified`() throws {
    let text = try edited(
      Layouts.minified,
      [
        .insert(at: 1, tap),
        .set(entry: 0, EntryChange(.sharpness, .number(0.25))),
        .set(entry: 0, EntryChange(.attack, .number(0))),
      ])
    #expect(
      text
        == Layouts.minified.replacing(
          #""ParameterValue":0.5}]"#,
          with: #""ParameterValue":0.5},{"ParameterID":"HapticSharpness","ParameterValue":0.25},"#
            + #"{"ParameterID":"AttackTime","ParameterValue":0}]"#
        ).replacing(
          "}}],",
          with: #"}},{"Event":{"Time":1.5,"EventType":"HapticTransient","EventParameters":["#
            + #"{"ParameterID":"HapticIntensity","ParameterValue":0.7},"#
            + #"{"ParameterID":"HapticSharpness","ParameterValue":0.2}]}}],"#))
  }

  @Test func `an empty pattern gets lines`() throws {
    let curve = PatternEntry(
      kind: .curve, time: 0, parameter: "HapticIntensityControl",
      points: [.init(time: 0, value: 1), .init(time: 1, value: 0.1 + 0.2)])
    let text = try edited(Layouts.empty, [.insert(at: 0, tap), .insert(at: 0, curve)])
    #expect(
      text
        == Layouts.empty.replacing(
          "[]",
          with: """
            [
                {
                  "Event": {
                    "Time": 1.5,
                    "EventType": "HapticTransient",
                    "EventParameters": [
                      { "ParameterID": "HapticIntensity", "ParameterValue": 0.7 },
                      { "ParameterID": "HapticSharpness", "ParameterValue": 0.2 }
                    ]
                  }
                },
                {
                  "ParameterCurve": {
                    "ParameterID": "HapticIntensityControl",
                    "Time": 0,
                    "ParameterCurveControlPoints": [
                      { "Time": 0, "ParameterValue": 1 },
                      { "Time": 1, "ParameterValue": 0.3 }
                    ]
                  }
                }
              ]
            """))
    #expect(
      try edited(#"{"Pattern":[]}"#, [.insert(at: 0, tap)]).contains(#"[{"Event":{"Time":1.5,"#))
  }

  @Test func `a parameter comes where the format has it, with its list where there is none`() throws
  {
    let text = try edited(
      Layouts.apple,
      [
        .set(entry: 1, EntryChange(.intensity, .number(0.3))),
        .set(entry: 4, EntryChange(.volume, .number(0.5))),
      ])
    #expect(
      text
        == Layouts.apple.replacing(
          "\"EventDuration\": 0.25\n",
          with: """
            "EventDuration": 0.25,
                            "EventParameters": [
                                {
                                    "ParameterID": "HapticIntensity",
                                    "ParameterValue": 0.3
                                }
                            ]

            """
        ).replacing(
          "\"EventParameters\": []",
          with: """
            "EventParameters": [
                                {
                                    "ParameterID": "AudioVolume",
                                    "ParameterValue": 0.5
                                }
                            ]
            """))
    let first = try edited(
      Layouts.minified.replacing("HapticIntensity", with: "HapticSharpness"),
      [.set(entry: 0, EntryChange(.intensity, .number(1)))])
    #expect(first.contains(#"[{"ParameterID":"HapticIntensity","ParameterValue":1},{"#))
  }

  @Test func `removing takes its comma and leaves the rest`() throws {
    let apple = Layouts.apple
    let first = try #require(apple.firstRange(of: "        {\n            \"Event\""))
    let second = try #require(
      apple.firstRange(of: "        {\n            \"Event\": {\n                \"Time\": 0.10"))
    var expected = apple
    expected.removeSubrange(first.lowerBound..<second.lowerBound)
    #expect(try edited(apple, [.remove([0])]) == expected)
    #expect(
      try edited(Layouts.minified, [.remove([0])])
        == #"{"Pattern":[],"Metadata":{"Description":"📎"}}"#)
    #expect(
      try edited(Layouts.minified, [.set(entry: 0, EntryChange(.intensity, nil))])
        == Layouts.minified.replacing(
          #"{"ParameterID":"HapticIntensity","ParameterValue":0.5}"#, with: ""))
    #expect(
      try edited(apple, [.removePoints(entry: 3, at: [1])])
        == apple.replacing(
          """
          ,
                              {
                                  "Time": 0.25,
                                  "ParameterValue": 0.5
                              }
          """, with: ""))
  }

  @Test func `trailing commas stay where they are, and none come`() throws {
    let text = #"{"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient",}},]}"#
    #expect(
      try edited(text, [.insert(at: 1, PatternEntry(kind: .transient, time: 1))])
        == #"{"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient",}},"#
        + #"{"Event":{"Time":1,"EventType":"HapticTransient"}},]}"#)
    #expect(
      try edited(text, [.set(entry: 0, EntryChange(.intensity, .number(1)))])
        == #"{"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient","EventParameters":["#
        + #"{"ParameterID":"HapticIntensity","ParameterValue":1}],}},]}"#)
    #expect(
      try edited(text, [.remove([0]), .insert(at: 0, PatternEntry(kind: .transient, time: 1))])
        == #"{"Pattern":[{"Event":{"Time":1,"EventType":"HapticTransient"}},]}"#)
  }

  @Test func `a copy brings the keys that nobody knows`() throws {
    let text = try edited(
      Layouts.minified,
      [.copy(entry: 0, to: 1, changes: [EntryChange(.time, .number(2))]), .remove([0])])
    #expect(text == Layouts.minified.replacing("0.126232741617357", with: "2"))
  }

  @Test func `a kind that changes takes along what it needs`() throws {
    #expect(
      try edited(
        Layouts.minified,
        [
          .set(entry: 0, EntryChange(.kind, .text("continuous"))),
          .set(entry: 0, EntryChange(.duration, .number(0.5))),
        ])
        == Layouts.minified.replacing(
          #""HapticTransient","#, with: #""HapticContinuous","EventDuration":0.5,"#))
    #expect(
      try edited(
        Layouts.minified,
        [
          .set(entry: 0, EntryChange(.kind, .text("audio"))),
          .set(entry: 0, EntryChange(.path, .text("a\"b.wav"))),
          .set(entry: 0, EntryChange(.envelope, .flag(false))),
        ])
        == Layouts.minified.replacing(
          #""HapticTransient","#,
          with:
            #""AudioCustom","EventWaveformPath":"a\"b.wav","EventWaveformUseVolumeEnvelope":false,"#
        ))
  }
}
