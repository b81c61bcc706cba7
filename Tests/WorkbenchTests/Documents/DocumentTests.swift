// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONText
import RunArchive
import ScratchFolder
import SeededRandom
import Testing

@testable import Workbench

/// Patterns that are edited by requests, their drafts, and other programs that write the same files.
struct DocumentTests {
  private static let text = """
    {
      "Version": 1.0,
      "Pattern": [
        { "Event": { "Time": 0.0, "EventType": "HapticTransient", "x-note": "größer" } },
        { "Event": { "Time": 0.5, "EventType": "HapticContinuous", "EventDuration": 0.25 } }
      ]
    }

    """

  /// A workbench over a folder of patterns.
  private struct Desk {
    let folder: ScratchFolder
    let fixture: ServerFixture
    let patterns: String

    init(_ folder: ScratchFolder? = nil) throws {
      let folder = try folder ?? ScratchFolder()
      let patterns = (try? folder.folder("patterns")) ?? folder.file("patterns")
      self.folder = folder
      self.patterns = patterns
      fixture = try ServerFixture(holding: folder) {
        $0.patterns = patterns
        $0.drafts = folder.file("drafts")
      }
    }

    func write(_ text: String, to name: String) throws {
      try AtomicFile.write(text, to: "\(patterns)/\(name).ahap")
    }

    func file(_ name: String) -> String? { ScratchFolder.text("\(patterns)/\(name).ahap") }

    func show(_ name: String) throws -> JSONValue { try get("/api/v1/patterns/\(name)") }

    func get(_ path: String) throws -> JSONValue { try JSONValue(parsing: fixture.get(path).body) }

    @discardableResult
    func post(_ path: String, _ body: JSONValue) throws -> (status: Int, json: JSONValue) {
      let answer = fixture.post("/api/v1/patterns/\(path)", body.text(indent: nil))
      return (answer.status, try JSONValue(parsing: answer.body))
    }

    /// One edit of the newest state.
    @discardableResult
    func edit(_ name: String, _ operations: JSONValue...) throws -> JSONValue {
      let base = try #require(try show(name)["version"])
      let (status, json) = try post(
        "\(name)/edits", ["base": base, "label": "Edit", "operations": .array(operations)])
      try #require(status == 200, "\(json.text(indent: nil))")
      return json
    }

    @discardableResult
    func move(_ name: String, to time: Double) throws -> JSONValue {
      try edit(name, ["set": 0, "key": "time", "value": .number(time)])
    }
  }

  @Test func `what was not edited is saved with the same bytes, an edit changes what it names`()
    throws
  {
    let desk = try Desk()
    try desk.write(Self.text, to: "one")
    let shown = try desk.show("one")
    #expect(shown["text"]?.string == Self.text)
    #expect(shown["entries"]?.elements?.count == 2)
    #expect(shown["saved"]?.bool == true)
    let base = try #require(shown["version"])
    #expect(try desk.post("one/save", ["base": base]).status == 200)
    #expect(desk.file("one") == Self.text)

    let answer = try desk.move("one", to: 0.125)
    #expect(answer["saved"]?.bool == false)
    #expect(answer["splices"]?.elements?.count == 1)
    let version = try #require(answer["version"])
    #expect(desk.file("one") == Self.text, "nothing is written before it is saved")
    #expect(try desk.post("one/save", ["base": version]).status == 200)
    #expect(desk.file("one") == Self.text.replacing("\"Time\": 0.0", with: "\"Time\": 0.125"))
  }

  @Test func `a stale edit, a bad one and a wrong name are refused, each with its sentence`() throws
  {
    let desk = try Desk()
    try desk.write(Self.text, to: "one")
    try AtomicFile.write(Self.text, to: desk.folder.file("outside.ahap"))
    let base = try #require(try desk.show("one")["version"]?.integer)
    try desk.move("one", to: 0.2)
    let batch: JSONValue = [["set": 0, "key": "time", "value": 0.3]]
    let (stale, fault) = try desk.post(
      "one/edits", ["base": .integer(base), "label": "x", "operations": batch])
    #expect(stale == 409)
    #expect(fault["error"]?["code"]?.string == "stale")
    let (bad, sentence) = try desk.post(
      "one/edits",
      [
        "base": .integer(base + 1), "label": "x",
        "operations": [["set": 7, "key": "time", "value": 0.3]],
      ])
    #expect(bad == 422)
    #expect(sentence["error"]?["message"]?.string?.isEmpty == false)
    for path in ["..%2Foutside", "%2e%2e/outside", "a%2F..%2F..%2Foutside", ".one"] {
      #expect(desk.fixture.get("/api/v1/patterns/\(path)").status == 400, "\(path)")
    }
    #expect(desk.fixture.get("/api/v1/patterns/none").status == 404)
    // A slash that is escaped leads nowhere else.
    #expect(desk.fixture.get("/api/v1/runs/a%2Fb").status == 400)
  }

