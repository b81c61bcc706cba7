// SPDX-License-Identifier: Apache-2.0

public import AHAP
import Foundation

/// The published AHAP files that lie beside the repository, where they are there.
public enum Corpus {
  private static let folder: URL? = {
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

  /// Whether the files are there.
  public static let isPresent = folder != nil

  /// The fields of the index, a list for each file; the first is the path.
  public static let index: [[String]] = {
    guard let folder,
      let text = try? String(
        contentsOf: folder.appendingPathComponent("INDEX.tsv"), encoding: .utf8)
    else { return [] }
    return text.split(separator: "\n").dropFirst().map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }()

  /// The paths of all files.
  public static let paths = index.compactMap(\.first)

  /// Reads a file.
  public static func bytes(_ path: String) throws -> [UInt8] {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
  }

  /// Reads a file as a pattern.
  public static func read(_ path: String, mode: AHAPMode = .apple) throws -> AHAPDocument {
    try AHAPReader.read(try bytes(path), fileName: path, options: AHAPOptions(mode: mode))
  }

  /// Reads a file as a pattern, without what there is to say about it.
  public static func pattern(_ path: String) throws -> HapticPattern { try read(path).pattern }
}
