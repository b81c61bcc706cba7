import Acceptance

/// A run's folder as it lies in the archive.
struct StoredRun {
  let id: String
  let record: RunRecord
  let hash: ContentHash

  /// Reads the record of a folder, which is no link; `nil` where the folder is no run's.
  init?(_ id: String, in archive: String) throws(ArchiveError) {
    let folder = archive + "/" + id
    let path = folder + "/" + RunFolder.recordFile
    guard
      let bytes = try StoredFile.bytes(
        RunFolder.recordFile, in: folder, limit: StoredFile.recordLimit)
    else { return nil }
    do throws(RunRecordError) {
      record = try RunRecord(parsing: bytes)
    } catch {
      throw ArchiveError(path: path, message: "\(error)")
    }
    self.id = id
    hash = ContentHash(of: bytes)
  }

  /// What the index keeps of it.
  func entry() throws(ArchiveError) -> RunEntry {
    try RunEntry(record: record, id: id, hash: hash)
  }

  /// Whether a folder of an archive has a record, whatever it says.
  static func isThere(_ id: String, in archive: String) -> Bool {
    isName(id) && RunFolder.isRun("\(archive)/\(id)")
  }

  /// Whether a text can be the name of a run's folder: one component, not hidden.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix(".") && text.utf8.count <= 255
      && !text.utf8.contains { $0 == 0x2F || $0 == 0 }
  }
}