  @Test func `a link that leads out of the folder is no pattern`() throws {
    let desk = try Desk()
    try AtomicFile.write(Self.text, to: desk.folder.file("outside.ahap"))
    symlink(desk.folder.file("outside.ahap"), desk.folder.file("patterns/inside.ahap"))
    #expect(desk.fixture.get("/api/v1/patterns/inside").status == 404)
    #expect(try desk.get("/api/v1/patterns")["patterns"]?.elements?.isEmpty == true)
  }

  @Test func `undo leads back to the identical bytes, in another server too`() throws {
    let folder = try ScratchFolder()
    var random = SeededRandom(seed: 23)
    var texts = [Self.text]
    do {
      let desk = try Desk(folder)
      try desk.write(Self.text, to: "one")
      for _ in 0..<40 {
        _ = try desk.move("one", to: Double(random.next() % 4000) / 1000)
        let text = try #require(try desk.show("one")["text"]?.string)
        // A time that is there already is no step.
        if text != texts.last { texts.append(text) }
      }
    }
    // Its server is gone without a word; nothing was saved.
    let desk = try Desk(folder)
    #expect(desk.file("one") == Self.text)
    #expect(try desk.show("one")["notice"]?.string == "These edits were not saved yet.")
    for expected in texts.reversed() {
      let shown = try desk.show("one")
      #expect(shown["text"]?.string == expected)
      let base = try #require(shown["version"])
      let (status, _) = try desk.post("one/undo", ["base": base])
      #expect(status == (expected == Self.text ? 422 : 200))
    }
    let base = try #require(try desk.show("one")["version"])
    #expect(try desk.post("one/redo", ["base": base]).status == 200)
    #expect(try desk.show("one")["text"]?.string == texts[1])
  }

