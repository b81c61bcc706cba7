package import Acceptance
package import Devices
package import Perception
package import SoundFiles
import Units

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
    read: (String) throws -> RecordedSound
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
    _ read: (String) throws -> RecordedSound
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
    read: (String) throws -> RecordedSound
  ) throws {
    guard let device = record.device else {
      throw InputError(
        "the record does not say what the devices told of the takes: an older version wrote it")
    }
    guard device.fault == nil else { return nil }
    guard let driveFile = record.drive, let responseFile = record.response else {
      throw InputError("no recordings were kept: write 'recordings: true' in the plan")
    }
    let drive = try read(driveFile)
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
      record, device, try read(responseFile), file: responseFile, rig: rig)
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

package struct RecordedSound {
  package let info: SoundFile.Info
  package let channels: [Samples]

  package init(path: String, limit: SoundFile.Limit = .init()) throws(SoundFileError) {
    var writers: [SampleWriter] = []
    info = try SoundFile.scan(path: path, limit: limit) { block, width in
      if writers.isEmpty { writers = (0..<width).map { _ in SampleWriter() } }
      for (channel, writer) in writers.enumerated() {
        writer.append(channel: channel, of: width, in: block, frames: block.count / width)
      }
    }
    channels = writers.map { $0.finish() }
  }
}
