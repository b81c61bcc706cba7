package import Acceptance
import Bench
import Paths
package import RunArchive
import Units

package enum ScoreWorkflow {
  package struct Outcome: Sendable {
    package let folder: String
    package let old: RunRecord
    /// The record as it is measured now.
    package let new: RunRecord
    /// Whether the record's text is the same to the last byte.
    package let isSame: Bool
    fileprivate let views: [(name: String, text: String)]
    fileprivate let user: RigOperator
  }

  /// Writes nothing; errors name the folder: of several runs a sentence without it tells nothing.
  package static func execute(folder: String, by user: RigOperator) throws -> Outcome {
    do {
      return try measured(folder, by: user)
    } catch let error as InputError {
      let place = StoredInputs.plain(folder)
      throw error.description.hasPrefix(place) ? error : InputError("\(place): \(error)")
    }
  }

  private static func measured(_ folder: String, by user: RigOperator) throws -> Outcome {
    let stored = try StoredInputs(folder: folder)
    guard let inputs = stored.record.inputs else {
      throw InputError("\(folder): the record names no inputs")
    }
    var (record, figures) = try RunRescore.execute(
      stored.record, subject: try stored.subject(inputs), control: try stored.control(inputs),
      software: user.software, read: stored.sound)
    // As a run does: the views are made of a record that names all other files, and named then.
    let named = record.header.files.map(\.name)
    let names = RunViews.names.filter { named.isEmpty || named.contains($0) }
    record.header.files.removeAll { names.contains($0.name) }
    let views = RunViews.texts(of: record, figures: figures, charts: stored.charts, names: names)
    for (name, text) in views {
      record.header.files.append(
        RunRecord.File(
          name: name, bytes: text.utf8.count, sha256: ContentHash(of: text).description))
    }
    record.header.files.sort {
      Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8))
    }
    return Outcome(
      folder: stored.folder, old: stored.record, new: record,
      isSame: Array(record.text.utf8) == stored.text, views: views, user: user)
  }
}

extension ScoreWorkflow.Outcome {
  /// Writes the record and its views, each whole or not at all; the record last.
  package func write(to target: String) throws(ArchiveError) {
    try Folder.make(target)
    for (name, text) in views { try AtomicFile.write(text, to: target + "/" + name) }
    try AtomicFile.write(new.text, to: target + "/" + RunFolder.recordFile)
  }

  /// Writes them in the run's own folder, and tells the index beside it where there is one.
  package func write() throws(ArchiveError) {
    try write(to: folder)
    let (archive, name) = (FilePath.folder(of: folder), FilePath.name(of: folder))
    guard ((try? Folder.names(in: archive)) ?? []).contains("index.sqlite") else { return }
    do throws(ArchiveError) {
      try Archive.index(name, in: try ArchiveLocation(archive))
    } catch {
      user.notice(.warning, "the record is written, but not indexed yet: \(error)")
    }
  }

  package func differences(limit: Int = 20) -> [String] {
    var lines: [String] = []
    if old.run.software != new.run.software {
      lines.append("scored by \(new.run.software), recorded by \(old.run.software)")
    }
    if old.verdict != new.verdict {
      lines.append("verdict: \(old.verdict.rawValue) -> \(new.verdict.rawValue)")
    }
    func key(_ reading: Reading) -> String {
      var words = [reading.name.description]
      if let pattern = reading.pattern { words.append(pattern) }
      if let take = reading.take { words.append("take \(take)") }
      if let event = reading.event { words.append("event \(event)") }
      return words.joined(separator: ", ")
    }
    func value(_ reading: Reading?) -> String {
      guard let reading else { return "no reading" }
      let number = reading.value.map {
        "\($0) ± \(reading.uncertainty ?? 0) \(reading.unit.rawValue)"
      }
      return number ?? "not measured (\(reading.note ?? ""))"
    }
    let before = Dictionary(old.readings.map { (key($0), $0) }) { first, _ in first }
    let after = Dictionary(new.readings.map { (key($0), $0) }) { first, _ in first }
    for name in before.keys.sorted() where after[name] == nil {
      lines.append("\(name): \(value(before[name])) -> no reading")
    }
    for reading in new.readings {
      let name = key(reading)
      guard before[name] != reading else { continue }
      lines.append("\(name): \(value(before[name])) -> \(value(reading))")
    }
    guard !lines.isEmpty || !isSame else { return [] }
    if lines.isEmpty { lines = ["the text of the record, though no reading does"] }
    let more = lines.count - limit
    return more > 0 ? lines.prefix(limit) + ["and \(more) more"] : lines
  }
}
