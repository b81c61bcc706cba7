// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import SeededRandom
import Testing

/// `haprig follow` as a person and a page use it.
struct FollowCommandTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.simulatedRig()
  }

  /// Bursts of noise, none like the one before.
  private static func bursts(seconds: Double) -> [Double] {
    var random = SeededRandom(seed: 0xf0110)
    var sound: [Double] = []
    while Double(sound.count) < seconds * 48_000 {
      let level = random.uniform(0.03...0.2)
      for _ in 0..<Int(random.uniform(2_880...7_200)) {
        sound.append(random.uniform(-level...level))
      }
      sound += [Double](repeating: 0, count: Int(random.uniform(7_200...19_200)))
    }
    return sound
  }

  private func lines(_ ending: Ending) throws -> [JSONValue] {
    try ending.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }

  @Test func `a file is followed, its latency told, and the record is what its schema says`() throws
  {
    try bench.write(Sounds.wav(Self.bursts(seconds: 9)), to: "bursts.wav")
    let ending = try bench.haprig(
      "follow", "--rig", "rig.yaml", "--input", "bursts.wav", "--json", "--record", "follow.json")
    #expect(ending.code == 0, "\(ending.errors)")
    let lines = try lines(ending)
    let stated = try #require(lines.first?["stated"]?["typical"]?.number)
    #expect(stated <= 5e-3)
    let found = try #require(lines.last?["latency"]?["heardToDrive"]?["seconds"]?.number)
    #expect(abs(found - stated) < 3e-4, "\(found) s, stated \(stated) s")
    #expect(lines.contains { $0["latency"]?["driveToMotion"] != nil })
    let text = String(decoding: try bench.bytes("follow.json"), as: UTF8.self)
    #expect(try bench.complaints(of: text, by: "follow.schema.json") == "")
    let record = try JSONValue(parsing: Array(text.utf8))
    #expect(record["ended"]?.string == "over" && record["dropped"]?.integer == 0)
  }

  @Test func `what cannot be followed is refused before anything is driven`() throws {
    try bench.write("no sound", to: "text.wav")
    for (words, code, said) in [
      (["--input", "text.wav"], 2, "text.wav"), (["--input", "."], 2, "folder"),
      (["--preset", "loud"], 2, "there are game"), (["--method", "pitch"], 2, "pitch"),
      (["--gain", "61"], 2, "60"), (["--gate", "1"], 2, "--gate"),
      (["--preset", "music", "--method", "envelope"], 2, "leave out --method"),
      (["--align"], 2, "its own microphone"), (["--input", "-", "--commands"], 2, "both"),
      (["--input", "no-such-pcm"], 3, "no-such-pcm"),
    ] {
      let ending = try bench.haprig(["follow", "--rig", "rig.yaml"] + words)
      #expect(ending.code == Int32(code), "\(words): \(ending.errors)")
      #expect(ending.errors.contains(said), "\(words): \(ending.errors)")
    }
  }

  @Test(arguments: [
    ("cat bursts.wav", Int32(0)), ("head -c 96044 bursts.wav", 0), ("true", 3),
    ("head -c 20 bursts.wav", 3), ("echo hello", 3), ("cat slow.wav", 3),
  ])
  func `a pipe is followed to its end, and one that is no sound is told`(
    script: String, code: Int32
  ) throws {
    try bench.write(Sounds.wav(Self.bursts(seconds: 2)), to: "bursts.wav")
    try bench.write(Sounds.wav(Self.bursts(seconds: 1), rate: 44_100), to: "slow.wav")
    let words = [Workbench.haprig, "follow", "--rig", "rig.yaml", "--input", "-"]
    let ending = try bench.start(["sh", "-c", "(\(script)) | \"$@\"", "sh"] + words).end()
    #expect(ending.code == code, "\(script): \(ending)")
  }

  @Test func `commands are done as long as somebody holds the rig`() throws {
    try bench.write(Sounds.wav(Self.bursts(seconds: 30)), to: "bursts.wav")
    try bench.write(
      """
      {"do": "gain", "dB": -6}
      {"do": "method", "method": "onsets"}
      {"do": "leap"}

      """, to: "commands")
    let script = "echo .; cat commands; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; echo .; done"
    let words = [
      Workbench.haprig, "follow", "--rig", "rig.yaml", "--input", "bursts.wav", "--commands",
    ]
    let ending = try bench.start(["sh", "-c", "(\(script)) | \"$@\"", "sh"] + words).end()
    #expect(ending.code == 129, "\(ending)")
    let lines = try lines(ending)
    #expect(lines.compactMap { $0["did"]?["do"]?.string } == ["gain", "method"])
    #expect(lines.compactMap { $0["fault"]?.string }.count == 1)
    let levels = lines.compactMap { $0["level"] }
    #expect(levels.count >= 3)
    #expect(levels.contains { ($0["heard"]?.number ?? -200) > -40 && $0["open"]?.bool == true })
    #expect(levels.contains { ($0["intensity"]?.number ?? 0) > 0.05 })
    #expect(levels.last?["gain"]?.number == -6)
  }
}

/// What happens to the sound's own card, while another rig follows it.
@Suite(.enabled(if: SoundCard.isBuilt, SoundCard.missing))
struct FollowedCardTests {
  @Test func `a card that is unplugged while it is listened to ends what follows it`() throws {
    let bench = try Workbench()
    try bench.simulatedRig()
    // The card that is listened to hears nothing but its noise, until it is pulled out.
    try bench.cardRig(
      changing: ["clock: virtual": "clock: real"], faults: ["{kind: unplug, at: 2 s}"],
      to: "card.yaml")
    let configuration = try bench.write(
      """
      pcm_type.haprig { lib "\(SoundCard.plugin)" }
      pcm.heard { type haprig rig "\(bench.file("card.yaml").path)" }

      """, to: "asound.conf")
    let ending = try bench.haprig(
      ["follow", "--rig", "rig.yaml", "--input", "heard", "--record", "follow.json"],
      changing: ["ALSA_CONFIG_PATH": "/usr/share/alsa/alsa.conf:\(configuration)"])
    #expect(ending.code == 3, "\(ending)")
    #expect(ending.errors.contains("went away"), "\(ending.errors)")
    let text = String(decoding: try bench.bytes("follow.json"), as: UTF8.self)
    #expect(try bench.complaints(of: text, by: "follow.schema.json") == "")
    let record = try JSONValue(parsing: Array(text.utf8))
    #expect(record["ended"]?.string?.contains("went away") == true)
    #expect((record["seconds"]?.number ?? 0) > 1)
  }
}