  @Test func `a draft that ends in the middle of a line keeps all that was answered`() throws {
    let folder = try ScratchFolder()
    let before: String?
    do {
      let desk = try Desk(folder)
      try desk.write(Self.text, to: "one")
      _ = try desk.move("one", to: 0.1)
      before = try desk.show("one")["text"]?.string
      _ = try desk.move("one", to: 0.2)
    }
    let draft = folder.file("patterns/.one.ahap.draft")
    let bytes = try #require(ScratchFolder.bytes(draft))
    for cut in 1...20 {
      try AtomicFile.write(Array(bytes.dropLast(cut)), to: draft)
      let desk = try Desk(folder)
      #expect(try desk.show("one")["text"]?.string == before, "cut by \(cut)")
      // What is appended stands behind what is whole.
      let answer = try desk.move("one", to: 0.3)
      #expect(answer["undo"]?.string == "Edit")
      let again = try Desk(folder)
      #expect(
        try again.show("one")["text"]?.string
          == Self.text.replacing("\"Time\": 0.0", with: "\"Time\": 0.3"))
    }
  }

  @Test func `a file that another program writes is taken in, merged, or asked about`() throws {
    let desk = try Desk()
    try desk.write(Self.text, to: "one")
    _ = try desk.show("one")
    let later = Self.text.replacing("\"Time\": 0.5", with: "\"Time\": 0.75")
    try desk.write(later, to: "one")
    let taken = try desk.show("one")
    #expect(taken["text"]?.string == later)
    #expect(taken["saved"]?.bool == true)
    #expect(taken["undo"]?.string == "Changed on disk")

    // Other lines than ours: both changes stand.
    _ = try desk.move("one", to: 0.1)
    let latest = later.replacing("0.25", with: "0.5")
    try desk.write(latest, to: "one")
    let merged = try desk.show("one")
    let both = latest.replacing("\"Time\": 0.0", with: "\"Time\": 0.1")
    #expect(merged["text"]?.string == both)
    #expect(merged["saved"]?.bool == false)
    #expect(desk.file("one") == latest, "nothing is overwritten by itself")

    // The same line: nothing is saved before somebody has said what stays.
    let theirs = latest.replacing("\"Time\": 0.0", with: "\"Time\": 0.9")
    try desk.write(theirs, to: "one")
    let asked = try desk.show("one")
    #expect(asked["conflict"]?["mine"]?["changed"]?.integer == 1)
    let base = try #require(asked["version"])
    #expect(try desk.post("one/save", ["base": base]).status == 409)
    #expect(desk.file("one") == theirs)
    let (status, answer) = try desk.post("one/resolve", ["take": "mine"])
    #expect(status == 200)
    let version = try #require(answer["version"])
    #expect(try desk.post("one/save", ["base": version]).status == 200)
    #expect(desk.file("one") == both)
  }

  @Test func `theirs takes the place of ours, and can be undone`() throws {
    let desk = try Desk()
    try desk.write(Self.text, to: "one")
    _ = try desk.move("one", to: 0.1)
    let theirs = Self.text.replacing("\"Time\": 0.0", with: "\"Time\": 0.9")
    try desk.write(theirs, to: "one")
    #expect(try desk.show("one")["conflict"] != nil)
    #expect(try desk.post("one/resolve", ["take": "theirs"]).status == 200)
    let shown = try desk.show("one")
    #expect(shown["text"]?.string == theirs)
    #expect(shown["saved"]?.bool == true)
    let base = try #require(shown["version"])
    #expect(try desk.post("one/undo", ["base": base]).status == 200)
    #expect(
      try desk.show("one")["text"]?.string
        == Self.text.replacing("\"Time\": 0.0", with: "\"Time\": 0.1"))
    #expect(try desk.post("one/resolve", ["take": "mine"]).status == 409)
  }

  @Test func `a file that is gone is written anew`() throws {
    let desk = try Desk()
    try desk.write(Self.text, to: "one")
    _ = try desk.move("one", to: 0.1)
    unlink(desk.folder.file("patterns/one.ahap"))
    let shown = try desk.show("one")
    #expect(shown["saved"]?.bool == false)
    let base = try #require(shown["version"])
    #expect(try desk.post("one/save", ["base": base]).status == 200)
    #expect(desk.file("one") == shown["text"]?.string)
  }

  @Test func `patterns are made of nothing, of others, of texts and of clips`() throws {
    let desk = try Desk()
    try desk.write(Self.text, to: "one")
    let root = "/api/v1/patterns"
    #expect(desk.fixture.post(root, "{\"name\": \"empty\"}").status == 201)
    #expect(try desk.show("empty")["entries"]?.elements?.isEmpty == true)
    #expect(desk.fixture.post(root, "{\"name\": \"two\", \"from\": \"one\"}").status == 201)
    #expect(desk.file("two") == Self.text)
    #expect(desk.fixture.post(root, "{\"name\": \"two\", \"from\": \"one\"}").status == 409)
    #expect(desk.fixture.post(root, "{\"name\": \"no/where\"}").status == 403)
    #expect(desk.fixture.post(root, "{\"name\": \"bad\", \"text\": \"{\"}").status == 422)
    let clip = """
      {"version": {"major": 1, "minor": 0, "patch": 0}, "signals": {"continuous": {"envelopes": \
      {"amplitude": [{"time": 0, "amplitude": 0.5}, {"time": 0.3, "amplitude": 0.5}]}}}}
      """
    let body: JSONValue = ["name": "clip", "clip": .string(clip)]
    #expect(desk.fixture.post(root, body.text(indent: nil)).status == 201)
    #expect(try desk.show("clip")["entries"]?.elements?.isEmpty == false)
    _ = try desk.move("one", to: 0.1)
    let rows = try #require(try desk.get(root)["patterns"]?.elements)
    #expect(rows.compactMap { $0["name"]?.string } == ["clip", "empty", "one", "two"])
    #expect(rows.map { $0["edited"]?.bool } == [false, false, true, false])
    #expect(rows[3]["seconds"]?.number == 0.75)
    #expect(rows[3]["events"]?.integer == 2)
  }

  @Test func `a body of a document may be long, of whom has the key`() throws {
    let desk = try Desk()
    try desk.write(Self.text, to: "one")
    let entry = "{ \"Event\": { \"Time\": 1.0, \"EventType\": \"HapticTransient\" } }"
    let long =
      "{ \"Pattern\": [\n" + Array(repeating: entry, count: 20_000).joined(separator: ",\n")
      + "\n] }\n"
    let body: JSONValue = ["name": "long", "text": .string(long)]
    #expect(desk.fixture.post("/api/v1/patterns", body.text(indent: nil)).status == 201)
    #expect(desk.file("long") == long)
    let port = desk.fixture.port
    let answer = RawClient.ask(
      port,
      "POST /api/v1/patterns HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 100000\r\n\r\n")
    #expect(answer.status == 413)
    #expect(desk.fixture.post("/api/v1/jobs", String(repeating: " ", count: 70_000)).status == 413)
  }
}
