// SPDX-License-Identifier: Apache-2.0

package import Acceptance
package import Devices
import HapticRendering
package import Perception
import Units

/// A plan on a rig: plays every pattern as often as asked, keeps what was recorded, measures it.
///
/// While one take is measured the next is played. What was measured before a fault or an
/// interruption stays in the outcome.
package struct PlanRun: Sendable {
  package enum Progress: Sendable {
    /// A take of so many seconds begins.
    case began(pattern: String, take: Int, done: Int, total: Int, seconds: Double)
    /// A take is being played; `overall` is the share of the whole run that was played.
    case playing(pattern: String, share: Double, overall: Double)
    /// A pattern of the control is being played.
    case control(pattern: String, share: Double)
    case measured(pattern: String, take: Int, readings: [Reading])
  }

  /// What came of a run, not yet judged.
  package struct Outcome: Sendable {
    package var patterns: [RunRecord.Pattern] = []
    package var controlPatterns: [RunRecord.Pattern] = []
    package var readings: [Reading] = []
    package var figures: [TakeFigure] = []
    package var fault: DeviceError?
    /// The setup check that did not hold in a take, and ended the run.
    package var stray: SetupFinding?
    package var setup: [SetupFinding]?
    /// Whether the response was lined up by its own marker.
    package var hasArbitraryDelay = false

    package init() {}
  }

  let plan: Plan
  let patterns: [LoadedPattern]
  let builder: TakeBuilder
  let analysis: TakeAnalysis
  let folder: String?
  let stems: [String]
  let schedule: PlanSchedule
  let takeLengths: [Int]
  /// The thermometer's log, on a rig that has one.
  package var temperature: TemperatureLog?

  /// Without a folder no recordings are kept; their names begin with the prefix.
  package init(
    plan: Plan, patterns: [LoadedPattern], builder: TakeBuilder, target: IntensityTarget,
    folder: String?, prefix: String = ""
  ) {
    self.plan = plan
    self.patterns = patterns
    self.builder = builder
    analysis = TakeAnalysis(rig: builder.rig, target: target)
    self.folder = folder
    stems = Self.fileStems(patterns.map { prefix + $0.name })
    schedule = PlanSchedule(plan, patternCount: patterns.count)
    takeLengths = patterns.map { builder.frameCount(of: $0) }
  }

  package func execute(
    opening open: (Int) async throws -> Session, control: ControlRun?,
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Outcome {
    var work = PlanWork(self, control: control, progress)
    var session: Session? = try await open(1)
    var opened = 1
    try await withThrowingTaskGroup(of: MeasuredTake.self) { group in
      for step in schedule.steps where work.outcome.fault == nil {
        switch step {
        case .control(let round):
          guard let control, let session else { continue }
          work.add(
            try await control.measure(round, beside: session) { pattern, share in
              progress(.control(pattern: pattern, share: share))
            })
        case .take(let pattern, let number, let opening):
          if opening != opened {
            session = nil
            opened = opening
            do {
              session = try await open(opening)
            } catch let fault as DeviceError {
              work.outcome.fault = fault
              continue
            }
          }
          guard let session else { continue }
          let played = await work.play(pattern, number: number, opening: opening, on: session)
          // One take at a time is measured: recordings of a long run never pile up.
          if let earlier = try await group.next() { work.keep(earlier) }
          group.addTask { try measure(played) }
        }
      }
      while let last = try await group.next() { work.keep(last) }
    }
    return work.finish()
  }

  func record(of pattern: LoadedPattern) -> RunRecord.Pattern {
    let timeline = builder.timeline(of: pattern)
    return RunRecord.Pattern(
      name: pattern.name, file: pattern.file, duration: timeline.duration,
      events: timeline.events.count, diagnostics: pattern.findings, takes: [],
      timeline: timeline.events.map { RunRecord.Event(kind: $0.kind.rawValue, start: $0.start) })
  }

  /// How many takes the run plays, the control's not counted.
  package var takeCount: Int { schedule.takeCount }

  package var frameCount: Int {
    schedule.steps.reduce(0) { sum, step in
      if case .take(let pattern, _, _) = step { sum + takeLengths[pattern] } else { sum }
    }
  }

  /// Keeps a take's recordings and measures it; a take that a fault cut short is kept, not measured.
  func measure(_ played: PlayedTake) throws -> MeasuredTake {
    var (take, recording) = (played.take, played.recording)
    let (pattern, number) = (played.pattern, played.number)
    let roles = builder.rig.drive.channels.sorted { $0.value < $1.value }.map(\.key)
    let response = recording.channels
    var record = RunRecord.Take(
      number: number, drive: nil,
      driveChannels: roles.map { RunRecord.FileChannel(name: $0.rawValue, unit: .one) },
      response: nil,
      responseChannels: response.map {
        RunRecord.FileChannel(name: $0.description.name, unit: $0.description.unit)
      }, patternFrame: take.layout.pattern, rejected: [], stream: recording.statistics,
      place: played.place, opening: played.opening,
      markers: take.channels[.reference] == nil ? nil : take.layout.markers,
      device: RunRecord.TakeDevice(recording))
    if let folder {
      // What is measured is what is kept, so that it can be measured again to the last bit.
      let stem = "\(stems[pattern])-\(number)"
      let silence = Samples([Float](repeating: 0, count: take.layout.frameCount))
      let drive = try KeptSound(
        roles.map { take.channels[$0] ?? silence }, as: record.driveChannels, plan.recordings,
        stem: "\(stem)-drive", in: folder, rate: take.rate)
      (record.drive, record.driveChannels) = (drive.file, drive.channels)
      take.channels = Dictionary(uniqueKeysWithValues: zip(roles, drive.samples))
      if recording.frameCount > 0 {
        let sound = try KeptSound(
          response.map(\.samples), as: record.responseChannels, plan.recordings,
          stem: "\(stem)-response", in: folder, rate: recording.rate)
        (record.response, record.responseChannels) = (sound.file, sound.channels)
        recording = recording.with(
          channels: zip(response, sound.samples).map {
            Recording.Channel(description: $0.description, samples: $1)
          })
      }
    }
    guard recording.fault == nil else {
      return MeasuredTake(
        pattern: pattern, record: record, span: played.span, readings: [], figure: nil)
    }
    let result = analysis.measure(take, recording, pattern: patterns[pattern].name, number: number)
    record.rejected = result.rejected
    return MeasuredTake(
      pattern: pattern, record: record, span: played.span, readings: result.readings,
      figure: result.figure, actuator: result.actuator)
  }

  /// Patterns' names as parts of files' names, no two alike.
  package static func fileStems(_ names: [String]) -> [String] {
    names.map(fileStem).numbered()
  }

  /// A pattern's name as a part of a file's: letters, digits, dots, dashes; anything else a dash.
  private static func fileStem(_ name: String) -> String {
    String(
      name.map { character in
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
          ? character : "-"
      }.drop { $0 == "." })
  }
}

extension RunRecord.TakeDevice {
  fileprivate init(_ recording: Recording) {
    self.init(
      frames: recording.frameCount, driveFrames: recording.driveFrameCount,
      captureEvents: recording.captureEvents, driveEvents: recording.driveEvents,
      expressible: recording.expressible, fault: recording.fault?.description)
  }
}

struct PlayedTake: Sendable {
  let take: TakeDrive
  let recording: Recording
  let pattern: Int
  let number: Int
  let place: Int
  let opening: Int
  /// From when until when it was played, on the clock of `TemperatureLog`; of a control nobody asks.
  var span: ClosedRange<Double>?
}

struct MeasuredTake: Sendable {
  let pattern: Int
  var record: RunRecord.Take
  let span: ClosedRange<Double>?
  var readings: [Reading]
  let figure: TakeFigure?
  var actuator: SetupFinding?
}

struct PlanWork {
  private let run: PlanRun
  private let progress: @Sendable (PlanRun.Progress) -> Void
  var outcome = PlanRun.Outcome()
  private var records: [Int: RunRecord.Pattern] = [:]
  private var takes: [MeasuredTake] = []
  private var controlReadings: [Reading] = []
  private var drives = RepeatedDrive()
  private var place = 0
  private let totalFrames: Int
  private var playedFrames = 0
  private let controlRate: SampleRate?

  init(
    _ run: PlanRun, control: ControlRun?,
    _ progress: @escaping @Sendable (PlanRun.Progress) -> Void
  ) {
    self.run = run
    controlRate = control?.rate
    self.progress = progress
    totalFrames = run.frameCount
  }

  mutating func play(
    _ index: Int, number: Int, opening: Int, on session: Session
  ) async -> PlayedTake {
    let pattern = run.patterns[index]
    if records[index] == nil { records[index] = run.record(of: pattern) }
    progress(
      .began(
        pattern: pattern.name, take: number, done: place, total: run.schedule.takeCount,
        seconds: run.builder.rig.drive.rate.seconds(Double(run.takeLengths[index]))))
    let take = drives.drive(of: index, in: run.patterns, by: run.builder)
    let (played, length, total) = (playedFrames, run.takeLengths[index], max(1, totalFrames))
    let began = MonotonicClock.seconds
    let recording = await session.play(take) { [progress] share in
      let overall = (Double(played) + share * Double(length)) / Double(total)
      progress(.playing(pattern: pattern.name, share: share, overall: overall))
    }
    place += 1
    playedFrames += length
    if let fault = recording.fault { outcome.fault = fault }
    return PlayedTake(
      take: take, recording: recording, pattern: index, number: number, place: place,
      opening: opening, span: began...max(began, MonotonicClock.seconds))
  }

  mutating func keep(_ take: MeasuredTake) {
    var take = take
    if let actuator = take.actuator, !actuator.holds {
      // Its levels would be another device's.
      take.readings = []
      if outcome.fault == nil {
        outcome.stray = actuator
        outcome.fault = actuator.refusal(of: run.builder.rig)
      }
    }
    takes.append(take)
    progress(
      .measured(
        pattern: run.patterns[take.pattern].name, take: take.record.number,
        readings: take.readings))
  }

  mutating func add(_ round: ControlRun.Round) {
    controlReadings += round.readings
    for pattern in round.patterns {
      if let known = outcome.controlPatterns.firstIndex(where: { $0.name == pattern.name }) {
        outcome.controlPatterns[known].takes += pattern.takes
      } else {
        outcome.controlPatterns.append(pattern)
      }
    }
    if let fault = round.fault { outcome.fault = fault }
  }

  /// Puts everything into the order of patterns and takes, and adds what only the whole run tells.
  consuming func finish() -> PlanRun.Outcome {
    takes.sort { ($0.pattern, $0.record.number) < ($1.pattern, $1.record.number) }
    if let log = run.temperature {
      log.finish()
      for take in takes.indices {
        takes[take].record.temperature = takes[take].span.map(log.during)
      }
    }
    outcome.patterns = records.sorted { $0.key < $1.key }.map { index, record in
      var record = record
      record.takes = takes.filter { $0.pattern == index }.map(\.record)
      return record
    }
    outcome.readings = RunScore.whole(
      outcome.patterns, takes.flatMap(\.readings), rate: run.builder.rig.drive.rate)
    outcome.figures = takes.compactMap(\.figure)
    if let controlRate {
      outcome.readings += RunScore.control(
        outcome.controlPatterns, controlReadings, rate: controlRate)
    }
    return outcome
  }
}

extension Reading {
  var ofControl: Reading {
    var reading = self
    reading.name = ReadingName(name.kind, isControl: true)
    return reading
  }
}
