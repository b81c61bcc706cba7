// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// `haprig compose` as people use it: sounds whose hits are known, many at once, and what is no sound.
struct ComposeCommandTests {
  /// Hits at known times: a burst of 1 kHz that falls with 30 ms, in a quiet even noise.
  private static let hits = [0.25, 0.6, 0.9, 1.4]

  private static func sound(
    rate: Int = 48_000, seconds: Double = 2, hits: [Double] = hits
  ) -> Data {
    var state: UInt32 = 1
    let samples = (0..<Int(seconds * Double(rate))).map { index -> Double in
      let time = Double(index) / Double(rate)
      state = state &* 1_664_525 &+ 1_013_904_223
      let noise = 0.0005 * (Double(state >> 8) / Double(1 << 23) - 1)
      return hits.filter { time >= $0 }.reduce(noise) { sum, hit in
        sum + 0.5 * exp(-(time - hit) / 0.03) * sin(2 * .pi * 1_000 * (time - hit))
      }
    }
    return Sounds.wav(samples, rate: rate)
  }

  private static func pattern(_ bench: Workbench, _ name: String) throws -> JSONValue {
    try JSONValue(parsing: Array(try bench.bytes(name)))
  }

  private static func times(_ pattern: JSONValue, of type: String) -> [Double] {
    (pattern["Pattern"]?.elements ?? []).compactMap { $0["Event"] }
      .filter { $0["EventType"]?.string == type }.compactMap { $0["Time"]?.number }
  }

