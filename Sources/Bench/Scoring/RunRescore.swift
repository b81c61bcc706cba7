public import Acceptance
import Devices
public import Perception
import Units

/// Measures the recordings of a run again, from its folder alone.
///
/// The same version gives the same readings to the last bit, and so the same record.
public struct RunRescore {
  /// What plays a part of the run, and by what it is judged.
  public struct Subject {
    let builder: TakeBuilder
    let target: IntensityTarget
    let patterns: [LoadedPattern]

    /// Gathers what was played.
    ///
    /// - Parameters:
    ///   - builder: How patterns became takes.
    ///   - target: The law that levels are judged by.
    ///   - patterns: The patterns of the record, in its order.
    public init(builder: TakeBuilder, target: IntensityTarget, patterns: [LoadedPattern]) {
      self.builder = builder
      self.target = target
      self.patterns = patterns
    }
  }

  private let record: RunRecord
  private let subject: Subject
  private let control: Subject?
  private let software: String
  private let read: (String) throws -> RecordedSound

  /// Prepares it.
  ///
  /// - Parameters:
  ///   - record: The run's record.
  ///   - subject: What was played on the rig.
  ///   - control: What was played on the control's, where another rig was one.
  ///   - software: The version that measures, as records name it.
  ///   - read: Reads a sound file of the run's folder.
  public init(
    _ record: RunRecord, subject: Subject, control: Subject?, software: String,
    read: @escaping (String) throws -> RecordedSound
  ) {
    self.record = record
    self.subject = subject
    self.control = control
    self.software = software
    self.read = read
  }

  /// Measures every take and judges the run.
  ///
  /// - Returns: The record with new readings and verdicts, all else as it was, and a picture a take.
  /// - Throws: `InputError` where the folder lacks something, and what `read` throws.
  public func execute() throws -> (record: RunRecord, figures: [TakeFigure]) {
    var new = record
    var figures: [TakeFigure] = []
    let own = try measure(&new.patterns, of: subject)
    figures = own.flatMap(\.figures)
    new.impulse = RunRecord.Impulse(firstOf: figures)
    let rate = subject.builder.rig.drive.rate
    new.readings = RunScore.whole(new.patterns, own.flatMap(\.readings), rate: rate)
    if record.run.hasArbitraryDelay { new.readings = new.readings.withoutElectricalLatency }
    // The loop keeps no recordings: what it told stays as it is.
    let loop = record.readings.filter { $0.name.isControl && $0.pattern == nil && $0.take != nil }
    var controlReadings = loop.map(\.unjudged)
    var controlRate = loop.isEmpty ? nil : Optional(rate)
    if let control, var patterns = new.control?.patterns {
      let takes = try measure(&patterns, of: control)
      new.control?.patterns = patterns
      let rounds = takes.sorted { ($0.number, $0.pattern) < ($1.number, $1.pattern) }
      controlReadings = rounds.flatMap(\.readings).map(\.ofControl)
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

  private struct Scored {
    let pattern: Int
    let number: Int
    let readings: [Reading]
    let figures: [TakeFigure]
  }

  /// Measures the takes of some patterns, in their order, and writes what was rejected into them.
  private func measure(
    _ patterns: inout [RunRecord.Pattern], of subject: Subject
  ) throws -> [Scored] {
    let analysis = TakeAnalysis(rig: subject.builder.rig, target: subject.target)
    var scored: [Scored] = []
    for (index, pattern) in patterns.enumerated() {
      let rendered = subject.builder.build(subject.patterns[index])
      for (place, account) in pattern.takes.enumerated() {
        guard
          let take = try RecordedTake(
            account, rendered: rendered, rig: subject.builder.rig, read: read)
        else { continue }
        let result = analysis.measure(
          take.take, take.recording, pattern: pattern.name, number: account.number)
        patterns[index].takes[place].rejected = result.rejected
        scored.append(
          Scored(
            pattern: index, number: account.number, readings: result.readings,
            figures: [result.figure]))
      }
    }
    return scored
  }
}

extension Reading {
  /// The same reading before it was judged.
  fileprivate var unjudged: Reading {
    var reading = self
    reading.limit = nil
    reading.verdict = value == nil ? .notMeasured : nil
    return reading
  }
}

extension [Reading] {
  /// The readings without the electrical latencies of a response that was lined up by its own marker.
  public var withoutElectricalLatency: [Reading] {
    map { reading in
      guard reading.name.kind == .latencyElectrical, reading.value != nil else { return reading }
      return Reading(
        notMeasured: .latencyElectrical, pattern: reading.pattern, take: reading.take,
        channel: reading.channel,
        because: "the recording was not started with the stimulus, so its delay is arbitrary")
    }
  }
}
