import AHAP
import Foundation

/// The published files that lie beside the repository, where they are there.
enum Corpus {
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

  /// The paths that the index names.
  static let paths: [String] = {
    guard let folder,
      let text = try? String(
        contentsOf: folder.appendingPathComponent("INDEX.tsv"), encoding: .utf8)
    else { return [] }
    return text.split(separator: "\n").dropFirst().compactMap {
      $0.split(separator: "\t").first.map(String.init)
    }
  }()

  static func pattern(_ path: String) throws -> HapticPattern {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
    return try AHAPReader.read(bytes, fileName: path).pattern
  }
}
