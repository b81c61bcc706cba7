// SPDX-License-Identifier: Apache-2.0

import JSONText
import ScratchFolder
import Testing

@testable import Workbench

/// Stages whose child is a script that tells what it was told.
struct StageTests {
  /// Reads as `haprig play --commands` does: a dot where a line begins is a beat.
  private static let program = """
    exec python3 -c '
    import json, os, sys
    print(json.dumps({"state": "open", "words": sys.argv[1:]}), flush=True)
    print("a word by the way", flush=True)
    kept = b""
    while True:
        data = os.read(0, 65536)
        if not data: break
        kept += data
        while True:
            while kept[:1] in (b".", b"\\n"): kept = kept[1:]
            end = kept.find(b"\\n")
            if end < 0: break
            told = json.loads(kept[:end])
            kept = kept[end + 1:]
            text = told.pop("ahap", None)
            if text is not None: told["text"] = text if len(text) < 1000 else len(text)
            print(json.dumps({"did": told, "delay": 0.004}), flush=True)
    ' "$@"
    """

  private static func stage(_ fixture: AuthoringFixture) throws -> String {
    let answer = fixture.server.post("/api/v1/stages", "{\"rig\": \"\(AuthoringFixture.rig)\"}")
    #expect(answer.status == 201, "\(answer.text)")
    return try #require(try JobTests.json(answer)["stage"]?.string)
  }

  private static func pattern(_ intensity: Double) -> String {
    AuthoringFixture.pattern(AuthoringFixture.event("Continuous", for: 1, intensity: intensity))
  }

