// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import Composing
import Glibc
import JSONText
import ScratchFolder
import SoundFiles
import Testing
import Units
import Workflows

@testable import Workbench

/// Sounds that are sent, and what they would be composed to.
struct ComposeTests {
  /// Clicks every half second in a soft tone.
  private static func write(
    _ path: String, seconds: Double = 4, rate: Double = 48_000, gain: Float = 1
  ) throws {
    var writer = try SoundFileWriter(
      path: path, format: .wav16, channels: 1, rate: SampleRate(hertz: rate))
    var samples: [Float] = []
    for index in 0..<Int(seconds * rate) {
      let time = Double(index) / rate
      let own = time.truncatingRemainder(dividingBy: 0.5)
      let click = 0.5 * exp(-40 * own) * sin(2 * .pi * 700 * own)
      samples.append(gain * Float(click + 0.05 * sin(2 * .pi * 110 * time)))
    }
    try writer.write(samples)
    try writer.close()
  }

  private static func fixture() throws -> AuthoringFixture {
    let fixture = try AuthoringFixture()
    try fixture.write(AuthoringFixture.pattern(), as: "p")
    return fixture
  }

  private static func compose(
    _ fixture: AuthoringFixture, _ sound: String, _ settings: JSONValue = ["method": "envelope"],
    of name: String = "p"
  ) throws -> (status: Int, json: JSONValue) {
    let body = JSONValue.object([
      JSONMember("sound", .string(sound)), JSONMember("settings", settings),
    ])
    let answer = fixture.server.post(
      "/api/v1/patterns/\(name)/compose", body.text(indent: nil))
    return (answer.status, try JSONValue(parsing: answer.body))
  }

  /// Sends a sound; answers with the status.
  private static func put(
    _ fixture: AuthoringFixture, _ name: String, _ bytes: [UInt8], length: Int? = nil,
    key: Bool = true
  ) -> Answer {
    guard let client = RawClient(port: fixture.server.port) else { return Answer([]) }
    let head = fixture.server.head(
      "PUT /api/v1/sounds/\(name)", "Content-Type: application/octet-stream",
      "Content-Length: \(length ?? bytes.count)")
    client.send(key ? head : head.replacing("Bearer ", with: "Bearer x"))
    client.send(bytes)
    return Answer(client.rest())
  }