  @Test(arguments: ["onsets", "envelope", "bands"])
  func `hits become taps where they are, as a pattern without a finding, the same each time`(
    method: String
  ) throws {
    let bench = try Workbench()
    try bench.write(Self.sound(), to: "hits.wav")
    let first = try bench.haprig("compose", "hits.wav", "--out", "a.ahap", "--method", method)
    #expect(first.code == 0 && first.errors.isEmpty, "\(first.errors)")
    #expect(first.output.hasPrefix("a.ahap: 2.000 s of sound, 4 taps, "), "\(first.output)")
    let pattern = try Self.pattern(bench, "a.ahap")
    let taps = Self.times(pattern, of: "HapticTransient")
    try #require(taps.count == Self.hits.count, "\(taps)")
    for (tap, hit) in zip(taps.sorted(), Self.hits) {
      #expect(abs(tap - hit) < 0.003, "\(tap) for \(hit)")
    }
    #expect(
      pattern["Metadata"]?["Composed"]?["Settings"]?["method"]?.string == method
        && pattern["Metadata"]?["Composed"]?["Sound"]?.string == "hits.wav")
    let lint = try bench.haprig("lint", "--strict", "a.ahap")
    #expect(lint.code == 0 && lint.output == "1 file, 0 findings\n", "\(lint.output)")
    #expect(try bench.haprig("format", "--check", "a.ahap").code == 0)
    _ = try bench.haprig("compose", "hits.wav", "--out", "b.ahap", "--method", method)
    #expect(try bench.bytes("a.ahap") == bench.bytes("b.ahap"))
    let run = try bench.haprig(
      "run", "a.ahap", "--rig", Workbench.rigs + "/simulated-vcm.yaml", "--archive", "out",
      "--quiet")
    #expect([0, 1].contains(run.code), "\(run.errors)")
  }

  @Test func `a preset, a parameter and a page of how it came about`() throws {
    let bench = try Workbench()
    try bench.write(Self.sound(), to: "hits.wav")
    let all = try JSONValue(
      parsing: Array(try bench.haprig("compose", "--parameters", "--json").output.utf8))
    #expect(all["methods"]?.elements?.count == 4)
    let table = try bench.haprig("compose", "--parameters").output
    #expect(table.contains("threshold") && table.contains("must rise within"))
    let ending = try bench.haprig(
      "compose", "hits.wav", "--out", "p.ahap", "--preset", "game", "--set", "spacing=0.5",
      "--explain", "page.html", "--json")
    #expect(ending.code == 0, "\(ending.errors)")
    let row = try #require(
      try JSONValue(parsing: Array(ending.output.utf8))["composed"]?.elements?.first)
    // Of hits that are nearer to each other than half a second one stays.
    #expect((1...3).contains(row["taps"]?.integer ?? 0), "\(row)")
    #expect(row["settings"]?["spacing"]?.number == 0.5 && row["channels"]?.integer == 1)
    let page = String(decoding: try bench.bytes("page.html"), as: UTF8.self)
    for word in ["hits.wav", "The pattern", "Level of each octave", "spacing"] {
      #expect(page.contains(word), "\(word)")
    }
    // What a pattern says of its making makes it again.
    let settings = try Self.pattern(bench, "p.ahap")["Metadata"]?["Composed"]?["Settings"]
    try bench.write(try #require(settings).text(), to: "own.json")
    _ = try bench.haprig("compose", "hits.wav", "--out", "q.ahap", "--preset", "own.json")
    #expect(try bench.bytes("p.ahap") == bench.bytes("q.ahap"))
  }

  @Test func `a sound is played along from the pattern's own folder`() throws {
    let bench = try Workbench()
    try bench.write(Self.sound(), to: "patterns/sounds/in.wav")
    try bench.write(Self.sound(), to: "elsewhere/out.wav")
    for (sound, path) in [
      ("patterns/sounds/in.wav", "sounds/in.wav"), ("elsewhere/out.wav", "out.wav"),
    ] {
      let ending = try bench.haprig(
        "compose", sound, "--out", "patterns/p.ahap", "--embed-sound", "--method", "onsets")
      #expect(ending.code == 0, "\(ending.errors)")
      let pattern = try Self.pattern(bench, "patterns/p.ahap")
      let event = pattern["Pattern"]?.elements?.first?["Event"]
      #expect(event?["EventWaveformPath"]?.string == path)
      #expect(event?["Time"]?.number == 0)
      let run = try bench.haprig("render", "patterns/p.ahap", "--out", "drive.wav")
      #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
      #expect(run.output.hasPrefix("drive.wav: 3 channels"), "\(run.output)")
    }
    #expect(try bench.bytes("patterns/out.wav") == bench.bytes("elsewhere/out.wav"))
    #expect(bench.names(in: "patterns") == ["out.wav", "p.ahap", "sounds"])
  }

  @Test func `a score plays both and finds touch with its sound`() throws {
    let bench = try Workbench()
    try bench.write(Self.sound(), to: "hits.wav")
    let ending = try bench.haprig(
      "compose", "hits.wav", "--out", "p.ahap", "--method", "onsets", "--score", "--json", "--rig",
      Workbench.rigs + "/simulated-vcm.yaml")
    #expect(ending.code == 0, "\(ending.errors)")
    let row = try JSONValue(parsing: Array(ending.output.utf8))["composed"]?.elements?.first
    let score = try #require(row?["score"])
    #expect(
      score["heard"]?.integer == 4 && score["felt"]?.integer == 4 && score["both"]?.integer == 4)
    // The rig's sound and drive leave together; its touch rises within a millisecond or two.
    #expect(abs(score["delay"]?.number ?? 1) < 0.003, "\(score)")
    // Bursts that fall beside taps that do: alike, and not the same.
    #expect((0.3...1).contains(score["envelope"]?.number ?? 0), "\(score)")
    let run = try #require(bench.names(in: "reports").first { $0.hasPrefix("20") })
    #expect(bench.names(in: "reports/\(run)").contains("record.json"))
  }

  @Test func `of a folder all are composed that can be, and the others are named`() throws {
    let bench = try Workbench()
    try bench.write(Self.sound(), to: "sounds/a.wav")
    try bench.write(Self.sound(hits: []), to: "sounds/b.wav")
    try bench.write("no sound", to: "sounds/c.flac")
    try bench.write("no sound", to: "sounds/readme.txt")
    let ending = try bench.haprig("compose", "sounds", "--out", "patterns/new")
    #expect(ending.code == 2)
    #expect(bench.names(in: "patterns/new") == ["a.ahap", "b.ahap"])
    #expect(ending.errors.contains("sounds/c.flac: this is not a sound file"), "\(ending.errors)")
    #expect(ending.errors.contains("1 of 3 sounds were not composed"), "\(ending.errors)")
  }

  @Test func `silence is a pattern without events`() throws {
    let bench = try Workbench()
    try bench.write(Sounds.wav([Double](repeating: 0, count: 48_000)), to: "s.wav")
    let ending = try bench.haprig("compose", "s.wav", "--out", "s.ahap")
    #expect(ending.code == 0)
    #expect(ending.output == "s.ahap: 1.000 s of sound, 0 taps, 0 vibrations (silence)\n")
    #expect(try Self.pattern(bench, "s.ahap")["Pattern"]?.elements == [])
  }

  @Test(arguments: [
    (["none.wav", "--out", "a.ahap"], "there is no such file"),
    (["hits.wav"], "Name what is to be written"), (["--out", "a.ahap"], "Name a sound file"),
    (["hits.wav", "hits.wav", "--out", "a.ahap"], "name one"),
    (["hits.wav", "hits.wav", "--out", "folder"], "both would become folder/hits.ahap"),
    (["empty", "--out", "folder"], "holds no sound file"),
    (["hits.wav", "--out", "a.ahap", "--set", "threshold"], "each as NAME=VALUE"),
    (["hits.wav", "--out", "a.ahap", "--set", "nothing=1"], "the method 'envelope' has headroom"),
    (["hits.wav", "--out", "a.ahap", "--set", "spacing=9"], "spacing goes from"),
    (["hits.wav", "--out", "a.ahap", "--method", "magic"], "magic"),
    (["hits.wav", "--out", "a.ahap", "--preset", "magic"], "there is no preset 'magic'"),
    (["hits.wav", "--out", "a.ahap", "--preset", "none.json"], "there is no such file"),
    (["hits.wav", "--out", "a.ahap", "--preset", "bad.json"], "bad.json: "),
    (["text.wav", "--out", "a.ahap"], "text.wav: this is not a sound file"),
    (["fast.wav", "--out", "a.ahap"], "fast.wav"),
    (["slow.wav", "--out", "a.ahap"], "sounds are composed at 8 to 192 kHz"),
    (["hits.wav", "--out", "a.ahap", "--score"], "no rig is named"),
    (["hits.wav", "--out", "a.ahap", "--rig", "x.yaml"], "--rig goes with --score"),
  ])
  func `what cannot be composed is told in a sentence`(
    _ arguments: [String], _ sentence: String
  ) throws {
    let bench = try Workbench()
    try bench.write(Self.sound(seconds: 0.1), to: "hits.wav")
    try bench.write("no sound at all, only words", to: "text.wav")
    try bench.write(Self.sound(rate: 200_000, seconds: 0.1), to: "fast.wav")
    try bench.write(Self.sound(rate: 4_000, seconds: 0.1), to: "slow.wav")
    try bench.write("{\"method\": \"onsets\", \"colour\": 3}", to: "bad.json")
    try bench.write("a text", to: "empty/readme.txt")
    let ending = try bench.haprig(["compose"] + arguments)
    #expect(ending.code == 2, "\(ending.output)")
    #expect(ending.errors.contains(sentence), "\(ending.errors)")
    #expect(!bench.names(in: ".").contains("a.ahap"))
  }
}
