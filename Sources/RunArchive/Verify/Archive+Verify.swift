import Acceptance
import Glibc

extension Archive {
  /// Compares every file of every run with the hashes in its record, and every record with the index.
  ///
  /// Reads the whole archive, some 300 MB a second.
  ///
  /// - Parameter progress: Called with how many runs were looked at of how many.
  /// - Returns: What is missing, changed, too much or unreadable.
  /// - Throws: `ArchiveError` where the folder or the index cannot be read at all.
  public func verify(
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(ArchiveError) -> Verification {
    var verification = Verification()
    for problem in try ask({ index throws(IndexFault) in try index.selfCheck() }) {
      verification.add(.changed, "", nil, "\(problem): haprig archive rebuild makes it anew")
    }
    let known = try ask { index throws(IndexFault) in try index.hashes(in: place) }
    let names = try Folder.names(in: location.folder).filter { name in
      known[name] != nil || StoredRun.isThere(name, in: location.folder)
        || OpenFolder.isLinkToNoFile(location.folder + "/" + name)
    }
    for (done, name) in names.enumerated() {
      verify(name, indexed: known[name], into: &verification)
      progress(done + 1, names.count)
    }
    let present = Set(names)
    for id in known.keys.sorted() where !present.contains(id) {
      // Pruning that was stopped has hidden it, and goes on when it is called again.
      if access(Self.removedPath(of: id, in: location.folder), F_OK) == 0 { continue }
      verification.add(
        .missing, id, nil,
        "the run is in the index and its folder is gone: bring it back, or forget it with haprig "
          + "archive rebuild")
    }
    return verification
  }

  private func verify(
    _ id: String, indexed: String?, into verification: inout Verification
  ) {
    let folder = location.folder + "/" + id
    do throws(ArchiveError) {
      guard let run = try StoredRun(id, in: location.folder) else {
        if indexed != nil {
          verification.runs += 1
          verification.add(.missing, id, RunFolder.recordFile, "the run has lost its record")
        }
        return
      }
      verification.runs += 1
      if let indexed, indexed != run.hash.description {
        verification.add(
          .changed, id, RunFolder.recordFile,
          "it is not the record that was indexed: haprig archive rebuild takes it as it is now")
      }
      guard !run.record.header.files.isEmpty else {
        verification.withoutHashes.append(id)
        return
      }
      let pruned = try PrunedFiles.read(in: folder)
      // The last is what pruning leaves that is killed while it writes; the next one writes over it.
      var named: Set<String> = [
        RunFolder.recordFile, PrunedFiles.file, PrunedFiles.file + ".partial",
      ]
      for file in run.record.header.files {
        named.insert(file.name)
        compare(file, of: id, isPruned: pruned.names.contains(file.name), into: &verification)
      }
      for name in try Folder.paths(below: folder, hidden: true) where !named.contains(name) {
        verification.add(.extra, id, name, "the record does not name it")
      }
    } catch {
      verification.runs += 1
      let isFolder = error.path == folder
      verification.add(.unreadable, id, isFolder ? nil : RunFolder.recordFile, error.message)
    }
  }

  private func compare(
    _ file: RunRecord.File, of id: String, isPruned: Bool, into verification: inout Verification
  ) {
    let folder = "\(location.folder)/\(id)"
    do throws(ArchiveError) {
      // A file of another size is another file, whatever its hash.
      if let size = try StoredFile.size(file.name, in: folder), size != file.bytes {
        verification.add(
          .changed, id, file.name, "it has \(size) bytes, and the record says \(file.bytes)")
        return
      }
      guard let account = try StoredFile.account(file.name, in: folder) else {
        if isPruned {
          verification.pruned += 1
        } else {
          verification.add(.missing, id, file.name, "the record names it with \(file.bytes) bytes")
        }
        return
      }
      verification.files += 1
      verification.bytes += account.bytes
      if account.hash.description != file.sha256 {
        verification.add(
          .changed, id, file.name,
          "its SHA-256 is \(account.hash), and the record says \(file.sha256)")
      }
    } catch {
      verification.add(.unreadable, id, file.name, error.message)
    }
  }
}
