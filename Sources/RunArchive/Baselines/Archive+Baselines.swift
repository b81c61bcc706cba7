import Glibc
import JSONText

extension Archive {
  /// The folder in the archive's that baselines lie in, a file each.
  public static let baselineFolder = "baselines"

  /// How many baselines are read at most.
  private static let mostBaselines = 10_000

  /// Every baseline with the name of its file, in the order in which they were given.
  ///
  /// - Throws: `ArchiveError` at the first file that is none: a decision that cannot be read is not passed
  ///   over.
  public func baselines() throws(ArchiveError) -> [(file: String, baseline: Baseline)] {
    let folder = baselineFolder
    guard access(folder, F_OK) == 0 else { return [] }
    let names = try Folder.names(in: folder).filter { $0.hasSuffix(".json") }
    guard names.count <= Self.mostBaselines else {
      throw ArchiveError(
        path: folder,
        message: "it holds \(names.count) baselines, and at most \(Self.mostBaselines) are read")
    }
    var found: [(file: String, baseline: Baseline)] = []
    for name in names {
      let path = folder + "/" + name
      guard let bytes = try StoredFile.bytes(path, limit: 1 << 16) else { continue }
      found.append((name, try Baseline(parsing: bytes, path: path)))
    }
    return found.sorted { ($0.baseline.given, $0.file) < ($1.baseline.given, $1.file) }
  }

  /// The baseline of a series: of those that apply, the one that was given last.
  public func baseline(for key: SeriesKey) throws(ArchiveError) -> Baseline? {
    try baselines().last { $0.baseline.applies(to: key) }?.baseline
  }

  /// Says that what is measured from a day on is how it should be.
  ///
  /// - Parameter baseline: An accepted baseline.
  /// - Returns: The name of its file.
  /// - Throws: `ArchiveError` where it is of the other kind, or cannot be written.
  @discardableResult
  public func acceptBaseline(_ baseline: Baseline) throws(ArchiveError) -> String {
    guard baseline.kind == .accepted else {
      throw ArchiveError(
        path: "baseline", message: "a baseline that names a run is pinned, not accepted")
    }
    return try write(baseline)
  }

  /// Makes the values of one run what later nights are compared with, and keeps the run from pruning.
  ///
  /// - Parameter baseline: A pinned baseline.
  /// - Returns: The name of its file.
  /// - Throws: `ArchiveError` where the run is not in the archive, or of another rig.
  @discardableResult
  public func pin(_ baseline: Baseline) throws(ArchiveError) -> String {
    guard baseline.kind == .pinned, let id = baseline.run else {
      throw ArchiveError(path: "baseline", message: "a baseline is pinned to a run: name it")
    }
    guard let run = try runs(matching: RunFilter(ids: [id])).first else {
      throw ArchiveError(
        path: location.folder + "/" + id,
        message: "there is no such run in the archive: haprig archive list shows them")
    }
    guard run.rig == baseline.rig else {
      throw ArchiveError(
        path: location.folder + "/" + id,
        message: "the run is of the rig \(run.rig), and the baseline of \(baseline.rig)")
    }
    return try write(baseline)
  }

  /// Takes a baseline back.
  ///
  /// - Parameter file: The name of its file, as `baselines()` gives it.
  /// - Throws: `ArchiveError` where there is none of this name.
  public func withdrawBaseline(_ file: String) throws(ArchiveError) {
    let path = baselineFolder + "/" + file
    guard StoredRun.isName(file), file.hasSuffix(".json"), unlink(path) == 0 else {
      throw ArchiveError(
        path: path, message: "there is no such baseline: haprig baseline list shows them")
    }
    Folder.sync(baselineFolder)
  }

  private var baselineFolder: String { location.folder + "/" + Self.baselineFolder }

  /// Named by when it was given and by what it says: two at once do not meet.
  private func write(_ baseline: Baseline) throws(ArchiveError) -> String {
    let text = baseline.json.text(indent: 1, sortedKeys: true) + "\n"
    let stamp = String(baseline.given.description.filter { $0 != "-" && $0 != ":" })
    let name = "\(stamp)-\(ContentHash(of: text).description.prefix(8)).json"
    try Folder.make(baselineFolder)
    try AtomicFile.write(text, to: baselineFolder + "/" + name)
    Folder.sync(baselineFolder)
    return name
  }
}
