// SPDX-License-Identifier: Apache-2.0

import Devices
import RigFiles
import Testing

struct TextErrorTests {
  private func read(_ replacing: String, with text: String) throws {
    _ = try rig(rigFile(replacing, with: text))
  }

  private func read(bytes: [UInt8]) throws {
    _ = try RigDescription(yaml: bytes, file: "bytes.yaml")
  }

  @Test(arguments: ["", "\n\n", "# nothing\n", "   \n"])
  func `an empty file is called empty`(text: String) {
    expectError("1:1", "the file is empty") { try rig(text) }
  }

  @Test func `a file that holds no map says so`() {
    expectError("1:1", "the file must be a map of keys and values, but is the single value 'hello'")
    {
      try rig("hello\n")
    }
    expectError("1:1", "but is a list") { try rig("- a\n") }
  }

  @Test func `a tab in the indentation is called a tab`() {
    expectError("5:1", "a tab stands in the indentation, which YAML does not allow: use spaces") {
      try read("  rate: 48000", with: "\trate: 48000")
    }
    expectError("6:1", "a tab stands in the indentation") {
      try read("rate: 48000", with: "rate: 48000\n\t\n")
    }
    expectError("5:6", "a tab stands in the indentation") {
      try read("run: [python3, plant.py, --seed, \"7\"]", with: "run:\n    -\t- a")
    }
    expectError("5:3", "a tab stands in the indentation") {
      try read("  rate: 48000", with: "  \trate: 48000")
    }
  }

  @Test func `a tab between a value and its comment does no harm`() throws {
    try read("rate: 48000", with: "rate: 48000\t# fast")
  }

  @Test func `a key that is written twice is named`() {
    expectError("3:3", "'device' is written more than once in this map: keep one") {
      try read("rate: 48000", with: "rate: 48000\n  device: command")
    }
    expectError("6:14", "'haptic' is written more than once") {
      try read("haptic: 1", with: "haptic: 1, \"haptic\": 2")
    }
  }

  @Test func `a second document is refused`() {
    expectError("15:1", "a second document begins here, and a file holds one") {
      try rig(outsidePlant + "---\nname: again\n")
    }
  }

  @Test func `anchors, aliases and tags are refused`() {
    expectError("1:7", "anchors and aliases (&name, *name) are not read") {
      try read("name: outside-plant", with: "name: &n outside-plant")
    }
    expectError("1:7", "found undefined alias") {
      try read("name: outside-plant", with: "name: *n")
    }
    expectError("5:9", "tags ('tag:yaml.org,2002:float') are not read") {
      try read("rate: 48000", with: "rate: !!float 48000")
    }
    expectError("2:1", "'<<' is not a key of a rig file") {
      try read("name: outside-plant", with: "name: x\n<<: {}")
    }
  }

  @Test func `an alias bomb is refused before it grows`() {
    // Each line holds the one before nine times, and the last makes a key of it, which a parser
    // hashes: 9^30 nodes.
    var text = "a0: &a0 [x, x]\n"
    for level in 1...30 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    expectError("2:50", "the file is full of aliases (*name): write each value out") {
      try rig(text + "? *a30\n: 1\n? *a30\n: 2\n")
    }
  }

  @Test func `a product sign in a comment is no alias`() throws {
    try read("# peak", with: "# 2*pi*f*t*a*b*c*d*e*f*g*h, in *words*, **bold**, g*mm")
  }

  @Test func `nesting without end is refused`() {
    for bracket in ["[", "{", "- ", "? "] {
      #expect(throws: RigFileError.self) {
        try rig("name: x\ndrive:\n " + String(repeating: bracket, count: 100_000))
      }
    }
  }

  @Test func `deep nesting is refused where it begins to be deep`() {
    expectError("1:23", "lists and maps are nested more than 16 deep here") {
      try rig("name: " + String(repeating: "[", count: 20) + String(repeating: "]", count: 20))
    }
  }

  @Test func `bytes that are not UTF-8 have a place`() {
    let text = Array("# caf\u{E9} \nname: x".utf8)
    expectError("2:7", "the bytes from here are not UTF-8: save the file as UTF-8") {
      try read(bytes: text.dropLast() + [0xE9, 0x0A])
    }
    expectError("1:1", "not UTF-8") { try read(bytes: [0xFF, 0xFE, 0x6E, 0x00]) }
  }

  @Test func `a NUL byte and other control characters have a place`() {
    expectError("1:7", "a NUL byte stands here") { try read("outside-plant", with: "\0") }
    expectError("1:9", "the character U+001B is not allowed in YAML") {
      try read("outside-plant", with: "ou\u{1B}[31m")
    }
    expectError("1:7", "this text holds a control character") {
      try read("outside-plant", with: "\"a\\0b\"")
    }
  }

  @Test func `a file has at most a mebibyte`() {
    let fill = String(repeating: "#", count: 1 << 20)
    expectError("1:1", "the file has 1048577 bytes: a rig file or a plan has at most 1048576") {
      try read(bytes: Array((fill + "#").utf8))
    }
    expectError("1:1", "the file is empty") { try read(bytes: Array(fill.utf8)) }
  }

  @Test func `a text without end is refused, and a message shows little of one`() {
    expectError("1:7", "this text has 2000 bytes: at most 1024") {
      try read("outside-plant", with: String(repeating: "x", count: 2000))
    }
    expectError("3:11", "'\(String(repeating: "x", count: 57))...' is not a kind of device") {
      try read("command\n  run", with: String(repeating: "x", count: 500) + "\n  run")
    }
    expectError("7:15", "is not a number with a unit of voltage") {
      try read("4.0 V ", with: String(repeating: "1", count: 500) + " V")
    }
  }

  @Test func `a long line is shown around the place`() throws {
    let text = "{name: \(String(repeating: "x", count: 300)), colour: red}"
    let error = try #require(throws: RigFileError.self) { try rig(text) }
    #expect((error.line, error.column) == (1, 310))
    let lines = error.snippet.split(separator: "\n")
    #expect(lines.map(\.count) == [72, 61])
    #expect(lines.last?.last == "^")
    #expect(lines.first?.dropFirst(60).first == "c")
  }

  @Test func `broken YAML is explained where it breaks`() {
    expectError("1:8", "no key can stand here: check the indentation, and quote a text") {
      try rig("name: x: y\n")
    }
    expectError("3:1", "this is not YAML: while parsing a flow mapping") {
      try rig("name: x\ndrive: {rate: 1\n")
    }
    expectError("2:1", "this is not YAML") { try rig("name: \"x\n") }
  }

  @Test func `damaged files never trap`() {
    // Every prefix, and every byte replaced in turn by one that means something in YAML.
    let bytes = Array(simulated.utf8)
    for end in bytes.indices {
      _ = try? RigDescription(yaml: Array(bytes[..<end]), file: "prefix")
    }
    let marks = Array("\0\t\n :-#{}[],&*!|>'\"%@`?~\u{7F}".utf8) + [0x80, 0xFF]
    for (place, mark) in bytes.indices.flatMap({ index in marks.map { (index, $0) } })
    where (place &* 31 &+ Int(mark)) % 7 == 0 {
      var damaged = bytes
      damaged[place] = mark
      do {
        _ = try RigDescription(yaml: damaged, file: "damaged")
      } catch {
        #expect(error.line >= 1 && error.column >= 1, "byte \(mark) at \(place): \(error)")
      }
    }
  }
}
