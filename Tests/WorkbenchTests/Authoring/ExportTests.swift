// SPDX-License-Identifier: Apache-2.0

import JSONText
import ScratchFolder
import Testing

@testable import Workbench

struct ExportTests {
  @Test func `a document is exported as the commands write it`() throws {
    let fixture = try AuthoringFixture()
    let text =
      AuthoringFixture.pattern(
        AuthoringFixture.event("Continuous", for: 40, intensity: 0.5),
        AuthoringFixture.event("Transient", at: 1)) + "\n\n"
    try fixture.write(text, as: "sub/long")
    let plain = fixture.get("sub%2Flong/export?as=ahap")
    #expect(plain.text == text)
    #expect(plain.fields["content-disposition"] == "attachment; filename=\"long.ahap\"")
    let apple = try JSONValue(parsing: fixture.get("sub%2Flong/export?as=apple").body)
    // An event of 40 s in two pieces, and the tap.
    #expect(apple["Pattern"]?.elements?.count == 3)
    let clip = try JSONValue(parsing: fixture.get("sub%2Flong/export?as=haptic").body)
    #expect(clip["signals"]?["continuous"]?["envelopes"]?["amplitude"]?.elements != nil)
    let sound = fixture.get("sub%2Flong/export?as=wav")
    #expect(sound.status == 200 && Array(sound.body.prefix(4)) == Array("RIFF".utf8))
    #expect(sound.fields["content-disposition"] == "attachment; filename=\"long.wav\"")
    #expect(ScratchFolder.names(in: fixture.folder.file("jobs")) == [])
  }

  @Test func `a link holds the whole pattern, or says that it does not`() throws {
    let fixture = try AuthoringFixture()
    let text = AuthoringFixture.pattern(AuthoringFixture.event("Transient", intensity: 0.25))
    try fixture.write(text, as: "tap")
    let fragment = try #require(try fixture.json("tap/export?as=link")["fragment"]?.string)
    #expect(fragment.hasPrefix("/patterns?link="))
    // Each letter stands for six bits.
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var (bits, width, bytes) = (0, 0, [UInt8]())
    for letter in fragment.dropFirst("/patterns?link=".count) {
      bits = bits << 6 | (try #require(letters.firstIndex(of: letter)))
      width += 6
      if width >= 8 {
        width -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> width))
        bits &= (1 << width) - 1
      }
    }
    #expect(try JSONValue(parsing: bytes) == JSONValue(parsing: Array(text.utf8)))
    let many = (0..<100).map { AuthoringFixture.event("Transient", at: Double($0)) }
    try fixture.write(AuthoringFixture.pattern(many.joined(separator: ",")), as: "many")
    let refused = fixture.get("many/export?as=link")
    #expect(refused.status == 413 && refused.text.contains("too long for a link"))
  }

  @Test func `a text becomes a square of modules with its three corners`() throws {
    let fixture = try ServerFixture()
    let answer = fixture.get("/api/v1/qr?text=haprig")
    #expect(answer.fields["content-type"] == "image/svg+xml")
    // Version 1: 21 modules and a quiet zone of 4 around them.
    #expect(answer.text.contains("viewBox=\"0 0 29 29\""))
    let path = try #require(answer.text.firstMatch(of: /<path d="([^"]+)"/)).output.1
    var dark = Set<[Int]>()
    for run in path.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
      let numbers = [run.output.1, run.output.2, run.output.3, run.output.4].compactMap { Int($0) }
      #expect(numbers.count == 4 && numbers[2] == numbers[3])
      for column in 0..<numbers[2] { dark.insert([numbers[0] + column - 4, numbers[1] - 4]) }
    }
    for (x, y) in [(0, 0), (14, 0), (0, 14)] {
      for column in 0..<7 {
        for row in 0..<7 {
          // A ring, and a core of three by three.
          let distance = max(abs(column - 3), abs(row - 3))
          #expect(dark.contains([x + column, y + row]) == (distance != 2))
        }
      }
    }
    #expect(!dark.contains { $0.contains { $0 < 0 || $0 > 20 } })
    #expect(fixture.get("/api/v1/qr?text=" + String(repeating: "a", count: 2048)).status == 200)
    #expect(fixture.get("/api/v1/qr?text=" + String(repeating: "a", count: 2049)).status == 400)
    #expect(fixture.get("/api/v1/qr").status == 400)
  }
}