  @Test(arguments: ["envelope", "onsets", "bands", "pitch"])
  func `a preview is what the command writes`(method: String) throws {
    let fixture = try Self.fixture()
    let path = fixture.folder.file("patterns/a.wav")
    try Self.write(path)
    let (status, json) = try Self.compose(fixture, "a.wav", ["method": .string(method)])
    try #require(status == 200, "\(json)")
    let settings = ComposeSettings(try #require(ComposeMethod(rawValue: method)))
    let composed = try ComposeWorkflow.compose(path, settings)
    let written = ComposeWorkflow.written(composed, settings, of: "a.wav", playing: nil)
    let text = PatternText(Array(AHAPWriter.text(written).utf8))
    #expect(json["entries"] == .array(text.entries.map(\.json)))
    #expect((json["entries"]?.elements?.count ?? 0) > 1)
    #expect(json["composed"] == written.metadata?["Composed"])
    #expect(json["seconds"]?.number == 4)
    // Onsets and beats are the sound's, whatever the method.
    let onsets = (json["onsets"]?.elements ?? []).compactMap(\.number)
    for onset in 1..<8 {
      let time = 0.5 * Double(onset)
      #expect(onsets.contains { abs($0 - time) < 0.01 }, "\(time): \(onsets)")
    }
    #expect(abs((json["beats"]?["bpm"]?.number ?? 0) - 120) < 1.2)
    // Answered again, the same, from what was kept; after a change of the file anew.
    #expect(try Self.compose(fixture, "a.wav", ["method": .string(method)]).json == json)
    try Self.write(path, gain: 0.5)
    let other = try Self.compose(fixture, "a.wav", ["method": .string(method)]).json
    #expect(other["composed"]?["Digest"] != json["composed"]?["Digest"])
  }

  @Test func `what cannot be composed is told in a sentence`() throws {
    let fixture = try Self.fixture()
    let folder = fixture.folder
    try folder.write("no sound at all, only words", to: "patterns/words.wav")
    try folder.write("{}", to: "outside.wav")
    try Self.write(folder.file("elsewhere.wav"))
    symlink(folder.file("elsewhere.wav"), folder.file("patterns/linked.wav"))
    try Self.write(folder.file("patterns/slow.wav"), seconds: 1, rate: 4_000)
    try Self.write(folder.file("patterns/long.wav"), seconds: 901, rate: 8_000)
    for (sound, status, code) in [
      ("none.wav", 404, "no-sound"), ("words.wav", 422, "sound"),
      ("../elsewhere.wav", 422, "outside"), ("/etc/passwd", 422, "outside"),
      ("linked.wav", 422, "outside"), ("slow.wav", 422, "rate"), ("long.wav", 422, "too-long"),
    ] {
      let answer = try Self.compose(fixture, sound)
      #expect(answer.status == status && answer.json["error"]?["code"]?.string == code, "\(sound)")
      let message = answer.json["error"]?["message"]?.string ?? ""
      #expect(!message.contains(folder.path), "\(message)")
    }
    try Self.write(folder.file("patterns/a.wav"), seconds: 1)
    for settings: JSONValue in [
      ["method": "loud"], ["threshold": 3], ["method": "envelope", "threshold": 99],
      ["method": "pitch", "threshold": 3], 7,
    ] {
      #expect(try Self.compose(fixture, "a.wav", settings).status == 422, "\(settings)")
    }
    #expect(try Self.compose(fixture, "a.wav", of: "nobody").status == 404)
    try Self.write(folder.file("patterns/silent.wav"), seconds: 1, gain: 0)
    let silent = try Self.compose(fixture, "silent.wav")
    #expect(silent.status == 200 && silent.json["entries"] == [])
    #expect(silent.json["loudness"] == nil && silent.json["beats"] == nil)
  }

  @Test func `the methods are those of the command`() throws {
    let fixture = try Self.fixture()
    let answer = fixture.server.get("/api/v1/compose/methods")
    let json = try JSONValue(parsing: answer.body)
    #expect(json == (try JSONValue(parsing: ComposeTable.json.utf8())))
    #expect(json["methods"]?.elements?.count == ComposeMethod.allCases.count)
    #expect(json["presets"]?.elements?.isEmpty == false)
  }

  @Test func `a sound is put into the folder, whole or not at all`() throws {
    let fixture = try Self.fixture()
    let folder = fixture.folder
    _ = try folder.folder("patterns/songs")
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let first = Self.put(fixture, "songs%2Fa.wav", bytes)
    #expect(first.status == 201, "\(first.text)")
    #expect(ScratchFolder.bytes(folder.file("patterns/songs/a.wav")) == bytes)
    #expect(Self.put(fixture, "songs%2Fa.wav", [1, 2]).status == 409)
    #expect(ScratchFolder.bytes(folder.file("patterns/songs/a.wav")) == bytes)
    #expect(Self.put(fixture, "songs%2Fa.wav?replace=1", [1, 2]).status == 200)
    #expect(ScratchFolder.bytes(folder.file("patterns/songs/a.wav")) == [1, 2])
    // What ends early, is empty or is too long leaves nothing.
    if let client = RawClient(port: fixture.server.port) {
      client.send(
        fixture.server.head("PUT /api/v1/sounds/half.wav", "Content-Length: 1000") + "abc")
    }
    #expect(Self.put(fixture, "empty.wav", []).status == 422)
    #expect(Self.put(fixture, "long.wav", [], length: (256 << 20) + 1).status == 413)
    let end = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < end,
      ScratchFolder.names(in: folder.file("patterns")).count > 2
    {
      usleep(20_000)
    }
    #expect(Set(ScratchFolder.names(in: folder.file("patterns"))) == ["p.ahap", "songs"])
    #expect(ScratchFolder.names(in: folder.file("patterns/songs")) == ["a.wav"])
  }

  @Test func `nothing is put outside of the folder, nor what is no sound`() throws {
    let fixture = try Self.fixture()
    let folder = fixture.folder
    _ = try folder.folder("elsewhere")
    symlink(folder.file("elsewhere"), folder.file("patterns/away"))
    symlink(folder.file("elsewhere/x.wav"), folder.file("patterns/link.wav"))
    for (name, status) in [
      ("..%2Fa.wav", 400), ("%2Fa.wav", 400), ("a%5Cb.wav", 400), (".hidden.wav", 400),
      ("away%2Fa.wav", 403), ("nowhere%2Fa.wav", 403), ("link.wav?replace=1", 409),
      ("p.ahap?replace=1", 415), ("a.sh", 415), ("a", 415), ("a.wav%2Fb.wav", 403),
    ] {
      let answer = Self.put(fixture, name, [1, 2, 3])
      #expect(answer.status == status, "\(name): \(answer.text)")
    }
    #expect(Self.put(fixture, "a.wav", [1], key: false).status == 401)
    #expect(ScratchFolder.names(in: folder.file("elsewhere")) == [])
    #expect(
      Set(ScratchFolder.names(in: folder.file("patterns"))) == ["p.ahap", "away", "link.wav"])
  }

  @Test func `what a text was composed of is told, set in one step with entries, and undone`()
    throws
  {
    let fixture = try Self.fixture()
    let before = try fixture.json("p")
    #expect(before["composed"] == nil)
    let composed: JSONValue = ["Sound": "a.wav", "Settings": ["method": "onsets"]]
    let batch: JSONValue = [
      "base": try #require(before["version"]), "label": "compose",
      "operations": [
        ["insert": 0, "entry": ["kind": "transient", "time": 0.5]],
        ["metadata": "Composed", "value": composed],
      ],
    ]
    let answer = fixture.server.post("/api/v1/patterns/p/edits", batch.text(indent: nil))
    #expect(answer.status == 200, "\(answer.text)")
    let step = try JSONValue(parsing: answer.body)
    #expect(step["composed"] == composed)
    let after = try fixture.json("p")
    #expect(after["composed"] == composed && after["entries"]?.elements?.count == 1)
    let undo: JSONValue = ["base": try #require(after["version"])]
    let undone = fixture.server.post("/api/v1/patterns/p/undo", undo.text(indent: nil))
    #expect(try JSONValue(parsing: undone.body)["composed"] == nil)
    #expect(try fixture.json("p")["text"] == before["text"])
  }
}
