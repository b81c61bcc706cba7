// SPDX-License-Identifier: Apache-2.0

public import Devices
private import Glibc
public import JSONText
public import Units

extension RunRecord {
  /// One repeat of a pattern: its files and what kept events from being measured.
  public struct Take: Sendable, Equatable {
    /// The repeat, from 1.
    public var number: Int
    /// Its place among all takes of the run as they were played, from 1.
    public var place: Int?
    /// The opening of the devices that it was played in, from 1.
    public var opening: Int?
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
    /// The drive frames at which the markers before and after begin; `nil` without a reference.
    public var markers: [Int]?
    /// The events that were not measured.
    public var rejected: [Rejection]
    /// How the devices' stream went; `nil` where they kept no account of it.
    public var stream: StreamStatistics?
    /// What the devices told that stands in no sound file; `nil` in a record of a version that did not keep it.
    public var device: TakeDevice?
    /// The temperature while it was played; `nil` on a rig without a thermometer.
    public var temperature: TakeTemperature?

    /// Makes an account of a take.
    public init(
      number: Int, drive: String?, driveChannels: [FileChannel], response: String?,
      responseChannels: [FileChannel], patternFrame: Int, rejected: [Rejection],
      stream: StreamStatistics? = nil, place: Int? = nil, opening: Int? = nil,
      markers: [Int]? = nil, device: TakeDevice? = nil, temperature: TakeTemperature? = nil
    ) {
      self.temperature = temperature
      self.device = device
      self.number = number
      self.place = place
      self.opening = opening
      self.markers = markers
      self.drive = drive
      self.driveChannels = driveChannels
      self.response = response
      self.responseChannels = responseChannels
      self.patternFrame = patternFrame
      self.rejected = rejected
      self.stream = stream
    }

    static let form = JSONForm(
      {
        number, place, opening, drive, response, patternFrame, markers, rejected, stream, device,
        temperature in
        Take(
          number: number, drive: drive?.file, driveChannels: drive?.channels ?? [],
          response: response?.file, responseChannels: response?.channels ?? [],
          patternFrame: patternFrame, rejected: rejected, stream: stream, place: place,
          opening: opening, markers: markers, device: device, temperature: temperature)
      },
      ("repeat", \.number, .integer), ("place", \.place, .optional(.integer)),
      ("start", \.opening, .optional(.integer)),
      ("drive", \.sent, .optional(Recording.form)),
      ("response", \.captured, .optional(Recording.form)),
      ("patternFrame", \.patternFrame, .integer),
      ("markers", \.markers, .optional(.list(.integer))),
      ("rejected", \.rejected, .list(Rejection.form)),
      ("stream", \.stream, .optional(StreamStatistics.form)),
      ("device", \.device, .optional(TakeDevice.form)),
      ("temperature", \.temperature, .optional(TakeTemperature.form)))

    /// A file and its channels as a record writes them.
    private struct Recording {
      let file: String?
      let channels: [FileChannel]

      static let form = JSONForm(
        Self.init(file:channels:), ("file", \.file, .optional(.string)),
        ("channels", \.channels, .list(FileChannel.form)))

      /// Itself, or nothing where there is neither.
      var filled: Recording? { file == nil && channels.isEmpty ? nil : self }
    }

    private var sent: Recording? { Recording(file: drive, channels: driveChannels).filled }

    private var captured: Recording? {
      Recording(file: response, channels: responseChannels).filled
    }
  }

  /// An event that was not measured.
  public struct Rejection: Sendable, Hashable {
    /// The event's index in its pattern.
    public var event: Int
    /// Why not.
    public var reason: String

    /// Makes a rejection.
    public init(event: Int, reason: String) {
      self.event = event
      self.reason = reason
    }

    static let form = JSONForm(
      Self.init(event:reason:), ("event", \.event, .integer), ("reason", \.reason, .string))
  }

  /// What the devices told of a take that stands in no sound file: losses, clipping, counts of frames.
  public struct TakeDevice: Sendable, Hashable {
    /// How many frames were captured.
    public var frames: Int
    /// How many drive frames were sent in the same time.
    public var driveFrames: Int
    /// Gaps, drops and overloads of the capture, in capture frames.
    public var captureEvents: [StreamEvent]
    /// Underruns and clipping of the drive, in drive frames.
    public var driveEvents: [StreamEvent]
    /// What the drive can express of what it was sent; `nil` for a drive that plays the waveform.
    public var expressible: ExpressibleDrive?
    /// The fault that ended the take early, in a sentence; `nil` where none did.
    public var fault: String?

    /// Makes an account of the devices.
    public init(
      frames: Int, driveFrames: Int, captureEvents: [StreamEvent] = [],
      driveEvents: [StreamEvent] = [], expressible: ExpressibleDrive? = nil, fault: String? = nil
    ) {
      self.frames = frames
      self.driveFrames = driveFrames
      self.captureEvents = captureEvents
      self.driveEvents = driveEvents
      self.expressible = expressible
      self.fault = fault
    }

