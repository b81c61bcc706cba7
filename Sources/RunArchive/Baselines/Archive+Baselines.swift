import ChangeDetection
import Glibc
import JSONText

extension Archive {
  /// The folder in the archive's that decisions about baselines lie in, a file each.
  public static let baselineFolder = "baselines"

  /// How many decisions are read at most.
  private static let mostDecisions = 10_000

  /// Every decision with the name of its file, in the order in which they were given.
  ///
  /// - Throws: `ArchiveError` at the first file that is none: a decision that cannot be read is not passed
  ///   over.
  public func decisions() throws(ArchiveError) -> [(file: String, kept: KeptDecision)] {
    let folder = baselineFolder
    guard let opened = try OpenFolder(folder) else { return [] }
    let names = try Folder.names(in: opened.pinnedPath).filter { $0.hasSuffix(".json") }
    guard names.count <= Self.mostDecisions else {
      throw ArchiveError(
        path: folder,
        message: "it holds \(names.count) baselines, and at most \(Self.mostDecisions) are read")
    }
    var found: [(file: String, kept: KeptDecision)] = []
    for name in names {
      let path = folder + "/" + name
      guard let bytes = try StoredFile.bytes(name, in: folder, limit: 1 << 16) else { continue }
      found.append((name, try KeptDecision(parsing: bytes, path: path)))
    }
    return found.sorted { ($0.kept.given, $0.file) < ($1.kept.given, $1.file) }
  }

  /// Keeps a decision; a run that it pins is never pruned.
  ///
  /// The order of decisions counts, and they are told apart by the second: one that follows another within
  /// it is kept as given a second later.
  ///
  /// - Parameter kept: The decision.
  /// - Returns: The name of its file.
  /// - Throws: `ArchiveError` where the run that it pins is not in the archive, or of another rig, or the
  ///   file cannot be written.
  @discardableResult
  public func keep(_ kept: KeptDecision) throws(ArchiveError) -> String {
    if let id = kept.decision.run {
      let rig = try run(id).rig
      guard rig == kept.decision.scope.rig else {
        throw ArchiveError(
          path: location.folder + "/" + id,
          message: "the run is of the rig \(rig), and the baseline of \(kept.decision.scope.rig)")
      }
    }
    return try write(try kept.apart(from: try decisions().map(\.kept)))
  }

  /// A run by its id.
  ///
  /// - Throws: `ArchiveError` where it is not in the archive.
  public func run(_ id: String) throws(ArchiveError) -> ArchivedRun {
    guard let run = try runs(matching: RunFilter(ids: [id])).first else {
      throw ArchiveError(
        path: location.folder + "/" + id,
        message: "there is no such run in the archive: haprig archive list shows them")
    }
    return run
  }

  /// Takes a decision back.
  ///
  /// - Parameter file: The name of its file, as `decisions()` gives it.
  /// - Throws: `ArchiveError` where there is none of this name.
  public func withdraw(decision file: String) throws(ArchiveError) {
    guard StoredRun.isName(file), file.hasSuffix(".json"),
      let folder = try OpenFolder(baselineFolder), folder.size(of: file) != nil
    else {
      throw ArchiveError(
        path: baselineFolder + "/" + file,
        message: "there is no such baseline: haprig baseline list shows them")
    }
    folder.unlink(file)
    Folder.sync(folder.pinnedPath)
  }

  private var baselineFolder: String { location.folder + "/" + Self.baselineFolder }

  /// Named by when it was given and by what it says: two at once do not meet.
  private func write(_ kept: KeptDecision) throws(ArchiveError) -> String {
    let text = kept.json.text(indent: 1, sortedKeys: true) + "\n"
    let stamp = String(kept.given.description.filter { $0 != "-" && $0 != ":" })
    let name = "\(stamp)-\(ContentHash(of: text).description.prefix(8)).json"
    try Folder.make(baselineFolder)
    guard let folder = try OpenFolder(baselineFolder) else {
      throw ArchiveError(path: baselineFolder, message: "it is no folder: move it away")
    }
    do throws(ArchiveError) {
      try AtomicFile.write(text, to: folder.pinnedPath + "/" + name)
    } catch {
      throw ArchiveError(path: baselineFolder + "/" + name, message: error.message)
    }
    Folder.sync(folder.pinnedPath)
    return name
  }
}
