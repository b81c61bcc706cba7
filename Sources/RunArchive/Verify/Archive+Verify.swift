// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Glibc

/// What looking at every file of an archive came to.
public struct Verification: Sendable, Equatable {
  /// Something that is not as it was written.
  public struct Finding: Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, as one word for programs.
    public enum Kind: String, Sendable, CaseIterable {
      /// A file that the record names is not there, or a run that the index knows.
      case missing
      /// A file has other bytes than the record says, or a record others than the index.
      case changed
      /// A file that the record does not name.
      case extra
      /// Something that cannot be read.
      case unreadable
    }

    /// What is wrong.
    public var kind: Kind
    /// The run; empty where it is the index.
    public var run: String
    /// The file in its folder; `nil` where it is the whole run.
    public var file: String?
    /// One sentence, without the place.
    public var message: String

    /// The place and the sentence.
    public var description: String {
      let place = run.isEmpty ? ArchiveLocation.indexFile : run + (file.map { "/" + $0 } ?? "")
      return "\(kind.rawValue): \(place): \(message)"
    }
  }

  /// Runs that were looked at.
  public var runs = 0
  /// Files whose hash was compared.
  public var files = 0
  /// Their bytes.
  public var bytes = 0
  /// Recordings that were pruned on purpose.
  public var pruned = 0
  /// Runs whose records name no hashes: an earlier version made them.
  public var withoutHashes: [String] = []
  /// What is wrong, run by run.
  public var findings: [Finding] = []

  /// Whether everything is as it was written.
  public var isSound: Bool { findings.isEmpty }

  mutating func add(_ kind: Finding.Kind, _ run: String, _ file: String?, _ message: String) {
    findings.append(Finding(kind: kind, run: run, file: file, message: message))
  }
}

extension Archive {
  /// Compares every file of every run with the hashes in its record, and every record with the index.
  ///
  /// Reads the whole archive, some 300 MB a second; `progress` is told how many runs were looked at of how many.
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
    let calibrations = try ask { index throws(IndexFault) in
      try index.calibrationIDs(in: place)
    }
    for id in calibrations.sorted() where !Folder.isFolder(location.folder + "/" + id) {
      verification.add(
        .missing, id, nil,
        "the calibration is in the index and its folder is gone: bring it back, or forget it with "
          + "haprig archive rebuild")
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
