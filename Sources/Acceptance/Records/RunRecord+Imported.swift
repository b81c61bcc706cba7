// SPDX-License-Identifier: Apache-2.0

import Actuators
import JSONText

extension RunRecord {
  /// Where the readings of a run come from that haprig did not measure: tables of an older or a foreign rig.
  public struct Imported: Sendable, Equatable {
    /// One table.
    public struct Source: Sendable, Equatable {
      /// The file's name, without its folder.
      public var file: String
      /// The SHA-256 of its bytes, 64 hexadecimal digits in lower case.
      public var sha256: String
      /// The rows that the run was made of: lines of a CSV file, entries of a JSON file counted from 1.
      public var rows: [ClosedRange<Int>]

      /// Makes an account of a table.
      public init(file: String, sha256: String, rows: [ClosedRange<Int>]) {
        self.file = file
        self.sha256 = sha256
        self.rows = rows
      }

      static let form = JSONForm(
        Self.init(file:sha256:rows:), ("file", \.file, .string), ("sha256", \.sha256, .string),
        ("rows", \.rows, .list(.ends)))
    }

    /// The tables, at least one.
    public var sources: [Source]
    /// When they were brought in, ISO 8601 in UTC; the run's own date is the measurement's.
    public var date: String
    /// Who brought them in.
    public var who: String

    /// Makes an account of an import.
    public init(sources: [Source], date: String, who: String) {
      self.sources = sources
      self.date = date
      self.who = who
    }

    /// The schema of an imported run's record: its name and version.
    public static let schema = "haprig.imported/1"

    /// The name in a run's environment that tells imported runs from haprig's own; its value is the table's name.
    public static let mark = "imported"

    /// The names in an environment that haprig gives itself.
    public static let reserved: Set<String> = [mark, "rerun", "software", "profile", "host"]

    static let form = JSONForm(
      Self.init(sources:date:who:), ("from", \.sources, .list(Source.form)),
      ("when", \.date, .string), ("by", \.who, .string))
  }

  /// Makes the record of a run that was not measured here: complete, judged by nothing, with no files but its views.
  ///
  /// What the tables do not say of rig, actuator, plan and laws stays empty and is not written.
  public init(
    imported: Imported, date: String, folder: String, environment: [String: String] = [:],
    rig: String, plan: String, actuator: String, software: String, readings: [Reading]
  ) {
    var environment = environment
    environment[Imported.mark] = imported.sources.map(\.file).joined(separator: ", ")
    self.init(
      header: Header(
        date: date, host: "", duration: 0, folder: folder, environment: environment),
      run: Run(
        status: .complete, software: software, seed: 0, laws: [:], referenceLevel: 0,
        calibration: "uncalibrated"),
      rig: Rig(name: rig, device: "", rate: 0, fullScaleVolts: 0, driveChannels: [:]),
      actuator: Actuator(
        id: actuator, model: "", limits: DriveLimits(continuousVolts: 0, peakVolts: 0)),
      plan: Plan(name: plan), patterns: [], readings: readings, verdict: .notMeasured)
    self.imported = imported
  }

  /// What an imported run's record says: of everything else nobody knows anything.
  private static let importedForm = JSONForm(
    { imported, date, folder, environment, files, rig, plan, actuator, software, readings in
      var record = RunRecord(
        imported: imported, date: date, folder: folder, environment: environment, rig: rig,
        plan: plan, actuator: actuator, software: software, readings: readings)
      record.header.files = files
      return record
    },
    ("imported", \.origin, Imported.form), ("date", \.header.date, .string),
    ("folder", \.header.folder, .string),
    ("environment", \.header.environment, .named(.string).or([:])),
    ("files", \.header.files, .list(File.form).or([])), ("rig", \.rig.name, .string),
    ("plan", \.plan.name, .string), ("actuator", \.actuator.id, .string),
    ("software", \.run.software, .string), ("readings", \.readings, .list(Reading.form)))

  private var origin: Imported { imported ?? Imported(sources: [], date: "", who: "") }

  /// The record of an imported run.
  var importedJSON: JSONValue {
    let members = Self.importedForm.json(self).members ?? []
    return .object([JSONMember("schema", .string(Imported.schema))] + members)
  }

  /// Reads an imported run's record; `nil` where the document is of another schema.
  static func importedRun(_ field: JSONField) throws(RunRecordError) -> RunRecord? {
    guard field.node.kind == .object, field.node["schema"]?.matches(Imported.schema) == true
    else { return nil }
    return try importedForm.value(of: field)
  }
}

extension JSONForm<ClosedRange<Int>> {
  /// The two ends, as `[2, 41]`.
  fileprivate static var ends: Self {
    Self { field throws(RunRecordError) in
      let ends = try JSONForm<[Int]>.list(.integer).value(of: field)
      guard ends.count == 2, ends[0] <= ends[1] else {
        throw field.mismatch("two whole numbers, the first not above the second")
      }
      return ends[0]...ends[1]
    } _: {
      .array([.integer($0.lowerBound), .integer($0.upperBound)])
    }
  }
}
