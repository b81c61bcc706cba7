// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

@testable import HapticClips

/// `.haptic` files of version 1 are read, and faults are shown where they are.
struct ReaderTests {
  private func read(_ text: String) throws -> HapticClip {
    try HapticClipReader.read(Array(text.utf8))
  }

  /// A file with this as its envelopes.
  private func file(_ envelopes: String) -> String {
    #"{"version":{"major":1},"signals":{"continuous":{"envelopes":{\#(envelopes)}}}}"#
  }

  @Test func `all that a file can hold is read`() throws {
    let clip = try read(
      """
      {"version":{"major":1,"minor":2,"patch":3},"other":[],
       "metadata":{"editor":"e","author":"a","source":"s","project":"p","tags":["t","u"],
        "description":"d"},
       "signals":{"continuous":{"envelopes":{
        "amplitude":[{"time":0,"amplitude":0.2},
         {"time":0.1,"amplitude":0.5,"emphasis":{"amplitude":0.6,"frequency":0.7}},
         {"time":0.1,"amplitude":1,"emphasis":null},{"time":1,"amplitude":0}],
        "frequency":[{"time":0.5,"frequency":0.9}]}}}}
      """)
    #expect(clip.version == HapticClip.Version(major: 1, minor: 2, patch: 3))
    #expect(clip.metadata.editor == "e" && clip.metadata.author == "a")
    #expect(clip.metadata.source == "s" && clip.metadata.project == "p")
    #expect(clip.metadata.tags == ["t", "u"] && clip.metadata.description == "d")
    #expect(clip.amplitude.map(\.time) == [0, 0.1, 0.1, 1])
    #expect(clip.amplitude.map(\.amplitude) == [0.2, 0.5, 1, 0])
    #expect(clip.amplitude[1].emphasis == HapticClip.Emphasis(amplitude: 0.6, frequency: 0.7))
    #expect(clip.frequency == [HapticClip.FrequencyPoint(time: 0.5, frequency: 0.9)])
  }

