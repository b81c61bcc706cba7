// SPDX-License-Identifier: Apache-2.0

public import Acceptance
import Actuators
import ChangeDetection
private import Glibc
import SeededRandom
import Units

/// Nights of runs as an archive holds them: a folder with a `record.json` and a `report.html` a run, made up from a
/// seed.
public struct RecordedNights: Sendable {
  /// One reading, night by night.
  public struct Series: Sendable {
    /// The reading.
    public var name: ReadingName
    /// The pattern; `nil` for a reading of the whole run.
    public var pattern: String?
    /// The level.
    public var level: Double
    /// The standard deviation of a night.
    public var spread: Double
    /// The night from which the level is another one, and by how much.
    public var steps: [(night: Int, size: Double)]

    /// Makes a series.
    public init(
      _ name: ReadingName, pattern: String? = nil, level: Double, spread: Double,
      steps: [(night: Int, size: Double)] = []
    ) {
      self.name = name
      self.pattern = pattern
      self.level = level
      self.spread = spread
      self.steps = steps
    }
  }

  /// The rig's name.
  public var rig = "bench"
  /// The actuator's id.
  public var actuator = "lra-1"
  /// The plan's name.
  public var plan = "nightly"
  /// The first night, in days since 1970-01-01.
  public var firstDay = 20_500
  /// How many nights.
  public var count = 60
  /// How many runs a night.
  public var repeats = 3
  /// The seed of the scatter.
  public var seed: UInt64 = 1
  /// The readings.
  public var series: [Series]
  /// What the plan asks.
  public var limits: [Limit] = []
  /// What the runs of a night were made in.
  public var environment: @Sendable (Int) -> [String: String] = { _ in ["kernel": "6.1"] }

  /// Makes nights of some readings.
  public init(_ series: [Series]) { self.series = series }

  /// A tap's latency of 10 ms and the control's of 8.3 ms, each with a standard deviation of 1 %.
  public static func latency(
    steps: [(night: Int, size: Double)] = [], controlSteps: [(night: Int, size: Double)] = []
  ) -> RecordedNights {
    RecordedNights([
      Series(
        ReadingName(.latencyOnset), pattern: "tap", level: 0.01, spread: 0.0001, steps: steps),
      Series(
        ReadingName(.latencyElectrical, isControl: true), level: 0.0083, spread: 0.000083,
        steps: controlSteps),
    ])
  }

  /// The day of a night, as `2026-02-16`.
  public func day(of night: Int) -> String { CalendarDay(number: firstDay + night).description }

  /// The id of a run.
  public func id(night: Int, repeat number: Int = 0) -> String {
    "\(day(of: night).filter { $0 != "-" })-02000\(number)-\(rig)-\(plan)"
  }

  /// Writes the runs of all nights, or of some.
  ///
  /// - Parameters:
  ///   - folder: The archive's folder, which is there.
  ///   - nights: Which nights; all where nothing is said.
  public func write(to folder: String, nights: Range<Int>? = nil) {
    var random = SeededRandom(seed: seed)
    for night in 0..<count {
      let levels = series.map { series in
        series.level + series.spread * random.gaussian()
          + series.steps.reduce(0) { $0 + (night >= $1.night ? $1.size : 0) }
      }
      for number in 0..<repeats {
        let values = zip(series, levels).map { $1 + 0.2 * $0.spread * random.gaussian() }
        guard nights?.contains(night) ?? true else { continue }
        write(record(night: night, repeat: number, values: values), to: folder)
      }
    }
  }

  /// Writes a run that repeats another.
  public func writeRerun(of night: Int, values: [Double], to folder: String) {
    var record = record(night: night, repeat: 9, values: values)
    record.header.environment["rerun"] = id(night: night)
    write(record, to: folder)
  }

  /// The record of a run.
  public func record(night: Int, repeat number: Int = 0, values: [Double]) -> RunRecord {
    let readings = zip(series, values).map { series, value in
      var reading = Reading(
        series.name.kind, pattern: series.pattern, value: value,
        uncertainty: 0.1 * series.spread, count: 5)
      reading.name = series.name
      return reading
    }
    let patterns = Set(series.compactMap(\.pattern)).sorted().map { name in
      RunRecord.Pattern(
        name: name, file: name + ".ahap", duration: 1, events: 1, diagnostics: [], takes: [])
    }
    var record = RunRecord(
      header: .init(
        date: "\(day(of: night))T02:00:0\(number)Z", host: "lab", duration: 60,
        folder: id(night: night, repeat: number), environment: environment(night)),
      run: .init(
        status: .complete, software: "haprig 0.1.0", seed: 1, laws: [:], referenceLevel: 30,
        calibration: "uncalibrated"),
      rig: .init(
        name: rig, device: "simulated", rate: 48_000, fullScaleVolts: 4, driveChannels: [:]),
      actuator: .init(
        id: actuator, model: "coin LRA", kind: .lra, limits: .init(continuousVolts: 2, peakVolts: 4)
      ),
      plan: Plan(name: plan, limits: limits), patterns: patterns, readings: readings,
      verdict: .pass)
    record.judge()
    return record
  }

  private func write(_ record: RunRecord, to folder: String) {
    let path = folder + "/" + record.header.folder
    mkdir(path, 0o755)
    for (name, text) in [
      ("report.html", "<title>\(record.header.folder)</title>\n"), ("record.json", record.text),
    ] {
      guard let file = fopen(path + "/" + name, "w") else { return }
      fputs(text, file)
      fclose(file)
    }
  }
}
