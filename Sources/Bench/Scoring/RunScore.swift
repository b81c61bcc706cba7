// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Devices
package import Perception
import SignalAnalysis
import SoundFiles
package import Units

enum RunScore {
  /// The readings of the device under test: of the takes, their scatter from start to start, xruns by the
  /// hour, harmony by the pattern.
  static func whole(
    _ patterns: [RunRecord.Pattern], _ takes: [Reading], rate: SampleRate
  ) -> [Reading] {
    let jitter = StartJitter(patterns, takes, rate: rate)
    let own = [xruns(takes, rate: rate), temperature(patterns)].compactMap(\.self)
    return takes + [jitter.fromStartToStart] + jitter.apart + own + harmonies(takes)
  }

  /// The mean temperature of the takes; `nil` on a rig without a thermometer.
  private static func temperature(_ patterns: [RunRecord.Pattern]) -> Reading? {
    let takes = patterns.flatMap(\.takes).compactMap(\.temperature)
    guard let first = takes.first else { return nil }
    // Takes beside each other share the readings between them.
    let means = takes.compactMap(\.mean)
    let fault = takes.lazy.compactMap(\.fault).first
    guard let lowest = takes.compactMap(\.lowest).min(),
      let highest = takes.compactMap(\.highest).max()
    else {
      return Reading(notMeasured: .temperature, because: fault ?? "the thermometer was not read")
    }
    let (mean, sigma) = Statistics.moments(means)
    // What the thermometer is wrong by it is wrong by in all of them: the mean takes nothing off it.
    let uncertainty = first.uncertainty.map { own in
      (own * own + sigma * sigma / Double(means.count)).squareRoot()
    }
    let span =
      "\(EngineeringFormat.fixed(lowest, 1)) to \(EngineeringFormat.fixed(highest, 1)) degC"
    return Reading(
      .temperature, value: mean, uncertainty: uncertainty, count: means.count,
      note: fault.map { "\(span); some readings did not come: \($0)" } ?? span)
  }

  /// The readings of the control: of its takes, and their scatter where it was measured often enough.
  static func control(
    _ patterns: [RunRecord.Pattern], _ takes: [Reading], rate: SampleRate
  ) -> [Reading] {
    // Whoever measures the control twice does not ask for its scatter.
    let jitter = StartJitter(patterns, takes, rate: rate)
    return takes
      + ([jitter.fromStartToStart] + jitter.apart).filter { $0.value != nil }.map(\.ofControl)
  }

  /// How many xruns an hour the run is still compatible with.
  private static func xruns(_ readings: [Reading], rate: SampleRate) -> Reading? {
    let takes = readings.filter { $0.name == ReadingName(.xruns) && $0.value != nil }
    let hours = Double(takes.reduce(0) { $0 + ($1.count ?? 0) }) / rate.hertz / 3600
    guard hours > 0 else { return nil }
    let count = Int(takes.reduce(0) { $0 + ($1.value ?? 0) })
    let shown = EngineeringFormat.significant(hours * 3600)
    return Reading(
      .xrunsPerHour, value: PoissonBound.upper(count: count) / hours, count: takes.count,
      note: "at most, at 95 %: \(count) in \(shown) s")
  }

  private static func harmonies(_ readings: [Reading]) -> [Reading] {
    let own = readings.filter { $0.name == ReadingName(.harmony) && $0.pattern != nil }
    let takes = Dictionary(grouping: own, by: \.pattern)
    var seen: Set<String> = []
    return own.compactMap(\.pattern).filter { seen.insert($0).inserted }.map { pattern in
      let all = takes[pattern] ?? []
      let measured = all.filter { $0.value != nil }
      guard measured.count == all.count else {
        let reason = all.first { $0.value == nil }?.note ?? "it was not measured"
        return Reading(
          notMeasured: .harmony, pattern: pattern,
          because: "\(all.count - measured.count) of \(all.count) takes have none: \(reason)")
      }
      let (mean, sigma) = Statistics.moments(measured.compactMap(\.value))
      let own =
        measured.reduce(0) { $0 + ($1.uncertainty ?? 0) } / Double(max(1, measured.count))
      return Reading(
        .harmony, pattern: pattern, value: mean,
        uncertainty: max(own, sigma / Double(measured.count).squareRoot()),
        // The same differences in every take: their part does not average out.
        differencesUncertainty: Statistics.moments(
          measured.compactMap(\.differencesUncertainty)
        ).mean,
        count: measured.count, note: measured.notes)
    }
  }
}

