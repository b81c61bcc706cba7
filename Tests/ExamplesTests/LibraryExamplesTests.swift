// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The libraries' pages show code that was compiled, and what it prints.
struct LibraryExamplesTests {
  /// The libraries that Package.swift offers, without those that only tests are supported by.
  private static let libraries: [String] = {
    let manifest = (try? text("Package.swift")) ?? ""
    return manifest.matches(of: /\.library\(\s*name: "(\w+)",\s*targets/)
      .map { String($0.output.1) }
      .filter {
        FileManager.default.fileExists(atPath: Project.root.appending(path: "Sources/\($0)").path)
      }
  }()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Project.root.appending(path: path), encoding: .utf8)
  }

  /// The pages of a library: the one that it is entered by, and the others.
  private static func pages(of library: String) throws -> (landing: String, articles: [String]) {
    let catalog = "Sources/\(library)/\(library).docc"
    let names = try FileManager.default
      .contentsOfDirectory(atPath: Project.root.appending(path: catalog).path())
    return (
      try text("\(catalog)/\(library).md"),
      try names.filter { $0.hasSuffix(".md") && $0 != "\(library).md" }
        .map { try text("\(catalog)/\($0)") }
    )
  }

  /// The blocks of a language in a page.
  private static func blocks(_ language: String, in page: String) -> [String] {
    page.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  /// A text with the white space before each line, and empty lines, taken away.
  private static func flat(_ text: String) -> String {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  @Test func `there are libraries to show`() {
    #expect(Self.libraries.count >= 14 && Self.libraries.contains("CoreHaptics"))
  }

  @Test(arguments: libraries) func `a library is entered by a page with code, and has an article`(
    library: String
  ) throws {
    let (landing, articles) = try Self.pages(of: library)
    #expect(landing.hasPrefix("# ``\(library)``\n"))
    #expect(landing.contains("\n## Topics\n") && !Self.blocks("swift", in: landing).isEmpty)
    #expect(landing.contains("swift run LibraryExamples \(library)"))
    #expect(!articles.isEmpty)
  }

  @Test(arguments: libraries) func `the code of a library's pages is that of its example`(
    library: String
  ) throws {
    let code = try Self.text("Examples/LibraryExamples/\(library).swift")
    let (landing, articles) = try Self.pages(of: library)
    for block in ([landing] + articles).flatMap({ Self.blocks("swift", in: $0) }) {
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines where line.hasPrefix("import ") {
        #expect(code.contains("\n\(line)\n"), "\(line)")
      }
      let rest = lines.drop { $0.hasPrefix("import ") || $0.isEmpty }.joined(separator: "\n")
      #expect(Self.flat(code).contains(Self.flat(rest)), "\(rest)")
    }
  }

  @Test(arguments: libraries) func `what a library's pages say an example prints, it prints`(
    library: String
  ) throws {
    let process = Process()
    process.executableURL = Project.built.appendingPathComponent("LibraryExamples")
    process.arguments = [library]
    process.currentDirectoryURL = Project.root
    process.environment = [:]
    let kept = Pipe()
    process.standardOutput = kept
    try process.run()
    let printed = String(decoding: kept.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)

    let (landing, articles) = try Self.pages(of: library)
    let shown = ([landing] + articles).flatMap { Self.blocks("text", in: $0) }
    #expect(!shown.isEmpty)
    for block in shown { #expect(printed.contains(block), "\(printed)") }
  }
}
