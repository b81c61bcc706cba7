import AHAP
import Foundation

/// The published AHAP files that lie beside the repository, where they are there.
enum Corpus {
  static let folder: URL? = {
    var folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let manifest = folder.appendingPathComponent("Package.swift").path
      if FileManager.default.fileExists(atPath: manifest) { break }
    }
    let corpus = folder.deletingLastPathComponent().appendingPathComponent("shared/corpus")
    return FileManager.default.fileExists(atPath: corpus.path) ? corpus : nil
  }()

  static let isPresent = folder != nil

  /// The paths of all patterns below the folder.
  static let paths: [String] = {
    guard let folder, let files = FileManager.default.enumerator(atPath: folder.path) else {
      return []
    }
    return files.compactMap { $0 as? String }.filter { $0.hasSuffix(".ahap") }.sorted()
  }()

  static func pattern(_ path: String) throws -> HapticPattern {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    let data = try Data(contentsOf: folder.appendingPathComponent(path))
    return try AHAPReader.read([UInt8](data), fileName: path).pattern
  }
}
