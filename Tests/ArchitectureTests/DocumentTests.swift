// SPDX-License-Identifier: Apache-2.0

import AHAP
import Acceptance
import Foundation
import Testing

/// What the documents say is what the code does, where one table serves both.
struct DocumentTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test func `the codes of findings in the document are those of the reader`() throws {
    #expect(try Self.text("docs/FILE-FORMATS.md").contains(DiagnosticCode.markdownTable))
  }

  @Test func `the readings in the document are those of the table in code`() throws {
    #expect(try Self.text("docs/FILE-FORMATS.md").contains(ReadingKind.markdownTable))
    #expect(try Self.text("docs/FILE-FORMATS.md").contains(ReadingKind.markdownIntervals))
  }

  @Test func `every module under Sources has a row in the architecture's table`() throws {
    let document = try Self.text("docs/ARCHITECTURE.md")
    for row in LayerTable.rows where row.module != "haprig" {
      #expect(document.contains("| \(row.module) |"), "\(row.module) has no row")
    }
  }

  @Test func `every system package is named in one file that the set-up reads`() throws {
    let packages = try Self.text(".ci/packages.txt").split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").first }
    #expect(packages.count >= 6)
    #expect(try Self.text(".ci/setup.sh").contains(".ci/packages.txt"))
    #expect(try Self.text("README.md").contains(".ci/packages.txt"))
    let manifest = try Self.text("Package.swift")
    for library in ["fftw3", "cminpack", "sndfile", "soxr"] {
      #expect(manifest.contains("pkgConfig: \"\(library)\""))
      #expect(packages.contains { $0.contains(library) }, "\(library) is not in the list")
    }
  }

  @Test func `relative links in the documents lead somewhere`() throws {
    let documents = ["README.md", "docs/ARCHITECTURE.md", "docs/FILE-FORMATS.md"]
    for document in documents {
      let folder = Self.root.appending(path: document).deletingLastPathComponent()
      for match in try Self.text(document).matches(of: /\]\(([^)#:]+)\)/) {
        let target = folder.appending(path: String(match.output.1)).path()
        #expect(FileManager.default.fileExists(atPath: target), "\(document): \(match.output.1)")
      }
    }
  }

  @Test func `every test that the document of USB names is there`() throws {
    let names = try Self.text("docs/USB.md").split(separator: "\n")
      .drop { $0 != "| fault | tests, by their names |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
      .flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.output.1) } }
    #expect(names.count >= 40)
    var tests = ""
    let folder = Self.root.appending(path: "Tests")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      tests += try String(contentsOf: file, encoding: .utf8)
    }
    for name in names where name != "make test-vm" {
      #expect(tests.contains("func `\(name)`("), "no test is called '\(name)'")
    }
  }

  @Test func `every Swift file says its licence`() throws {
    var without: [String] = []
    var count = 0
    for folder in ["Sources", "Tests", "Examples", "Benchmarks/Sources", "Fuzzers/Sources"] {
      let files = try #require(
        FileManager.default.enumerator(
          at: Self.root.appending(path: folder), includingPropertiesForKeys: nil))
      for case let file as URL in files where file.pathExtension == "swift" {
        count += 1
        let text = try String(contentsOf: file, encoding: .utf8)
        if !text.hasPrefix("// SPDX-License-Identifier: Apache-2.0\n") {
          without.append(file.lastPathComponent)
        }
      }
    }
    #expect(count > 1000 && without.isEmpty, "\(without)")
  }

  /// A build folder, a recording or a file of a dependency that is committed by accident stays in
  /// the history for ever.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: root.path() + ".git"), "not a clone"))
  func `what is kept is the project's own, and small`() throws {
    let git = Process()
    git.executableURL = URL(filePath: "/usr/bin/env")
    git.arguments = ["git", "-c", "safe.directory=*", "-C", Self.root.path(), "ls-files", "-z"]
    let output = Pipe()
    git.standardOutput = output
    try git.run()
    let kept = output.fileHandleForReading.readDataToEndOfFile().split(separator: 0)
      .map { String(decoding: $0, as: UTF8.self) }
    git.waitUntilExit()
    #expect(git.terminationStatus == 0 && kept.count > 1000)
    let rooms: Set = [
      ".ci", ".editorconfig", ".gitattributes", ".gitignore", ".swift-format", "Benchmarks",
      "CHANGELOG.md", "CONTRIBUTING.md", "Examples", "Fuzzers", "LICENSE", "Makefile", "NOTICE",
      "Package.swift", "README.md", "SECURITY.md", "Sources", "Tests", "calibration", "docs",
      "fleet", "reports", "rigs",
    ]
    let top = Set(kept.compactMap { $0.split(separator: "/").first.map(String.init) })
    #expect(top.subtracting(rooms).isEmpty)
    let large = kept.filter { path in
      let size = try? Self.root.appending(path: path).resourceValues(forKeys: [.fileSizeKey])
      return (size?.fileSize ?? 0) > 1_000_000
    }
    #expect(large.isEmpty)
  }

  @Test func `links in all documents lead somewhere`() throws {
    let folder = Self.root.appending(path: "docs")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var wrong: [String] = []
    var anchors: [String: Set<String>] = [:]
    func headings(_ file: URL) throws -> Set<String> {
      if let known = anchors[file.path()] { return known }
      let text = try String(contentsOf: file, encoding: .utf8)
      let found = text.matches(of: /(?m)^#+ +(.+?) *$/).map { Self.anchor(String($0.output.1)) }
      anchors[file.path()] = Set(found)
      return Set(found)
    }
    let top = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
    let documents =
      top.map { Self.root.appending(path: $0) }
      + files.compactMap { $0 as? URL }.filter { $0.pathExtension == "md" }
    for document in documents {
      let text = try String(contentsOf: document, encoding: .utf8)
        .replacing(/(?s)```.*?```/, with: "").replacing(/(?m)^ {4}.*$/, with: "")
      for match in text.matches(of: /\]\(([^)\s]+)\)/) {
        let parts = match.output.1.split(separator: "#", omittingEmptySubsequences: false)
        if parts[0].contains(":") { continue }
        let target =
          parts[0].isEmpty
          ? document
          : document.deletingLastPathComponent().appending(path: String(parts[0])).standardized
        let exists = FileManager.default.fileExists(atPath: target.path())
        let isThere =
          try exists
          && (parts.count < 2 || target.pathExtension != "md"
            || headings(target).contains(String(parts[1])))
        if !isThere { wrong.append("\(document.lastPathComponent): \(match.output.1)") }
      }
    }
    #expect(documents.count > 60 && wrong.isEmpty, "\(wrong)")
  }

  /// What a heading is linked by, as GitHub makes it.
  private static func anchor(_ heading: String) -> String {
    heading.lowercased().replacing("`", with: "").filter {
      $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_"
    }.replacing(" ", with: "-")
  }
}
