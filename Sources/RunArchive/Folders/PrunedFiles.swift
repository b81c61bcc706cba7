import JSONText

/// What was taken out of a run's folder on purpose: `pruned.json` in it.
///
/// It is written before anything is removed, so that a file that is missing is either named here or lost.
struct PrunedFiles {
  static let file = "pruned.json"
  private static let schema = "haprig.pruned/1"
  private static let limit = 16 << 20

  var date: String
  var names: Set<String>

  /// Reads the account of a run's folder; empty where nothing was removed.
  static func read(in folder: String) throws(ArchiveError) -> PrunedFiles {
    let path = folder + "/" + file
    guard let bytes = try StoredFile.bytes(file, in: folder, limit: limit) else {
      return PrunedFiles(date: "", names: [])
    }
    do {
      let field = JSONField(root: try JSONDocument(bytes).root, of: .init(name: "account"))
      let schemaField = try field["schema"]
      guard try schemaField.string() == schema else {
        throw schemaField.error("schema must be '\(schema)'")
      }
      var names: Set<String> = []
      for name in try field["files"].elements() { names.insert(try name.string()) }
      return PrunedFiles(date: try field["date"].string(), names: names)
    } catch {
      throw ArchiveError(path: path, message: "\(error)")
    }
  }

  /// Writes the account into a run's folder; `path` is what people call it.
  func write(in folder: borrowing OpenFolder, path: String) throws(ArchiveError) {
    let json: JSONValue = [
      "schema": .string(Self.schema), "date": .string(date),
      "files": .array(names.sorted().map { .string($0) }),
    ]
    do throws(ArchiveError) {
      try AtomicFile.write(
        json.text(indent: 1, sortedKeys: true) + "\n", to: folder.pinnedPath + "/" + Self.file)
    } catch {
      throw ArchiveError(path: path + "/" + Self.file, message: error.message)
    }
  }
}
