import Acceptance
import Actuators
import Bench
import Devices
import HapticRendering
import JSONText
import Perception
import Profiles
import Reporting
import RunArchive
import SoundFiles

/// What a run's folder holds, read for measuring it again: nothing outside of it is looked at.
struct StoredInputs {
  let folder: String
  let record: RunRecord
  /// The text of the record as it lies in the folder.
  let text: [UInt8]

  /// The most bytes of a record.
  private static let recordLimit = 64 << 20
  /// The most bytes of a page.
  private static let pageLimit = 256 << 20

  /// Reads the record of a folder and makes sure that every file is the one that the record names.
  init(folder: String) throws {
    let path = Self.plain(folder)
    self.folder = path
    try RunFolder.refuseLink(path)
    let file = path + "/" + RunFolder.recordFile
    text = try RegularFile(path: file).bytes(limit: Self.recordLimit)
    do {
      record = try RunRecord(parsing: text)
    } catch {
      throw InputError("\(file):\(error)")
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

  /// Names the first file that is not what it was.
  private func checkFiles() throws {
    let found = try RunFolder.contents(of: folder)
    for file in record.header.files where !RunViews.names.contains(file.name) {
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

  /// What was played on the rig.
  func subject(_ inputs: RunRecord.Inputs) throws -> RunRescore.Subject {
    let rig = try rig(inputs.rig, actuator: record.actuator.id)
    let laws = try RequestedLaws(record: inputs.options)
    let profile = try inputs.profile.map { name in
      try LoadedProfile(file: try path(of: name))
    }
    let builder = TakeBuilder(
      rig: rig, laws: laws.configuration, profile: profile?.profile, hasProbe: record.plan.probe)
    return RunRescore.Subject(
      builder: builder, target: profile?.profile.laws.target ?? laws.target,
      patterns: try patterns(record.patterns, inputs, rig: rig))
  }

  /// What was played on the control's rig; `nil` where another rig was none.
  func control(_ inputs: RunRecord.Inputs) throws -> RunRescore.Subject? {
    guard let file = inputs.controlRig, let control = record.control,
      let actuator = control.actuator
    else { return nil }
    let rig = try rig(file, actuator: actuator.id)
    let laws = try RequestedLaws(record: inputs.options)
    return RunRescore.Subject(
      builder: TakeBuilder(rig: rig, laws: laws.configuration, hasProbe: record.plan.probe),
      target: laws.target, patterns: try patterns(control.patterns, inputs, rig: rig))
  }

  private func rig(_ name: String, actuator: String) throws -> RigDescription {
    let file = try path(of: name)
    let whole = try RigFolder(file: file).read().rig
    return try whole.focused(on: actuator, path: file)
  }

  private func patterns(
    _ accounts: [RunRecord.Pattern], _ inputs: RunRecord.Inputs, rig: RigDescription
  ) throws -> [LoadedPattern] {
    var loader = PatternLoader(rate: rig.drive.rate)
    loader.isStrict = inputs.options["strict"]?.bool ?? false
    return try accounts.map { account in
      guard let input = account.input else {
        throw InputError("\(folder): the record names no copy of the pattern '\(account.name)'")
      }
      var sounds: [String: String] = [:]
      for (name, file) in input.sounds { sounds[name] = try path(of: file) }
      loader.soundFiles = sounds
      let entry = try PatternSet.expand([try path(of: input.file)])
      return try loader.load(entry[0])
    }
  }

  /// What charts were drawn by: what the run's own page holds, so that it can be written again to the same bytes
  /// on any machine; the installed one where that page is missing or was changed.
  var charts: ChartLibrary? {
    let name = "report.html"
    guard let file = record.header.files.first(where: { $0.name == name }),
      let page = try? RegularFile(path: folder + "/" + name).bytes(limit: Self.pageLimit)
    else { return InstalledCharts.library }
    let text = String(decoding: page, as: UTF8.self)
    guard ContentHash(of: text).description == file.sha256 else { return InstalledCharts.library }
    return ChartLibrary(ofPage: text)
  }

  /// Reads a recording.
  func sound(_ name: String) throws -> RecordedSound {
    try RecordedSound(path: try path(of: name), limit: SoundFile.Limit(bytes: 4 << 30))
  }
}
