public import JSONText
public import Units

/// The immutable account of one run: inputs, identities, readings, verdicts, files.
///
/// Equal inputs, seeds and profiles give equal records but for `header`.
public struct RunRecord: Sendable, Equatable {
  /// The schema's name and version: readers accept a record of the same name and first number.
  public static let schema = "haprig.run/1"

  /// What differs between two runs of the same inputs.
  public struct Header: Sendable, Equatable {
    /// When the run began, ISO 8601 in UTC.
    public var date: String
    /// The machine's name.
    public var host: String
    /// How long the run took, in seconds.
    public var duration: Double
    /// The name of the run's folder.
    public var folder: String

    /// Makes a header.
    public init(date: String, host: String, duration: Double, folder: String) {
      self.date = date
      self.host = host
      self.duration = duration
      self.folder = folder
    }
  }

  /// How a run ended.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case complete
    case interrupted
    case fault
  }

  /// The run: how it ended and under which laws it was made.
  public struct Run: Sendable, Equatable {
    /// How it ended.
    public var status: Status
    /// Why, where it did not end well.
    public var reason: String?
    /// The version of haprig.
    public var software: String
    /// The seed.
    public var seed: UInt64
    /// The laws by their names: `intensity`, `sharpness`, `transient`, `envelope`, `contour`, ...
    public var laws: [String: String]
    /// The level that intensity 1 stands for, in dB above threshold.
    public var referenceLevel: Double
    /// The profile's name, or `uncalibrated`.
    public var calibration: String

    /// Makes an account.
    public init(
      status: Status, reason: String? = nil, software: String, seed: UInt64,
      laws: [String: String], referenceLevel: Double, calibration: String
    ) {
      self.status = status
      self.reason = reason
      self.software = software
      self.seed = seed
      self.laws = laws
      self.referenceLevel = referenceLevel
      self.calibration = calibration
    }
  }

  /// The rig as it was described.
  public struct Rig: Sendable, Equatable {
    /// The rig's name.
    public var name: String
    /// The kind of the drive device.
    public var device: String
    /// The nominal rate in hertz.
    public var rate: Double
    /// The peak voltage of a drive of 1.
    public var fullScaleVolts: Double
    /// The roles of the drive's channels, counted from 1.
    public var driveChannels: [String: Int]

    /// Makes an account.
    public init(
      name: String, device: String, rate: Double, fullScaleVolts: Double,
      driveChannels: [String: Int]
    ) {
      self.name = name
      self.device = device
      self.rate = rate
      self.fullScaleVolts = fullScaleVolts
      self.driveChannels = driveChannels
    }
  }

  /// The actuator as it was described.
  public struct Actuator: Sendable, Equatable {
    /// The physical piece.
    public var id: String
    /// The type.
    public var model: String
    /// The kind of motor.
    public var kind: String
    /// The effective voltage that it bears for ever.
    public var continuousVolts: Double
    /// The highest voltage at any moment.
    public var peakVolts: Double

    /// Makes an account.
    public init(
      id: String, model: String, kind: String, continuousVolts: Double, peakVolts: Double
    ) {
      self.id = id
      self.model = model
      self.kind = kind
      self.continuousVolts = continuousVolts
      self.peakVolts = peakVolts
    }
  }

  /// One channel of a kept recording.
  public struct FileChannel: Sendable, Equatable {
    /// The name.
    public var name: String
    /// The unit of the samples.
    public var unit: MeasurementUnit

    /// Makes a channel.
    public init(name: String, unit: MeasurementUnit) {
      self.name = name
      self.unit = unit
    }
  }

  /// One repeat of a pattern: its files and what kept events from being measured.
  public struct Take: Sendable, Equatable {
    /// The repeat, from 1.
    public var number: Int
    /// The drive as sent, a file in the run's folder, with its channels.
    public var drive: String?
    /// The channels of the drive's file.
    public var driveChannels: [FileChannel]
    /// The response as captured, a file in the run's folder.
    public var response: String?
    /// The channels of the response's file.
    public var responseChannels: [FileChannel]
    /// The drive frame at which the pattern's time is 0.
    public var patternFrame: Int
    /// The events that were not measured, each with the reason.
    public var rejected: [(event: Int, reason: String)]
    /// How the devices' stream went, in the form of docs/FILE-FORMATS.md; `nil` where they kept no
    /// account of it.
    public var stream: JSONValue?

    /// Makes an account of a take.
    public init(
      number: Int, drive: String?, driveChannels: [FileChannel], response: String?,
      responseChannels: [FileChannel], patternFrame: Int,
      rejected: [(event: Int, reason: String)], stream: JSONValue? = nil
    ) {
      self.number = number
      self.drive = drive
      self.driveChannels = driveChannels
      self.response = response
      self.responseChannels = responseChannels
      self.patternFrame = patternFrame
      self.rejected = rejected
      self.stream = stream
    }

    /// Two takes are equal when all they say is.
    public static func == (left: Take, right: Take) -> Bool {
      left.number == right.number && left.drive == right.drive
        && left.driveChannels == right.driveChannels && left.response == right.response
        && left.responseChannels == right.responseChannels
        && left.patternFrame == right.patternFrame && left.stream == right.stream
        && left.rejected.map(\.event) == right.rejected.map(\.event)
        && left.rejected.map(\.reason) == right.rejected.map(\.reason)
    }
  }

  /// One pattern: what was read and which takes were made of it.
  public struct Pattern: Sendable, Equatable {
    /// The name, unique in the run.
    public var name: String
    /// The file as it was named.
    public var file: String
    /// The pattern's duration in seconds.
    public var duration: Double
    /// How many events it has.
    public var events: Int
    /// What the reader found, one sentence each with its place.
    public var diagnostics: [String]
    /// The takes in the order they were made.
    public var takes: [Take]
    /// The heaviest verdict of its readings; `nil` where nothing was judged.
    public var verdict: Verdict?

    /// Makes an account of a pattern.
    public init(
      name: String, file: String, duration: Double, events: Int, diagnostics: [String],
      takes: [Take], verdict: Verdict? = nil
    ) {
      self.name = name
      self.file = file
      self.duration = duration
      self.events = events
      self.diagnostics = diagnostics
      self.takes = takes
      self.verdict = verdict
    }
  }

  /// What differs between two runs of the same inputs.
  public var header: Header
  /// The run.
  public var run: Run
  /// The rig.
  public var rig: Rig
  /// The actuator under test.
  public var actuator: Actuator
  /// The plan.
  public var plan: Plan
  /// The patterns in the order they were played.
  public var patterns: [Pattern]
  /// Every reading.
  public var readings: [Reading]
  /// The run's verdict.
  public var verdict: Verdict

  /// Makes a record.
  public init(
    header: Header, run: Run, rig: Rig, actuator: Actuator, plan: Plan, patterns: [Pattern],
    readings: [Reading], verdict: Verdict
  ) {
    self.header = header
    self.run = run
    self.rig = rig
    self.actuator = actuator
    self.plan = plan
    self.patterns = patterns
    self.readings = readings
    self.verdict = verdict
  }
}
