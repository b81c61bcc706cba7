// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Compares what the folders of each module name of one another with their order.
struct FolderTests {
  private static let sources = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources")

  private struct File {
    let path: String
    let folder: String
    let source: SwiftSource
  }

  private static func files(of module: String) throws -> [File] {
    let folder = sources.appending(path: module)
    let paths = FileManager.default.enumerator(atPath: folder.path())
    var files: [File] = []
    while let path = paths?.nextObject() as? String {
      guard path.hasSuffix(".swift") else { continue }
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      let parent = (path as NSString).deletingLastPathComponent
      files.append(
        File(path: path, folder: parent.isEmpty ? "." : parent, source: SwiftSource(text)))
    }
    return files
  }

  /// The uses that go up: a file names a type of a folder that stands after its own.
  private static func climbs(_ files: [File], _ order: [String]) -> [String] {
    let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    var owners: [String: File] = [:]
    for file in files { for name in file.source.declared { owners[name] = file } }
    return files.flatMap { file in
      file.source.named.sorted().compactMap { name -> String? in
        guard let owner = owners[name], owner.folder != file.folder,
          let own = places[file.folder], let other = places[owner.folder], other > own
        else { return nil }
        return "\(file.path) names \(name) of \(owner.folder)"
      }
    }
  }

  @Test func `every module has an order of its folders`() {
    #expect(Set(FolderTable.orders.keys) == Set(LayerTable.rows.map(\.module)))
  }

  @Test(arguments: FolderTable.orders.keys.sorted())
  func `a folder names only what stands before it`(_ module: String) throws {
    let order = try #require(FolderTable.orders[module])
    let files = try Self.files(of: module)
    #expect(Set(files.map(\.folder)) == Set(order), "the order of \(module) is of other folders")
    for climb in Self.climbs(files, order) { Issue.record("Sources/\(module)/\(climb)") }
  }

  @Test func `a use that goes up is found, one in a comment or a string is not`() {
    let files = [
      File(
        path: "low/A.swift", folder: "low",
        source: SwiftSource(
          #"""
          /* High /* High */ High */ // High
          struct A { let text = "High \(B("High")) \#("High")"; let raw = #"High "\(High)"# }
          private struct Hidden {}
          """#)),
      File(
        path: "high/High.swift", folder: "high",
        source: SwiftSource("public final class High: A { struct Inner {} }\nenum Hidden {}")),
      File(path: "low/B.swift", folder: "low", source: SwiftSource("struct B { var high: High? }")),
    ]
    #expect(files.map(\.source.declared) == [["A"], ["High", "Hidden"], ["B"]])
    #expect(
      Self.climbs(files, ["low", "high"]) == [
        "low/B.swift names High of high"
      ])
    #expect(Self.climbs(files, ["high", "low"]) == ["high/High.swift names A of low"])
  }
}
