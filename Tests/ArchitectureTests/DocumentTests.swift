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
}
