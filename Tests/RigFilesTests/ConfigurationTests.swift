// SPDX-License-Identifier: Apache-2.0

import RigFiles
import Testing

struct ConfigurationTests {
  private func read(_ text: String) throws -> Configuration {
    try Configuration(toml: Array(text.utf8), file: "haprig.toml")
  }

  @Test func `every key is read, and paths are placed in the file's folder`() throws {
    let written = try read(
      """
      # The bench by the window.
      rig = "rigs/bench-1.yaml"   # its file
        plan='plans/a "b".yml'\r
      archive = "postgres://rig@db.lab/haptics"
      reports = "/srv/reports"

      profiles = "cali\\u0062 \\\\ \\"x\\""
      """)
    #expect(written.rig == "rigs/bench-1.yaml" && written.plan == "plans/a \"b\".yml")
    #expect(written.profiles == "calib \\ \"x\"")
    let placed = written.placed(in: "../..")
    #expect(
      placed.entries.map { "\($0.key)=\($0.value)" } == [
        "rig=../../rigs/bench-1.yaml", "plan=../../plans/a \"b\".yml",
        "archive=postgres://rig@db.lab/haptics", "reports=/srv/reports",
        "profiles=../../calib \\ \"x\"",
      ])
    #expect(written.placed(in: ".") == written)
    #expect(try read("\u{FEFF}") == Configuration())
  }

  @Test(arguments: [
    (
      "rig = \"a.yaml\"\n rgi = 3\n", 2, 2,
      "'rgi' is not a key of a configuration (did you mean 'rig'?)"
    ),
    (
      "prfiles = \"x\"", 1, 1,
      "'prfiles' is not a key of a configuration (did you mean 'profiles'?)"
    ),
    ("rig = 3", 1, 7, "'rig' takes a text in quotes: write rig = \"rigs/bench-1.yaml\""),
    ("rig = [}", 1, 7, "'rig' takes a text in quotes"), ("rig", 1, 4, "an equal sign is missing"),
    ("rig = ", 1, 7, "'rig' takes a text in quotes"), ("[[[", 1, 1, "tables are not read"),
    ("rig.x = \"a\"", 1, 4, "an equal sign is missing"), ("= 1", 1, 1, "no key begins here"),
    ("\"rig\" = \"a.yaml\"", 1, 1, "no key begins here"),
    ("plan = \"a.yaml", 1, 8, "the text is not closed on its line"),
    ("plan = 'a.yaml\n'", 1, 8, "the text is not closed on its line"),
    ("plan = \"\"\"a\"\"\"", 1, 8, "a text of several lines is not read"),
    ("plan = \"a.yaml\" rig = \"b.yaml\"", 1, 17, "the line goes on after its text"),
    ("plan = \"a\\qb\"", 1, 10, "TOML has no '\\q'"),
    ("plan = \"a\\ud800\"", 1, 10, "this is no character"),
    ("plan = \"a\\tb\"", 1, 10, "a control character stands here"),
    ("plan = 'a.yaml' # \u{7}", 1, 19, "a control character stands here"),
    ("rig = 'a.yaml'\nrig = 'a.yaml'", 2, 1, "'rig' is written more than once"),
    ("rig = ''", 1, 7, "'rig' is empty"), ("rig = 'bench-1'", 1, 7, "'rig' names a file"),
    ("profiles = 'a.json'", 1, 12, "'profiles' names a folder"),
    ("archive = '~/runs'", 1, 11, "'~' does not stand for a folder here"),
    ("archive = 'https://x/y'", 1, 11, "an archive is a folder, or postgres://"),
    ("profiles = 'postgres://x/y'", 1, 12, "'profiles' is a path"),
    ("archive = 'runs'\nreports = 'runs'", 2, 1, "'reports' goes with an archive on a server"),
  ])
  func `what is wrong is told with its place`(
    text: String, line: Int, column: Int, words: String
  ) throws {
    let error = try #require(throws: RigFileError.self) { try read(text) }
    #expect(error.message.contains(words), "\(error)")
    #expect((error.line, error.column) == (line, column), "\(error)")
  }

  @Test func `a file that is too large or no text is refused`() throws {
    let large = try #require(throws: RigFileError.self) {
      try read(String(repeating: "#", count: 1 << 16) + "\n")
    }
    #expect(large.message.contains("a configuration has at most 65536"))
    let broken = try #require(throws: RigFileError.self) {
      try Configuration(toml: Array("rig = \"".utf8) + [0xFF, 0x22], file: "haprig.toml")
    }
    #expect(broken.column == 8 && broken.message.contains("not UTF-8"), "\(broken)")
  }
}