    static let form = JSONForm(
      Self.init(frames:driveFrames:captureEvents:driveEvents:expressible:fault:),
      ("frames", \.frames, .count), ("driveFrames", \.driveFrames, .count),
      ("captureEvents", \.captureEvents, .list(StreamEvent.form)),
      ("driveEvents", \.driveEvents, .list(StreamEvent.form)),
      ("expressible", \.expressible, .optional(ExpressibleDrive.form)),
      ("fault", \.fault, .optional(.string)))
  }

  /// What the run was made from, as copies in its folder: enough to measure its recordings again.
  public struct Inputs: Sendable, Equatable {
    /// The rig file.
    public var rig: String
    /// The rig file of the control, where another rig is one.
    public var controlRig: String?
    /// The plan; `nil` where patterns were named instead.
    public var plan: String?
    /// The profile; `nil` for a run without.
    public var profile: String?
    /// The options that intent became drive by, by name, in the form of docs/FILE-FORMATS.md.
    public var options: JSONValue

    /// Makes an account of inputs; every path is from the run's folder.
    public init(
      rig: String, controlRig: String? = nil, plan: String? = nil, profile: String? = nil,
      options: JSONValue
    ) {
      self.rig = rig
      self.controlRig = controlRig
      self.plan = plan
      self.profile = profile
      self.options = options
    }

    static let form = JSONForm(
      Self.init(rig:controlRig:plan:profile:options:), ("rig", \.rig, .string),
      ("controlRig", \.controlRig, .optional(.string)), ("plan", \.plan, .optional(.string)),
      ("profile", \.profile, .optional(.string)),
      ("options", \.options, .any))
  }

  /// The copy of a pattern's file and of the sounds that it plays.
  public struct PatternInput: Sendable, Equatable {
    /// The pattern's copy, by its path from the run's folder.
    public var file: String
    /// By the path that the pattern names a sound with: the copy of it.
    public var sounds: [String: String]

    /// Makes an account of copies.
    public init(file: String, sounds: [String: String]) {
      self.file = file
      self.sounds = sounds
    }

    static let form = JSONForm(
      Self.init(file:sounds:), ("file", \.file, .string), ("sounds", \.sounds, .named(.string)))
  }

  /// What the actuator answered to an impulse as the run measured it, kept so that runs can be compared.
  ///
  /// Taken from the first take whose probe was answered; 60 to 450 Hz.
  public struct Impulse: Sendable, Equatable {
    /// The pattern whose take it is of.
    public var pattern: String
    /// The repeat, from 1.
    public var take: Int
    /// When the first value stands, in seconds after the impulse; negative for before.
    public var start: Double
    /// The time between two values, in seconds.
    public var step: Double
    /// The unit of the response; values are in this unit per volt second.
    public var unit: MeasurementUnit
    /// The values, to a hundred-thousandth of the largest.
    public var values: [Double]

    /// Makes an account of an impulse response.
    public init(
      pattern: String, take: Int, start: Double, step: Double, unit: MeasurementUnit,
      values: [Double]
    ) {
      self.pattern = pattern
      self.take = take
      self.start = start
      self.step = step
      self.unit = unit
      self.values = values
    }

    static let form = JSONForm(
      Self.init(pattern:take:start:step:unit:values:), ("pattern", \.pattern, .string),
      ("take", \.take, .integer), ("start", \.start, .number), ("step", \.step, .number),
      ("unit", \.unit, .word), ("values", \.values, .list(.number)))

    /// Takes the measured curve of the first picture that has one; `nil` where none has.
    public init?(firstOf figures: [TakeFigure]) {
      for figure in figures {
        guard let impulse = figure.impulse,
          let curve = impulse.panel.traces.first(where: { $0.name == "measured" }),
          curve.highest.count > 1, let largest = curve.highest.map(abs).max(), largest > 0,
          largest.isFinite
        else { continue }
        let decimals = pow(10, (4 - log10(Double(largest))).rounded(.up))
        let width = impulse.span.upperBound - impulse.span.lowerBound
        self.init(
          pattern: figure.pattern, take: figure.take, start: impulse.span.lowerBound,
          step: width / Double(curve.highest.count - 1), unit: impulse.panel.unit,
          values: curve.highest.map { (decimals * Double($0)).rounded() / decimals })
        return
      }
      return nil
    }

    /// How far another curve lies from this one: the effective value of their difference over this
    /// one's; `nil` for curves on other times or in other units.
    public func difference(to other: Impulse) -> Double? {
      guard unit == other.unit, start == other.start, step == other.step,
        values.count == other.values.count
      else { return nil }
      let own = values.reduce(0) { $0 + $1 * $1 }
      let apart = zip(values, other.values).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      return own > 0 ? (apart / own).squareRoot() : nil
    }
  }
}