/// How the electrical delay scatters: within a stream, from start to start, from opening to opening.
package struct StartJitter: Sendable {
  private struct Start {
    let delay: Double
    let uncertainty: Double
    let opening: Int
    /// The drift, and the seconds between the markers that it was read over.
    let drift: (ppm: Double, span: Double)?
  }

  private let starts: [Start]

  package init(_ patterns: [RunRecord.Pattern], _ readings: [Reading], rate: SampleRate) {
    let delays = Self.values(.latencyElectrical, readings)
    let drifts = Self.values(.drift, readings)
    starts = patterns.flatMap { pattern in
      pattern.takes.compactMap { take in
        let key = Key(pattern: pattern.name, take: take.number)
        guard let delay = delays[key], let value = delay.value else { return nil }
        let markers = take.markers ?? []
        let span = markers.count == 2 ? rate.seconds(Double(markers[1] - markers[0])) : 0
        return Start(
          delay: value, uncertainty: delay.uncertainty ?? 0, opening: take.opening ?? 1,
          drift: span > 0 ? drifts[key]?.value.map { ($0, span) } : nil)
      }
    }
  }

  private struct Key: Hashable {
    let pattern: String
    let take: Int
  }

  private static func values(_ kind: ReadingKind, _ readings: [Reading]) -> [Key: Reading] {
    var values: [Key: Reading] = [:]
    for reading in readings where reading.name.kind == kind && reading.value != nil {
      guard let pattern = reading.pattern, let take = reading.take else { continue }
      values[Key(pattern: pattern, take: take)] = reading
    }
    return values
  }

  package var apart: [Reading] { [withinStreams, fromOpeningToOpening] }

  /// The standard deviation of all delays, the noise of the estimates taken off.
  package var fromStartToStart: Reading {
    let delays = starts.map(\.delay)
    guard delays.count >= 3 else {
      return Reading(
        notMeasured: .latencyJitter,
        because: "\(delays.count) takes have an electrical delay, and a spread needs three")
    }
    let noise = starts.reduce(0) { $0 + $1.uncertainty * $1.uncertainty } / Double(starts.count)
    return Self.spread(.latencyJitter, delays, noise: noise)
  }

  private var fromOpeningToOpening: Reading {
    let openings = Dictionary(grouping: starts, by: \.opening).sorted { $0.key < $1.key }
    guard openings.count >= 3 else {
      return Reading(
        notMeasured: .latencyJitterRestarts,
        because: "opened \(["never", "once", "twice"][openings.count]); a spread needs three "
          + "('restarts: 2' in the plan)")
    }
    return Self.spread(
      .latencyJitterRestarts,
      openings.map { $0.value.reduce(0) { $0 + $1.delay } / Double($0.value.count) })
  }

  /// The standard deviation of a marker's delay within a stream.
  ///
  /// A take's drift d over T seconds between its markers is off the run's common drift D by
  /// e = (d - D) T, which is the difference of two delays: s^2 = sum e^2 / (2 (n - 1)). D is the mean of
  /// the drifts by the weight T^2, which makes sum e^2 least.
  private var withinStreams: Reading {
    let drifts = starts.compactMap(\.drift)
    guard drifts.count >= 3 else {
      return Reading(
        notMeasured: .latencyJitterStream,
        because: "\(drifts.count) takes have a drift between two markers, and a spread needs three")
    }
    let weight = drifts.reduce(0) { $0 + $1.span * $1.span }
    let common = drifts.reduce(0) { $0 + $1.ppm * $1.span * $1.span } / weight
    let errors = drifts.map { 1e-6 * ($0.ppm - common) * $0.span }
    let freedom = Double(drifts.count - 1)
    let deviation = (errors.reduce(0) { $0 + $1 * $1 } / (2 * freedom)).squareRoot()
    return Reading(
      .latencyJitterStream, value: deviation,
      uncertainty: deviation * Statistics.spreadUncertainty(count: drifts.count),
      count: drifts.count)
  }

  /// Values' deviation about their mean, less a variance `noise` that they have of their own.
  private static func spread(
    _ kind: ReadingKind, _ values: [Double], noise: Double = 0
  ) -> Reading {
    let deviation = Statistics.moments(values).sigma
    let middle = Statistics.median(values)
    let median = Statistics.median(values.map { abs($0 - middle) })
    return Reading(
      kind, value: max(0, deviation * deviation - noise).squareRoot(),
      uncertainty: Statistics.spreadUncertainty(count: values.count)
        * max(deviation, noise.squareRoot()),
      count: values.count,
      note: "median absolute deviation \(EngineeringFormat.text(median, .second))")
  }
}

