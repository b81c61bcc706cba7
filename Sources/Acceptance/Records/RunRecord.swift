// SPDX-License-Identifier: Apache-2.0

public import Actuators
import JSONText
public import Units

/// The immutable account of one run: inputs, identities, readings, verdicts, files.
///
/// Equal inputs, seeds and profiles give equal records but for `header`.
public struct RunRecord: Sendable, Equatable {
  /// The schema's name and first number: readers accept every record of both.
  public static let schema = "haprig.run/1"
  /// The schema's second number: raised when a reading that exists gets another definition.
  public static let edition = 1

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
    /// What the run was made in, by name: `kernel`, `alsa-lib`, `revision`, ...; what is not known is absent.
    public var environment: [String: String]
    /// Every file of the run's folder but the record itself; empty where nothing was kept count of.
    public var files: [File]

    /// Makes a header.
    public init(
      date: String, host: String, duration: Double, folder: String,
      environment: [String: String] = [:], files: [File] = []
    ) {
      self.date = date
      self.host = host
      self.duration = duration
      self.folder = folder
      self.environment = environment
      self.files = files
    }

    static let form = JSONForm(
      Self.init(date:host:duration:folder:environment:files:), ("date", \.date, .string),
      ("host", \.host, .string), ("duration", \.duration, .number), ("folder", \.folder, .string),
      ("environment", \.environment, .named(.string).or([:])),
      ("files", \.files, .list(File.form).or([])))
  }

  /// One file of a run's folder, by which it is known again.
  public struct File: Sendable, Hashable {
    /// The path from the run's folder, with `/` between its parts.
    public var name: String
    /// How many bytes it has.
    public var bytes: Int
    /// The SHA-256 of its bytes, 64 hexadecimal digits in lower case.
    public var sha256: String

    /// Makes an account of a file.
    public init(name: String, bytes: Int, sha256: String) {
      self.name = name
      self.bytes = bytes
      self.sha256 = sha256
    }

    static let form = JSONForm(
      Self.init(name:bytes:sha256:), ("name", \.name, .string.checked(checkName)),
      ("bytes", \.bytes, .integer(atLeast: 0)), ("sha256", \.sha256, .string.checked(checkHash)))

    /// Parts that lead up, or an absolute path, would lead out of the run's folder.
    @Sendable private static func checkName(
      _ field: JSONField, _ name: String
    ) throws(RunRecordError) {
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      try field.check(
        !name.utf8.contains(0) && parts.allSatisfy({ !["", ".", ".."].contains($0) }),
        "is '\(JSONField.shortened(name))', but must be the path of a file below the "
          + "run's folder, counted from there")
    }

    @Sendable private static func checkHash(
      _ field: JSONField, _ hash: String
    ) throws(RunRecordError) {
      try field.check(
        hash.utf8.count == 64 && hash.utf8.allSatisfy("0123456789abcdef".utf8.contains),
        "must be 64 hexadecimal digits in lower case")
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
    /// Whether the recording was not started with the stimulus, so that its electrical delay says nothing.
    public var hasArbitraryDelay: Bool

    /// Makes an account.
    public init(
      status: Status, reason: String? = nil, software: String, seed: UInt64,
      laws: [String: String], referenceLevel: Double, calibration: String,
      hasArbitraryDelay: Bool = false
    ) {
      self.hasArbitraryDelay = hasArbitraryDelay
      self.status = status
      self.reason = reason
      self.software = software
      self.seed = seed
      self.laws = laws
      self.referenceLevel = referenceLevel
      self.calibration = calibration
    }

    static let form = JSONForm(
      Self.init(
        status:reason:software:seed:laws:referenceLevel:calibration:hasArbitraryDelay:),
      ("status", \.status, .word), ("reason", \.reason, .optional(.string)),
      ("software", \.software, .string), ("seed", \.seed, .seed), ("laws", \.laws, .named(.string)),
      ("referenceLevel", \.referenceLevel, .number), ("calibration", \.calibration, .string),
      ("arbitraryDelay", \.hasArbitraryDelay, .bool.or(false)))
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

    static let form = JSONForm(
      Self.init(name:device:rate:fullScaleVolts:driveChannels:), ("name", \.name, .string),
      ("device", \.device, .string), ("rate", \.rate, .number),
      ("fullScaleVolts", \.fullScaleVolts, .number),
      ("driveChannels", \.driveChannels, .named(.integer)))
  }

  /// One channel of a kept recording.
  public struct FileChannel: Sendable, Equatable {
    /// The name.
    public var name: String
    /// The unit of the samples.
    public var unit: MeasurementUnit
    /// What the file's full scale stands for, in the unit: its samples times this are the channel's.
    ///
    /// `nil` where the file holds them in the unit itself; 0 for a channel that is zero throughout and not
    /// in the file.
    public var scale: Double?

    /// Makes a channel.
    public init(name: String, unit: MeasurementUnit, scale: Double? = nil) {
      self.name = name
      self.unit = unit
      self.scale = scale
    }

    /// Whether the channel is zero throughout; the file leaves it out.
    public var isSilent: Bool { scale == 0 }

    /// What samples of the file are multiplied by.
    public var gain: Float { scale.map { Float($0) } ?? 1 }

    static let form = JSONForm(
      Self.init(name:unit:scale:), ("name", \.name, .string), ("unit", \.unit, .word),
      ("scale", \.scale, .optional(.scale)))
  }

  /// One event as the pattern commands it: by this a person knows it again on the time axis.
  public struct Event: Sendable, Hashable {
    /// `HapticTransient`, `HapticContinuous`, `AudioContinuous` or `AudioCustom`.
    public var kind: String
    /// The commanded start, in seconds of the pattern.
    public var start: Double

    /// Makes an account of an event.
    public init(kind: String, start: Double) {
      self.kind = kind
      self.start = start
    }

    static let form = JSONForm(
      Self.init(kind:start:), ("kind", \.kind, .string), ("start", \.start, .number))
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
    /// Its events by their index; empty in a record that was written without them.
    public var timeline: [Event]
    /// What the reader found, one sentence each with its place.
    public var diagnostics: [String]
    /// The takes in the order they were made.
    public var takes: [Take]
    /// The heaviest verdict of its readings; `nil` where nothing was judged.
    public var verdict: Verdict?
    /// The copies in the run's folder; `nil` where there are none.
    public var input: PatternInput?

    /// Makes an account of a pattern.
    public init(
      name: String, file: String, duration: Double, events: Int, diagnostics: [String],
      takes: [Take], verdict: Verdict? = nil, input: PatternInput? = nil, timeline: [Event] = []
    ) {
      self.input = input
      self.timeline = timeline
      self.name = name
      self.file = file
      self.duration = duration
      self.events = events
      self.diagnostics = diagnostics
      self.takes = takes
      self.verdict = verdict
    }

    static let form = JSONForm(
      { name, file, duration, events, timeline, diagnostics, takes, verdict, input in
        Pattern(
          name: name, file: file, duration: duration, events: events, diagnostics: diagnostics,
          takes: takes, verdict: verdict, input: input, timeline: timeline)
      },
      ("name", \.name, .string), ("file", \.file, .string), ("duration", \.duration, .number),
      ("events", \.events, .integer), ("timeline", \.timeline, .list(Event.form).or([])),
      ("diagnostics", \.diagnostics, .list(.string)), ("takes", \.takes, .list(Take.form)),
      ("verdict", \.verdict, .optional(.word)), ("input", \.input, .optional(PatternInput.form)))
  }

  /// What was measured besides the device under test.
  public struct Control: Sendable, Equatable {
    /// Its rig.
    public var rig: Rig
    /// Its actuator; `nil` where the electrical loop alone was measured.
    public var actuator: Actuator?
    /// Its patterns with their takes.
    public var patterns: [Pattern]

    /// Makes an account of a control.
    public init(rig: Rig, actuator: Actuator?, patterns: [Pattern]) {
      self.rig = rig
      self.actuator = actuator
      self.patterns = patterns
    }

    static let form = JSONForm(
      Self.init(rig:actuator:patterns:), ("rig", \.rig, Rig.form),
      ("actuator", \.actuator, .optional(Actuator.form)),
      ("patterns", \.patterns, .list(Pattern.form)))
  }

  /// The edition of the schema that the readings were taken under, at most this version's.
  public var edition = RunRecord.edition
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
  /// What was looked at before the first take; `nil` where the plan asked for nothing.
  public var setup: [SetupFinding]?
  /// The patterns in the order of the plan.
  public var patterns: [Pattern]
  /// What was measured besides, with its readings under `control.` names; `nil` without a control.
  public var control: Control?
  /// What the actuator answers to an impulse; `nil` where no probe was answered.
  public var impulse: Impulse?
  /// Every reading.
  public var readings: [Reading]
  /// The run's verdict.
  public var verdict: Verdict
  /// What the run was made from; `nil` where its folder holds no copies.
  public var inputs: Inputs?
  /// Where the readings of a run come from that was not measured here; `nil` of haprig's own runs.
  public var imported: Imported?

  /// Makes a record.
  public init(
    header: Header, run: Run, rig: Rig, actuator: Actuator, plan: Plan, patterns: [Pattern],
    readings: [Reading], verdict: Verdict, setup: [SetupFinding]? = nil, control: Control? = nil,
    inputs: Inputs? = nil, impulse: Impulse? = nil
  ) {
    self.inputs = inputs
    self.impulse = impulse
    self.setup = setup
    self.control = control
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