  @Test(arguments: ["", #","frequency":null"#, #","frequency":[]"#])
  func `frequency and notes may be left out`(frequency: String) throws {
    let clip = try read(
      file(#""amplitude":[{"time":0.3,"amplitude":0.1},{"time":0.4,"amplitude":0.2}]"# + frequency))
    #expect(clip.frequency.isEmpty)
    #expect(clip.metadata == HapticClip.Metadata())
    #expect(clip.start == 0.3)
  }

  @Test(arguments: [
    (#""amplitude":[]"#, HapticClipError.Code.noLength),
    (#""amplitude":[{"time":0,"amplitude":1}]"#, .noLength),
    (#""amplitude":[{"time":1,"amplitude":1},{"time":1,"amplitude":1}]"#, .noLength),
    (#""amplitude":[{"time":0,"amplitude":1.1}]"#, .valueOutOfRange),
    (#""amplitude":[{"time":0,"amplitude":-0.1}]"#, .valueOutOfRange),
    (#""amplitude":[{"time":-1,"amplitude":0}]"#, .timesOutOfOrder),
    (#""amplitude":[{"time":1,"amplitude":0},{"time":0.5,"amplitude":0}]"#, .timesOutOfOrder),
    (
      #""amplitude":[{"time":0,"amplitude":0.5,"emphasis":{"amplitude":0.4,"frequency":1}}]"#,
      .emphasisTooWeak
    ),
    (
      #""amplitude":[{"time":0,"amplitude":0.5,"emphasis":{"amplitude":0.6,"frequency":2}}]"#,
      .valueOutOfRange
    ),
    (#""amplitude":[{"time":0,"amplitude":0.5,"emphasis":[]}]"#, .wrongType),
    (#""amplitude":[{"time":0}]"#, .valueMissing),
    (#""amplitude":[{"amplitude":0}]"#, .valueMissing),
    (#""amplitude":[{"time":"0","amplitude":0}]"#, .wrongType), (#""amplitude":{}"#, .wrongType),
    (#""amplitude":[7]"#, .wrongType), ("", .valueMissing),
    (
      #""amplitude":[{"time":1,"amplitude":0},{"time":2,"amplitude":0}],"frequency":[{"time":0.5,"frequency":0}]"#,
      .frequencyOutside
    ),
    (
      #""amplitude":[{"time":1,"amplitude":0},{"time":2,"amplitude":0}],"frequency":[{"time":2.5,"frequency":0}]"#,
      .frequencyOutside
    ),
    (
      #""amplitude":[{"time":1,"amplitude":0},{"time":2,"amplitude":0}],"frequency":[{"time":1.5,"frequency":0},{"time":1.4,"frequency":0}]"#,
      .timesOutOfOrder
    ),
    (
      #""amplitude":[{"time":1,"amplitude":0},{"time":2,"amplitude":0}],"frequency":7"#,
      .wrongType
    ),
  ])
  func `what breaks a rule of the format is refused`(
    envelopes: String, code: HapticClipError.Code
  ) throws {
    let error = try #require(throws: HapticClipError.self) { try read(file(envelopes)) }
    #expect(error.code == code, "\(error)")
  }

  @Test(arguments: [
    ("[]", HapticClipError.Code.wrongType), ("{}", .valueMissing), ("{", .brokenJSON),
    (#"{"version":{"major":0}}"#, .versionUnknown), (#"{"version":{}}"#, .versionUnknown),
    (#"{"version":{"major":"1"}}"#, .wrongType), (#"{"version":1}"#, .wrongType),
    (#"{"version":{"major":1},"metadata":7}"#, .wrongType),
    (#"{"version":{"major":1},"metadata":{"tags":[1]}}"#, .wrongType),
    (#"{"version":{"major":1},"metadata":{"editor":1}}"#, .wrongType),
    (#"{"version":{"major":1},"signals":{"continuous":[]}}"#, .wrongType),
    (#"{"version":{"major":1},"signals":{},}"#, .brokenJSON), ("", .brokenJSON),
  ])
  func `what is no clip is refused`(text: String, code: HapticClipError.Code) throws {
    let error = try #require(throws: HapticClipError.self) { try read(text) }
    #expect(error.code == code, "\(error)")
  }

  @Test func `an error shows place, sentence, code, line and caret`() throws {
    let text = """
      {"version": {"major": 1}, "signals": {"continuous": {"envelopes": {
        "amplitude": [
          {"time": 0.5, "amplitude": 0.5},
          {"time": 0.4, "amplitude": 0.5}
      ]}}}}
      """
    let error = try #require(throws: HapticClipError.self) {
      try HapticClipReader.read(Array(text.utf8), fileName: "tap.haptic")
    }
    #expect(
      error.description == """
        tap.haptic:4:14: error: the time 0.4 s is before the 0.5 s of the point above [CLIP007]
                {"time": 0.4, "amplitude": 0.5}
                         ^
        """)
  }

  @Test func `what is written is read back, and the same clip gives the same text`() throws {
    for seed in 0..<100 {
      var random = SeededRandom(seed: UInt64(seed))
      var clip = random.clip(taps: true)
      clip.metadata.description = "\"\u{1F600}\n"
      clip.metadata.author = "a"
      clip.metadata.editor = "e"
      clip.metadata.source = "s"
      let text = HapticClipWriter.text(clip)
      let again = try HapticClipReader.read(Array(text.utf8))
      #expect(again == clip, "\(random)")
      #expect(HapticClipWriter.text(again) == text, "\(random)")
    }
  }

  @Test func `a clip is laid out in one way`() {
    var clip = clip([(0, 0.5), (1, 0)], taps: [0: (1, 0.25)])
    clip.metadata.project = "p"
    #expect(
      HapticClipWriter.text(clip) == """
        {
          "version": {
            "major": 1,
            "minor": 0,
            "patch": 0
          },
          "metadata": {
            "project": "p"
          },
          "signals": {
            "continuous": {
              "envelopes": {
                "amplitude": [
                  {
                    "time": 0.0,
                    "amplitude": 0.5,
                    "emphasis": {
                      "amplitude": 1.0,
                      "frequency": 0.25
                    }
                  },
                  {
                    "time": 1.0,
                    "amplitude": 0.0
                  }
                ]
              }
            }
          }
        }

        """)
  }
}
