// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Pattern files that cannot be used: one sentence with the place, exit code 2, nothing left behind.
struct PatternRefusalTests {
  /// A file, and the place and words of what is wrong with it.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let place: String
    let words: String
  }

  private static func event(time: String) -> String {
    """
    {"Version": 1.0, "Pattern": [
      {"Event": {"Time": \(time), "EventType": "HapticTransient"}}
    ]}
    """
  }

  static let wrong: [Wrong] = [
    Wrong(
      testDescription: "JSON broken at a position", text: "{\"Version\": 1.0,\n \"Pattern\": [ }\n",
      place: "2:15", words: "\n     \"Pattern\": [ }\n                  ^"),
    Wrong(testDescription: "an empty file", text: "", place: "1:1", words: "error:"),
    Wrong(
      testDescription: "JSON that ends early", text: "{\"Version\": 1.0, \"Pattern\": [",
      place: "1:30", words: "error:"),
    Wrong(
      testDescription: "100,000 arrays in each other",
      text: "{\"Pattern\": " + String(repeating: "[", count: 100_000), place: "1:",
      words: "nested more than 512 deep"),
    Wrong(
      testDescription: "100,000 objects in each other",
      text: String(repeating: "{\"a\":", count: 100_000), place: "1:",
      words: "nested more than 512 deep"),
    Wrong(
      testDescription: "no Pattern", text: "{\"Version\": 1.0}\n", place: "1:1",
      words: "the file has no 'Pattern'"),
    Wrong(
      testDescription: "a Pattern that is no array", text: "{\"Pattern\": 3}\n", place: "1:13",
      words: "'Pattern'"),
    Wrong(
      testDescription: "an event without a type",
      text: "{\"Pattern\": [\n  {\"Event\": {\"Time\": 0}}\n]}\n", place: "2:4",
      words: "the event has no 'EventType'"),
    Wrong(
      testDescription: "an event of an unknown type",
      text: "{\"Pattern\": [\n  {\"Event\": {\"Time\": 0, \"EventType\": \"HapticTap\"}}\n]}\n",
      place: "2:38", words: "HapticTap"),
    Wrong(
      testDescription: "NaN", text: event(time: "NaN"), place: "2:22",
      words: "'NaN' is not a JSON number"),
    Wrong(
      testDescription: "a negative infinity", text: event(time: "-Infinity"), place: "2:22",
      words: "no NaN and no Infinity"),
    Wrong(
      testDescription: "1e400", text: event(time: "1e400"), place: "2:22",
      words: "larger than any 64-bit floating point number"),
    Wrong(
      testDescription: "-1e400", text: event(time: "-1e400"), place: "2:22",
      words: "larger than any 64-bit floating point number"),
  ]

  @Test(arguments: wrong) func `a file that is no pattern is refused`(wrong: Wrong) throws {
    let bench = try Workbench()
    try bench.write(wrong.text, to: "bad.ahap")
    let ending = try bench.haprig(
      "run", "bad.ahap", "--rig", Workbench.rigs + "/simulated-lra.yaml", "--archive", "out")
    expectRefusal(ending, saying: "bad.ahap:\(wrong.place)", wrong.words, in: bench)
    #expect(wrong.text.isEmpty || ending.errors.hasSuffix("^\n"), "\(ending.errors)")
    #expect(ending.errors.utf8.count < 600, "\(ending.errors)")
    for command in [["lint", "bad.ahap"], ["render", "bad.ahap", "--out", "x.wav"]] {
      let other = try bench.start(haprig: command).end()
      // An event that is wrong hides no other: lint goes on and has findings. Nothing is rendered of it.
      if command[0] == "lint", other.code == 1 {
        #expect(other.output.contains("bad.ahap:\(wrong.place)"), "\(other.output)")
        #expect(other.output.contains(wrong.words), "\(other.output)")
        continue
      }
      #expect(other.code == 2)
      expectSentence(other, saying: ["bad.ahap:\(wrong.place)", wrong.words])
    }
    #expect(bench.names(in: ".") == ["bad.ahap"])
  }

  @Test func `bytes that are no UTF-8 are refused`() throws {
    let bench = try Workbench()
    try bench.write(
      Data("{\"Pattern\": [], \"A".utf8) + [0xFF] + Data("\": 1}".utf8), to: "bad.ahap")
    try expectRefused(bench, "bad.ahap", saying: "bad.ahap:1:19: ", "not valid UTF-8")
  }

  @Test func `a file of 200 megabytes is refused unread`() throws {
    let bench = try Workbench()
    try bench.write("", to: "huge.ahap")
    // Without blocks on the disk: only the length is 200 megabytes.
    try #require(truncate(bench.file("huge.ahap").path(), 200 << 20) == 0)
    try expectRefused(
      bench, "huge.ahap", saying: "huge.ahap: the file holds 209715200 bytes",
      "at most 67108864 are read")
  }

  @Test func `what is not there or no file is refused`() throws {
    let bench = try Workbench()
    try bench.write("", to: "empty/notes.txt")
    try expectRefused(
      bench, "missing.ahap", saying: "missing.ahap: there is no such file or folder")
    try expectRefused(bench, "empty", saying: "empty: the folder holds no AHAP file")
    try bench.write(Patterns.transient(at: 0, intensity: 1), to: "deep/of/two/a.ahap")
    try bench.write(Patterns.transient(at: 0, intensity: 1), to: "deep/of/three/b.ahap")
    try expectRefused(
      bench, "deep",
      saying: "deep: the folder holds no AHAP file itself, but folders below it hold 2: name those "
        + "folders, for example deep/of/three")
    _ = try bench.tool("mkfifo", "pipe.ahap")
    try expectRefused(bench, "pipe.ahap", saying: "pipe.ahap: this is no regular file")
    _ = try bench.tool("ln", "-s", "loop.ahap", "loop.ahap")
    try expectRefused(bench, "loop.ahap", saying: "loop.ahap: ")
  }

  @Test func `one bad pattern among good ones plays none`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "patterns/good.ahap")
    try bench.write("{", to: "patterns/worse.ahap")
    try expectRefused(bench, "patterns", saying: "patterns/worse.ahap:1:2: ")
  }

  @Test func `what the reader mends is an error where strictness is asked for`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.transient(at: 0, intensity: 7), to: "loud.ahap")
    let ending = try bench.haprig(
      "run", "loud.ahap", "--rig", Workbench.rigs + "/simulated-lra.yaml", "--archive", "out",
      "--strict")
    expectRefusal(ending, saying: "loud.ahap:5:", in: bench)
  }

  private func expectRefused(
    _ bench: Workbench, _ path: String, saying words: String...,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let ending = try bench.haprig(
      "run", path, "--rig", Workbench.rigs + "/simulated-lra.yaml", "--archive", "out")
    #expect(ending.code == 2, "\(ending.errors)", sourceLocation: location)
    expectSentence(ending, saying: words, at: location)
    #expect(bench.names(in: "out") == [], sourceLocation: location)
  }
}
