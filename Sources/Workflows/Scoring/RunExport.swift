import Acceptance
import Actuators
import Bench
import Glibc
import Reporting
import RunArchive
import SoundFiles
import Units

/// The recordings and readings of a run in the formats of programs that analyse elsewhere.
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

  private static let largestRecord = 256 << 20

  /// Reads the record of a run's folder; `out` is the folder that files are written to.
  package init(folder: String, out: String, format: Format) throws {
    self.folder = folder
    self.out = out
    self.format = format
    try RunFolder.refuseLink(StoredInputs.plain(folder))
    let path = folder + "/" + RunFolder.recordFile
    let bytes = try RegularFile(path: path).bytes(limit: Self.largestRecord)
    do throws(RunRecordError) {
      record = try RunRecord(parsing: bytes)
    } catch {
      throw InputError("\(path):\(error)")
    }
  }

  /// Writes a file for each take and `readings.csv`, and gives their names.
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
    for (file, end) in [(take.drive, "-drive.wav"), (take.response, "-response.wav")] {
      if let file { return file.hasSuffix(end) ? String(file.dropLast(end.count)) : file }
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
    let sound = try SoundFile.read(descriptor: recording.descriptor, name: path)
    guard sound.channels.count == channels.count else {
      throw InputError(
        "\(path): the record names \(channels.count) channels, and the file holds "
          + "\(sound.channels.count): was it replaced?")
    }
    let columns = zip(channels, sound.channels).map {
      SignalTable.Column(name: $0.name, unit: $0.unit, samples: $1.samples)
    }
    return (sound.info.rate, columns)
  }
}