/// Measures the recordings of a run again, from its folder alone.
///
/// The same version gives the same readings to the last bit, and so the same record.
package enum RunRescore {
  package struct Subject {
    let builder: TakeBuilder
    let target: IntensityTarget
    let patterns: [LoadedPattern]

    package init(builder: TakeBuilder, target: IntensityTarget, patterns: [LoadedPattern]) {
      self.builder = builder
      self.target = target
      self.patterns = patterns
    }
  }

  /// The record with new readings and verdicts, all else as it was, and a picture a take.
  package static func execute(
    _ record: RunRecord, subject: Subject, control: Subject?, software: String,
    read: RecordedSound.Reader
  ) throws -> (record: RunRecord, figures: [TakeFigure]) {
    var new = record
    let own = try measure(&new.patterns, of: subject, read)
    let figures = own.map(\.result.figure)
    new.impulse = RunRecord.Impulse(firstOf: figures)
    let rate = subject.builder.rig.drive.rate
    new.readings = RunScore.whole(new.patterns, own.flatMap(\.result.readings), rate: rate)
    if record.run.hasArbitraryDelay { new.readings = new.readings.withoutElectricalLatency }
    // The loop keeps no recordings: what it told stays as it is.
    let loop = record.readings.filter { $0.name.isControl && $0.pattern == nil && $0.take != nil }
    var controlReadings = loop.map(\.unjudged)
    var controlRate = loop.isEmpty ? nil : Optional(rate)
    if let control, var patterns = new.control?.patterns {
      let takes = try measure(&patterns, of: control, read)
      new.control?.patterns = patterns
      let rounds = takes.sorted { ($0.number, $0.pattern) < ($1.number, $1.pattern) }
      controlReadings = rounds.flatMap(\.result.readings).map(\.ofControl)
      controlRate = control.builder.rig.drive.rate
    }
    if let controlRate {
      new.readings += RunScore.control(
        new.control?.patterns ?? [], controlReadings, rate: controlRate)
    }
    new.run.software = software
    new.judge()
    return (new, figures)
  }

  private static func measure(
    _ patterns: inout [RunRecord.Pattern], of subject: Subject,
    _ read: RecordedSound.Reader
  ) throws -> [(pattern: Int, number: Int, result: TakeAnalysis.Result)] {
    let analysis = TakeAnalysis(rig: subject.builder.rig, target: subject.target)
    var scored: [(Int, Int, TakeAnalysis.Result)] = []
    for (index, pattern) in patterns.enumerated() {
      let rendered = subject.builder.build(subject.patterns[index])
      for (place, record) in pattern.takes.enumerated() {
        guard
          let take = try RecordedTake(
            record, rendered: rendered, rig: subject.builder.rig, read: read)
        else { continue }
        let result = analysis.measure(
          take.take, take.recording, pattern: pattern.name, number: record.number)
        patterns[index].takes[place].rejected = result.rejected
        scored.append((index, record.number, result))
      }
    }
    return scored
  }
}

extension Reading {
  fileprivate var unjudged: Reading {
    var reading = self
    reading.limit = nil
    reading.verdict = value == nil ? .notMeasured : nil
    return reading
  }
}

extension [Reading] {
  /// The readings without the electrical latencies of a response that was lined up by its own marker.
  package var withoutElectricalLatency: [Reading] {
    map { reading in
      guard reading.name.kind == .latencyElectrical, reading.value != nil else { return reading }
      return Reading(
        notMeasured: .latencyElectrical, pattern: reading.pattern, take: reading.take,
        channel: reading.channel,
        because: "the recording was not started with the stimulus, so its delay is arbitrary")
    }
  }
}

/// A take out of a run's folder: the recording as it was measured, and the drive as it was sent.
struct RecordedTake {
  let recording: Recording
  let take: TakeDrive

  /// Puts a take together again; `nil` for one that was not measured, because a fault cut it short.
  ///
  /// `rendered` is the same take of the copies of its inputs: where its parts lie, what limits held.
  init?(
    _ record: RunRecord.Take, rendered: TakeDrive, rig: RigDescription,
    read: RecordedSound.Reader
  ) throws {
    guard let device = record.device else {
      throw InputError(
        "the record does not say what the devices told of the takes: an older version wrote it")
    }
    guard device.fault == nil else { return nil }
    guard let driveFile = record.drive, let responseFile = record.response else {
      throw InputError("no recordings were kept: write 'recordings: true' in the plan")
    }
    let drive = try read(driveFile, record.driveChannels)
    let roles = rig.drive.channels.sorted { $0.value < $1.value }.map(\.key)
    guard drive.channels.count == roles.count, drive.info.rate == rendered.rate else {
      throw InputError("\(driveFile): its channels or its rate are not those of the rig")
    }
    guard drive.info.frameCount == rendered.layout.frameCount,
      record.patternFrame == rendered.layout.pattern
    else {
      throw InputError(
        "\(driveFile): it has \(drive.info.frameCount) frames, and this version of haprig lays the take "
          + "out in \(rendered.layout.frameCount): score it with the version that made it")
    }
    var take = rendered
    take.channels = Dictionary(uniqueKeysWithValues: zip(roles, drive.channels))
    self.take = take
    recording = try Self.recording(
      record, device, try read(responseFile, record.responseChannels), file: responseFile, rig: rig)
  }

  private static func recording(
    _ record: RunRecord.Take, _ device: RunRecord.TakeDevice, _ sound: RecordedSound, file: String,
    rig: RigDescription
  ) throws(InputError) -> Recording {
    let names = record.responseChannels.map(\.name)
    let known = names.compactMap { name in rig.capture.channels.first { $0.name == name }?.port }
    guard known.count == names.count, sound.channels.count == names.count,
      device.frames == sound.info.frameCount
    else {
      throw InputError("\(file): it is not the recording that the record describes")
    }
    return Recording(
      channels: zip(known, sound.channels).map {
        Recording.Channel(description: $0, samples: $1)
      },
      rate: sound.info.rate, frameCount: device.frames, driveFrameCount: device.driveFrames,
      captureEvents: device.captureEvents, driveEvents: device.driveEvents,
      statistics: record.stream, expressible: device.expressible)
  }
}
