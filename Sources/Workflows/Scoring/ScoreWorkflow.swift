// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Actuators
import Bench
import Devices
import Glibc
import HapticRendering
import JSONText
import LiveRuns
import Paths
import Perception
import Profiles
import Reporting
package import RunArchive
import SoundFiles
import Units

package enum ScoreWorkflow {
  package struct Outcome: Sendable {
    package let folder: String
    package let old: RunRecord
    /// The record as it is measured now.
    package let new: RunRecord
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
    let plan = stored.record.plan.name
    user.tell(
      .work(
        LiveEvent.Work(
          rig: stored.record.rig.name, plan: plan, title: "score \(plan)",
          patterns: stored.record.patterns.map(\.name),
          archive: Host.fromRoot(FilePath.folder(of: stored.folder)))))
    guard let inputs = stored.record.inputs else {
      throw InputError("\(folder): the record names no inputs")
    }
    var (record, figures) = try RunRescore.execute(
      stored.record, subject: try stored.subject(inputs), control: try stored.control(inputs),
      software: user.software, read: stored.sound)
    // As a run does: the views are made of a record that names all other files, and named then.
    let named = record.header.files.map(\.name)
    let names = RunViews.names.filter { named.isEmpty || named.contains($0) }
    record.header.files.removeAll { RunViews.isView($0.name) }
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
    for (name, text) in views {
      let path = target + "/" + name
      try Folder.make(FilePath.folder(of: path))
      try AtomicFile.write(text, to: path)
    }
    try AtomicFile.write(new.text, to: target + "/" + RunFolder.recordFile)
  }

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
      [
        reading.name.description, reading.pattern, reading.take.map { "take \($0)" },
        reading.event.map { "event \($0)" },
      ].compactMap(\.self).joined(separator: ", ")
    }
    func value(_ reading: Reading?) -> String {
      guard let reading else { return "no reading" }
      guard let value = reading.value else { return "not measured (\(reading.note ?? ""))" }
      return "\(value) ± \(reading.uncertainty ?? 0) \(reading.unit.rawValue)"
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

/// What a run's folder holds, read for measuring it again: nothing outside of it is looked at.
struct StoredInputs {
  let folder: String
  let record: RunRecord
  let text: [UInt8]

  /// Reads the record of a run's folder, of so many bytes at most.
  static func record(of folder: String, limit: Int) throws -> (text: [UInt8], record: RunRecord) {
    try RunFolder.refuseLink(plain(folder))
    let file = folder + "/" + RunFolder.recordFile
    let text = try RegularFile(path: file).bytes(limit: limit)
    return (text, try InputError.naming(file + ":") { try RunRecord(parsing: text) })
  }

  init(folder: String) throws {
    self.folder = Self.plain(folder)
    let file = self.folder + "/" + RunFolder.recordFile
    (text, record) = try Self.record(of: self.folder, limit: 64 << 20)
    guard record.imported == nil else {
      throw InputError(
        "\(file): the run was imported, not measured: there are no recordings to score")
    }
    guard record.inputs != nil, !record.header.files.isEmpty else {
      throw InputError(
        "\(file): the folder holds no copies of the run's inputs: an older version of haprig wrote it"
      )
    }
    try checkFiles()
  }

  /// A folder's path without slashes and dots behind it, which would hide that it is a link.
  static func plain(_ folder: String) -> String {
    var path = folder
    while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
    return path
  }

  private func checkFiles() throws {
    let found = try RunFolder.contents(of: folder)
    for file in record.header.files where !RunViews.isView(file.name) {
      let path = folder + "/" + file.name
      guard let now = found.first(where: { $0.name == file.name }) else {
        throw InputError(
          "\(path): the file is missing: the record names it with \(file.bytes) bytes")
      }
      guard now.sha256 == file.sha256 else {
        throw InputError(
          "\(path): the file was changed since the run: its SHA-256 is \(now.sha256), and the record "
            + "says \(file.sha256)")
      }
    }
  }

  /// A file that the record names, by its path; one that lies elsewhere is refused.
  private func path(of name: String) throws(InputError) -> String {
    guard record.header.files.contains(where: { $0.name == name }) else {
      throw InputError("\(folder): the record names the file '\(name)' and no hash of it")
    }
    let path = folder + "/" + name
    guard try RegularFile(path: path).lies(below: folder) else {
      throw InputError("\(path): a link leads out of the run's folder")
    }
    return path
  }

  func subject(_ inputs: RunRecord.Inputs) throws -> RunRescore.Subject {
    try subject(
      inputs, rig: inputs.rig,
      actuator: StudyMark.described(record.actuator.id, in: record.header.environment),
      profile: inputs.profile, record.patterns)
  }

  func control(_ inputs: RunRecord.Inputs) throws -> RunRescore.Subject? {
    guard let file = inputs.controlRig, let control = record.control,
      let actuator = control.actuator
    else { return nil }
    return try subject(inputs, rig: file, actuator: actuator.id, profile: nil, control.patterns)
  }

  private func subject(
    _ inputs: RunRecord.Inputs, rig name: String, actuator: String, profile: String?,
    _ played: [RunRecord.Pattern]
  ) throws -> RunRescore.Subject {
    let file = try path(of: name)
    let rig = try RigFolder(file: file).read().rig.focused(on: actuator, path: file)
    let laws = try RequestedLaws(record: inputs.options)
    let profile = try profile.map { try LoadedProfile(file: try path(of: $0)).profile }
    return RunRescore.Subject(
      builder: TakeBuilder(
        rig: rig, laws: laws.configuration, profile: profile, hasProbe: record.plan.probe),
      target: profile?.laws.target ?? laws.target,
      patterns: try patterns(played, inputs, rig: rig))
  }

  private func patterns(
    _ played: [RunRecord.Pattern], _ inputs: RunRecord.Inputs, rig: RigDescription
  ) throws -> [LoadedPattern] {
    var loader = PatternLoader(rate: rig.drive.rate)
    loader.reading.isStrict = inputs.options["strict"]?.bool ?? false
    return try played.map { pattern in
      guard let input = pattern.input else {
        throw InputError("\(folder): the record names no copy of the pattern '\(pattern.name)'")
      }
      var sounds: [String: String] = [:]
      for (name, file) in input.sounds { sounds[name] = try path(of: file) }
      loader.soundFiles = sounds
      let entry = try PatternSet.expand([try path(of: input.file)])
      return try loader.load(entry[0])
    }
  }

  /// What charts were drawn by: what the run's own page holds, or the file beside its pages, so that it can be written again to the same bytes
  /// on any machine; the installed one where that page is missing or was changed.
  var charts: ChartLibrary? {
    let names = [HTMLReport.chartsFile, "report.html"]
    let files = names.compactMap { name in record.header.files.first { $0.name == name } }
    guard let file = files.first,
      let page = try? RegularFile(path: folder + "/" + file.name).bytes(limit: 256 << 20)
    else { return InstalledCharts.library }
    let text = String(decoding: page, as: UTF8.self)
    guard ContentHash(of: text).description == file.sha256 else { return InstalledCharts.library }
    return file.name == HTMLReport.chartsFile
      ? ChartLibrary(text) : ChartLibrary(ofPage: text)
  }

  func sound(_ name: String, _ channels: [RunRecord.FileChannel]) throws -> RecordedSound {
    let path = try path(of: name)
    let file = try RegularFile(path: path)
    return try RecordedSound(descriptor: file.descriptor, name: path, channels: channels)
  }
}

package struct RunExport: Sendable {
  package enum Format: String, Sendable, CaseIterable {
    case wav
    case mat
    /// Universal file, dataset 58.
    case uff58
    /// Text with the time of the pattern in seconds.
    case csv
  }

  private let folder: String
  private let out: String
  private let format: Format
  private let record: RunRecord

  package init(folder: String, out: String, format: Format) throws {
    self.folder = folder
    self.out = out
    self.format = format
    record = try StoredInputs.record(of: folder, limit: 256 << 20).record
  }

  package func write() throws -> [String] {
    try Folder.make(out)
    var names: [String] = []
    for pattern in record.patterns {
      for take in pattern.takes {
        guard let stem = stem(of: take) else { continue }
        names += try write(take, of: pattern, stem: stem)
      }
    }
    guard !names.isEmpty else {
      throw InputError(
        "\(folder): the run kept no recordings, so there is nothing to export: a plan keeps them "
          + "unless it says 'recordings: false'")
    }
    try AtomicFile.write(ReadingsCSV.text(record: record), to: out + "/readings.csv")
    return names + ["readings.csv"]
  }

  private func stem(of take: RunRecord.Take) -> String? {
    for (file, end) in [(take.drive, "-drive"), (take.response, "-response")] {
      guard let name = file.map(FilePath.stem(of:)) else { continue }
      return name.hasSuffix(end) ? String(name.dropLast(end.count)) : name
    }
    return nil
  }

  private func write(
    _ take: RunRecord.Take, of pattern: RunRecord.Pattern, stem: String
  ) throws -> [String] {
    let drive = try take.drive.map { try columns(of: $0, take.driveChannels) }
    let response = try take.response.map { try columns(of: $0, take.responseChannels) }
    var parts: [(name: String, rate: SampleRate, columns: [SignalTable.Column])] = []
    if let drive, let response, drive.rate == response.rate {
      // The capture decides how long the take is: what was sent is silent beyond its end.
      let count = response.columns.first?.samples.count ?? 0
      let sent = drive.columns.map { column in
        SignalTable.Column(
          name: "drive \(column.name)", unit: column.unit,
          samples: Array(column.samples.prefix(count))
            + [Float](repeating: 0, count: max(0, count - column.samples.count)))
      }
      parts = [(stem, response.rate, sent + response.columns)]
    } else {
      if let drive { parts.append((stem + "-drive", drive.rate, drive.columns)) }
      if let response { parts.append((stem + "-response", response.rate, response.columns)) }
    }
    return try parts.map { part in
      let table = SignalTable(
        title: "\(record.rig.name) \(record.actuator.id) \(pattern.name) take \(take.number)",
        date: record.header.date, rate: part.rate, origin: take.patternFrame,
        columns: part.columns)
      return try write(table, to: part.name)
    }
  }

  private func write(_ table: SignalTable, to name: String) throws -> String {
    let file = name + "." + (format == .uff58 ? "uff" : format.rawValue)
    let path = out + "/" + file
    switch format {
    case .wav, .mat:
      let signals = table.columns.map {
        Signal(samples: $0.samples, rate: table.rate, unit: $0.unit)
      }
      try SoundFile.write(
        path: path, signals: signals, format: format == .mat ? .matlab : .wavFloat)
    case .uff58: try AtomicFile.write(table.universalFile, to: path)
    case .csv: try AtomicFile.write(table.csv, to: path)
    }
    return file
  }

  private func columns(
    of file: String, _ channels: [RunRecord.FileChannel]
  ) throws -> (rate: SampleRate, columns: [SignalTable.Column]) {
    let path = folder + "/" + file
    let recording = try RegularFile(path: path)
    guard recording.lies(below: folder) else {
      throw InputError("\(path): the record names a file outside of its run's folder")
    }
    // Tables hold every sample in memory.
    let sound = try RecordedSound(
      descriptor: recording.descriptor, name: path, channels: channels, limit: .wholeRecording)
    let columns = zip(channels, sound.channels).map {
      SignalTable.Column(name: $0.name, unit: $0.unit, samples: $1[$1.indices])
    }
    return (sound.info.rate, columns)
  }
}
