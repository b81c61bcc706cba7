// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

/// The canonical text of a pattern.
struct WriterTests {
  private let pattern = HapticPattern(
    metadata: ["Project": "x"],
    events: [
      HapticEvent(
        kind: .hapticContinuous, time: 0.25, duration: 1,
        parameters: EventParameters(intensity: 0.5, sharpness: nil), order: 2),
      HapticEvent(kind: .hapticTransient, time: 0, order: 0),
    ],
    parameters: [DynamicParameter(id: .hapticSharpness, time: 0.5, value: -0.25, order: 1)],
    curves: [
      ParameterCurve(
        id: .hapticIntensity, time: 0, points: [ParameterCurve.Point(time: 0, value: 1)], order: 3)
    ])

  @Test func `a pattern is laid out in one way`() {
    #expect(
      AHAPWriter.text(pattern) == """
        {
          "Version": 1.0,
          "Metadata": {
            "Project": "x"
          },
          "Pattern": [
            {
              "Event": { "Time": 0.0, "EventType": "HapticTransient" }
            },
            {
              "Parameter": { "ParameterID": "HapticSharpnessControl", "ParameterValue": -0.25, "Time": 0.5 }
            },
            {
              "Event": {
                "Time": 0.25,
                "EventType": "HapticContinuous",
                "EventDuration": 1.0,
                "EventParameters": [
                  { "ParameterID": "HapticIntensity", "ParameterValue": 0.5 }
                ]
              }
            },
            {
              "ParameterCurve": {
                "ParameterID": "HapticIntensityControl",
                "Time": 0.0,
                "ParameterCurveControlPoints": [
                  { "Time": 0.0, "ParameterValue": 1.0 }
                ]
              }
            }
          ]
        }

        """)
  }

  @Test func `what is written is in canonical form`() throws {
    let text = AHAPWriter.text(pattern)
    #expect(try AHAPFormatter.text(of: Array(text.utf8)) == text)
  }

  @Test func `notes of any depth and number are written in canonical form`() throws {
    let notes: JSONValue = [
      "a": [1, 2.5, nil, true, [:], []], "b": ["c": ["d": 1e300, "e": -0.0]],
      "c": "\u{1}\"\\/\u{1F600}",
      "": .integer(.min),
    ]
    let text = AHAPWriter.text(HapticPattern(metadata: notes))
    #expect(try AHAPFormatter.text(of: Array(text.utf8)) == text)
    #expect(try AHAPReader.read(Array(text.utf8)).pattern.metadata == notes)
  }

  @Test func `what is written has no finding of layout`() throws {
    let document = try AHAPReader.read(Array(AHAPWriter.text(pattern).utf8))
    let layout: Set<DiagnosticCode> = [
      .trailingComma, .duplicateKey, .byteOrderMark, .versionMissing,
      .versionInteger, .keyIgnored, .keyMisspelled,
    ]
    #expect(document.diagnostics.filter { layout.contains($0.code) } == [])
  }

  @Test func `the flags of a sound are written only where they are not usual`() {
    var event = HapticEvent(kind: .audioCustom, time: 0, waveformPath: "a.wav")
    #expect(!AHAPWriter.text(HapticPattern(events: [event])).contains("Enabled"))
    event.loopEnabled = true
    event.useVolumeEnvelope = false
    let text = AHAPWriter.text(HapticPattern(events: [event]))
    #expect(text.contains("\"EventWaveformLoopEnabled\": true"))
    #expect(text.contains("\"EventWaveformUseVolumeEnvelope\": false"))
  }
}
