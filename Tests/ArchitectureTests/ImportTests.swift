// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Compares every `import` under Sources with the table of layers.
struct ImportTests {
  private struct Import {
    let file: String
    let line: Int
    let name: String
  }

  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func modules() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources").path())
      .filter { !["System", "CEmbeddedFiles", "CVirtualCard"].contains($0) }.sorted()
  }

  private static func imports(of module: String) throws -> [Import] {
    try imports(in: "Sources/\(module)")
  }

  private static func imports(in path: String) throws -> [Import] {
    let folder = root.appending(path: path)
    let files = FileManager.default.enumerator(atPath: folder.path())
    var found: [Import] = []
    while let file = files?.nextObject() as? String {
      guard file.hasSuffix(".swift") else { continue }
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "import"), place <= 2, words.count > place + 1,
          words[..<place].allSatisfy({
            ["@testable", "public", "private", "internal", "package"].contains($0)
          })
        else { continue }
        found.append(
          Import(
            file: "\(path)/\(file)", line: index + 1, name: String(words[place + 1])))
      }
    }
    return found
  }

  @Test func `every folder under Sources is a row of the table`() throws {
    #expect(try Self.modules() == LayerTable.rows.map(\.module).sorted())
  }

  @Test(arguments: LayerTable.rows.map(\.module))
  func `a module imports only what its row allows`(_ module: String) throws {
    let row = try #require(LayerTable.rows.first { $0.module == module })
    let layers = Dictionary(uniqueKeysWithValues: LayerTable.rows.map { ($0.module, $0.layer) })
    for found in try Self.imports(of: module) {
      let isBelow = layers[found.name].map { $0 < row.layer } ?? false
      let isAllowed =
        (isBelow && !(LayerTable.forbidden[module]?.contains(found.name) ?? false))
        || row.beside.contains(found.name) || row.outside.contains(found.name)
        || LayerTable.everywhere.contains(found.name)
      #expect(isAllowed, "\(found.file):\(found.line): \(module) may not import \(found.name)")
    }
  }

  /// What is not named is built first only by chance, and a build from nothing fails now and then.
  @Test func `the manifest names what each target imports`() throws {
    let manifest = try String(
      contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    let targets = manifest.matches(
      of:
        /\.(target|testTarget|executableTarget)\(\s*name: "(\w+)"(?:,\s*dependencies: \[([^\]]*)\])?(?:,\s*path: "([^"]+)")?/
    ).map { match in
      let parent = match.output.1 == "testTarget" ? "Tests" : "Sources"
      return (
        name: String(match.output.2),
        named: Set((match.output.3 ?? "").matches(of: /"(\w+)"/).map { String($0.output.1) }),
        folder: match.output.4.map(String.init) ?? "\(parent)/\(match.output.2)"
      )
    }
    let own = Set(targets.map(\.name))
    #expect(own.isSuperset(of: LayerTable.rows.map(\.module)) && own.contains("ArchitectureTests"))
    for target in targets {
      for found in try Self.imports(in: target.folder)
      where own.contains(found.name) && found.name != target.name {
        #expect(
          target.named.contains(found.name),
          "\(found.file):\(found.line): \(target.name) does not name \(found.name)")
      }
    }
  }

  @Test func `a third party is imported by one module alone`() throws {
    var owners: [String: Set<String>] = [:]
    let own = Set(LayerTable.rows.map(\.module))
    for module in try Self.modules() {
      for found in try Self.imports(of: module)
      where !own.contains(found.name) && !LayerTable.everywhere.contains(found.name) {
        owners[found.name, default: []].insert(module)
      }
    }
    #expect(owners.count >= 6, "the search for imports finds too little: \(owners.keys.sorted())")
    for (library, modules) in owners {
      let expected = LayerTable.shared[library] ?? modules.first.map { [$0] } ?? []
      #expect(modules == expected, "\(library) is imported by \(modules.sorted())")
    }
  }

  @Test func `what an application links reaches no library under GPL`() throws {
    var reached = Set(LayerTable.linkable)
    var open = LayerTable.linkable
    let own = Set(LayerTable.rows.map(\.module))
    while let module = open.popLast() {
      for found in try Self.imports(of: module) where own.contains(found.name) {
        if reached.insert(found.name).inserted { open.append(found.name) }
      }
    }
    #expect(!reached.contains(LayerTable.copyleft), "reached: \(reached.sorted())")
  }
}