  @Test func `a page plays on what it holds, and an edited loop is sent on by itself`() throws {
    let fixture = try AuthoringFixture(isCalibrated: true, program: Self.program)
    try fixture.write(Self.pattern(1), as: "loop")
    let id = try Self.stage(fixture)
    var page = PageSocketTests.Page(fixture.server)
    page?.say("{\"stage\": \"\(id)\", \"do\": \"stop\"}")
    #expect(page?.text(with: "error")?["error"]?["code"]?.string == "not-held")
    page?.say("{\"hold\": \"\(id)\"}")
    let open = try #require(page?.text(with: "state"))
    #expect(open["topic"]?.string == "stage/\(id)" && open["state"]?.string == "open")
    #expect(
      open["words"]?.elements?.compactMap(\.string) == [
        "play", "--commands", "--rig", fixture.folder.file("rig.yaml"), "--quiet", "--profiles",
        fixture.folder.file("calibration/sim-coin-1.json"),
      ])
    page?.say("{\"beat\": 1}")
    page?.say(
      "{\"stage\": \"\(id)\", \"do\": \"tap\", \"intensity\": 0.5, \"sharpness\": 1, \"at\": 7}")
    let tap = try #require(page?.text(with: "did"))
    #expect(tap["topic"]?.string == "stage/\(id)" && tap["delay"]?.number == 0.004)
    #expect(tap["did"]?["do"]?.string == "tap" && tap["did"]?["intensity"]?.number == 0.5)
    // When it came is the server's to say.
    #expect(tap["did"]?["at"]?.number != 7 && tap["did"]?["stage"] == nil)
    page?.say("{\"beat\": 2}")
    page?.say(
      "{\"stage\": \"\(id)\", \"do\": \"play\", \"pattern\": \"loop\", \"from\": 0.5, \"loop\": true}"
    )
    let first = try #require(page?.text(with: "did")?["did"])
    #expect(first["text"]?.string == Self.pattern(1) && first["loop"]?.bool == true)
    #expect(first["from"]?.number == 0.5 && first["pattern"] == nil)
    #expect(first["name"]?.string == fixture.folder.file("patterns/loop.ahap"))
    try fixture.write(Self.pattern(0.5), as: "loop")
    fixture.server.server.authoring.stages.documentChanged("loop", at: 123)
    let second = try #require(page?.text(with: "did")?["did"])
    #expect(second["text"]?.string == Self.pattern(0.5) && second["at"]?.number == 123)
    // One play that is edited is one play.
    #expect(second["id"] == first["id"] && second["from"] == first["from"])
    fixture.server.server.authoring.stages.documentChanged("other")
    page?.say("{\"stage\": \"\(id)\", \"do\": \"stop\"}")
    #expect(page?.text(with: "did")?["did"]?["do"]?.string == "stop")
    fixture.server.server.authoring.stages.documentChanged("loop")
    page?.say("{\"stage\": \"\(id)\", \"do\": \"lift\", \"finger\": 1}")
    #expect(page?.text(with: "did")?["did"]?["do"]?.string == "lift")
    page = nil
    let job = try JobTests.wait(for: id, on: fixture.server) { $0["state"]?.string != "running" }
    #expect(job["kind"]?.string == "stage" && job["state"]?.string == "done")
  }

  @Test func `a text that no pipe holds arrives whole, and beats before and after it`() throws {
    let fixture = try AuthoringFixture(program: Self.program)
    let text = Self.pattern(1) + String(repeating: " ", count: 3 << 20)
    try fixture.write(text, as: "large")
    let id = try Self.stage(fixture)
    let page = try #require(PageSocketTests.Page(fixture.server))
    page.say("{\"hold\": \"\(id)\"}")
    for beat in 0..<5 {
      page.say("{\"beat\": \(beat)}")
      page.say("{\"stage\": \"\(id)\", \"do\": \"play\", \"pattern\": \"large\"}")
    }
    for number in 1...5 {
      let did = try #require(page.text(with: "did")?["did"])
      #expect(did["text"]?.integer == text.utf8.count && did["id"]?.integer == number)
    }
  }

  @Test func `letting go ends the stage, and its end is told once`() throws {
    let fixture = try AuthoringFixture(program: Self.program)
    for (word, ending) in [("hold", "null"), ("leave", "")] {
      let id = try Self.stage(fixture)
      let page = try #require(PageSocketTests.Page(fixture.server))
      let other = try #require(PageSocketTests.Page(fixture.server))
      page.say("{\"hold\": [\"\(id)\"]}")
      other.say("{\"hold\": \"\(id)\"}")
      _ = page.text(with: "state")
      _ = other.text(with: "state")
      page.say(word == "hold" ? "{\"hold\": \(ending)}" : "{\"leave\": \"stage/\(id)\"}")
      let told = try #require(other.text(with: "state"))
      #expect(told["state"]?.string == "ended" && told["said"]?.string == "a word by the way")
      _ = try JobTests.wait(for: id, on: fixture.server) { $0["state"]?.string == "done" }
      other.say("{\"beat\": 9}")
      let next = other.next().flatMap { try? JSONValue(parsing: $0.payload) }
      #expect(next?["beat"]?.integer == 9)
    }
  }

  @Test func `what is no stage cannot be opened or played on`() throws {
    let fixture = try AuthoringFixture(program: Self.program)
    for (order, status) in [
      ("{}", 400), ("{\"rig\": \"none\"}", 404),
      ("{\"rig\": \"authoring-rig\", \"pattern\": \"x\"}", 400),
      ("{\"rig\": \"authoring-rig\", \"actuator\": \"none\"}", 422),
    ] {
      #expect(fixture.server.post("/api/v1/stages", order).status == status, "\(order)")
    }
    let page = try #require(PageSocketTests.Page(fixture.server))
    page.say("{\"hold\": \"none\"}")
    page.say("{\"stage\": \"none\", \"do\": \"tap\"}")
    #expect(page.text(with: "error")?["error"]?["code"]?.string == "no-such-stage")
    page.say("{\"hold\": []}")
    #expect(page.text(with: "error")?["error"]?["code"]?.string == "bad-value")
    let id = try Self.stage(fixture)
    page.say("{\"hold\": \"\(id)\"}")
    page.say("{\"stage\": \"\(id)\", \"do\": \"play\", \"pattern\": \"none\"}")
    #expect(page.text(with: "error")?["error"]?["code"]?.string == "no-such-pattern")
  }

  @Test func `a page follows what the machine and the patterns' folder have, and nothing else`()
    throws
  {
    let fixture = try AuthoringFixture(program: Self.program)
    let sound = try fixture.folder.write("a name is enough", to: "patterns/hum.wav")
    let inputs = try JobTests.json(fixture.server.get("/api/v1/inputs"))["inputs"]?.elements
    #expect(
      inputs?.contains { $0["name"]?.string == "hum.wav" && $0["kind"]?.string == "sound" } == true)
    func open(_ follow: String) -> Answer {
      let order = "{\"rig\": \"\(AuthoringFixture.rig)\", \"follow\": \(follow)}"
      return fixture.server.post("/api/v1/stages", order)
    }
    let answer = open(
      #"{"sound": "hum.wav", "method": "bands", "gain": -3, "gate": -50, "align": true}"#)
    #expect(answer.status == 201, "\(answer.text)")
    let id = try #require(try JobTests.json(answer)["stage"]?.string)
    let page = try #require(PageSocketTests.Page(fixture.server))
    page.say("{\"hold\": \"\(id)\"}")
    let words = page.text(with: "state")?["words"]?.elements?.compactMap(\.string) ?? []
    #expect(
      words.prefix(9) == [
        "follow", "--input=\(sound)", "--method=bands", "--gain=-3.0", "--gate=-50.0", "--align",
        "--commands", "--rig", fixture.folder.file("rig.yaml"),
      ], "\(words)")
    page.say("{\"stage\": \"\(id)\", \"do\": \"gain\", \"dB\": 6}")
    #expect(page.text(with: "did")?["did"]?["dB"]?.number == 6)
    for (follow, status) in [
      ("7", 400), ("{\"method\": \"pitch\"}", 400), ("{\"gain\": 61}", 400),
      ("{\"gate\": \"loud\"}", 400), ("{\"align\": 1}", 400), ("{\"input\": \"x\"}", 400),
      ("{\"pcm\": \"default\", \"sound\": \"hum.wav\"}", 400),
      ("{\"pcm\": \"file:/tmp/x,wav\"}", 404), ("{\"sound\": \"none.wav\"}", 404),
      ("{\"sound\": \"../rig.yaml\"}", 400), ("{\"sound\": \"/etc/passwd\"}", 400),
    ] {
      #expect(open(follow).status == status, "\(follow)")
    }
  }
}
