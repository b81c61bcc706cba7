import AHAP
import Foundation
import Testing

/// The published files that lie beside the repository, where they are there.
enum Corpus {
  /// One line of the corpus's index, counted with another JSON reader.
  struct Entry: Sendable, CustomTestStringConvertible {
    var path: String
    var events: Int
    var parameters: Int
    var curves: Int
    var points: Int
    var features: String

    var testDescription: String { path }
  }

  static let folder: URL? = {
    var folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let manifest = folder.appendingPathComponent("Package.swift").path
      if FileManager.default.fileExists(atPath: manifest) { break }
    }
    let corpus = folder.deletingLastPathComponent().appendingPathComponent("shared/corpus")
    let index = corpus.appendingPathComponent("INDEX.tsv").path
    return FileManager.default.fileExists(atPath: index) ? corpus : nil
  }()

  static let isPresent = folder != nil

  static let entries: [Entry] = {
    guard let folder,
      let text = try? String(
        contentsOf: folder.appendingPathComponent("INDEX.tsv"), encoding: .utf8)
    else { return [] }
    return text.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 8, let events = Int(fields[3]), let parameters = Int(fields[4]),
        let curves = Int(fields[5]), let points = Int(fields[6])
      else { return nil }
      return Entry(
        path: fields[0], events: events, parameters: parameters, curves: curves, points: points,
        features: fields[7])
    }
  }()

  static func bytes(_ path: String) throws -> [UInt8] {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
  }

  static func read(_ path: String, mode: AHAPMode = .apple) throws -> AHAPDocument {
    try AHAPReader.read(try bytes(path), fileName: path, options: AHAPOptions(mode: mode))
  }
}
