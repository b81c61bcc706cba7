import Devices
import JSONText

extension StreamStatistics {
  /// What follows from the rest stands beside it for whoever reads the record, and is not read back.
  var json: JSONValue {
    .object(present: [
      "devices": .array(negotiations.map(\.json)),
      "start": start.json,
      "duration": .finite(duration),
      "xruns": .integer(xruns),
      "suspensions": .integer(suspensions),
      "spuriousWakeups": .integer(spuriousWakeups),
      "timeouts": .integer(timeouts),
      "clippedSamples": .integer(clippedSamples),
      "timestamps": timestamps.json,
      "xrunsPerHourAtMost": xrunsPerHourBound.flatMap(JSONValue.finite),
      "scheduling": scheduling.map { .string($0.description) },
      "memoryLock": memoryLock.map { .string($0.description) },
      "cpuShare": cpuShare.flatMap(JSONValue.finite),
      "jitter": jitter?.json,
      "transfers": transfers?.json,
      "stated": statements.isEmpty ? nil : .array(statements.map(\.json)),
      "restartUncertainty": restartUncertainty.flatMap(JSONValue.finite),
      "driveRate": driveRate?.json,
      "captureRate": captureRate?.json,
      "drift": drift?.json,
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init()
    negotiations = try field["devices"].list(Negotiation.init)
    start = try Start(try field["start"])
    timestamps = try Timestamps(try field["timestamps"])
    duration = try field["duration"].size()
    // A bound for an hour is reckoned from it: more breaks than any take has would take its time.
    xruns = try field["xruns"].integer(in: 0...1 << 20)
    suspensions = try field["suspensions"].count()
    spuriousWakeups = try field["spuriousWakeups"].count()
    timeouts = try field["timeouts"].count()
    clippedSamples = try field["clippedSamples"].count()
    scheduling = try field.member("scheduling")?.described(Scheduling.self)
    memoryLock = try field.member("memoryLock")?.described(MemoryLock.self)
    cpuShare = try field.member("cpuShare")?.number()
    jitter = try field.member("jitter", JitterHistogram.init)
    transfers = try field.member("transfers", Transfers.init)
    statements = try field.member("stated")?.list(Statement.init) ?? []
    restartUncertainty = try field.member("restartUncertainty")?.size()
    driveRate = try field.member("driveRate", ClockRate.init)
    captureRate = try field.member("captureRate", ClockRate.init)
  }
}

extension StreamStatistics.Start {
  fileprivate var json: JSONValue {
    switch self {
    case .lockStep, .linked: ["how": .string(kind.rawValue)]
    case .unlinked(let offset, let uncertainty, let reason):
      .object(present: [
        "how": .string(kind.rawValue), "offset": .finite(offset),
        "uncertainty": .finite(uncertainty),
        "reason": .string(reason),
      ])
    case .separate(let reason): ["how": .string(kind.rawValue), "reason": .string(reason)]
    }
  }

  fileprivate init(_ field: RecordField) throws(RunRecordError) {
    switch try field["how"].word(Kind.self) {
    case .lockStep: self = .lockStep
    case .linked: self = .linked
    case .unlinked:
      self = .unlinked(
        offset: try field["offset"].number(), uncertainty: try field["uncertainty"].size(),
        reason: try field["reason"].string())
    case .separate: self = .separate(reason: try field["reason"].string())
    }
  }
}

extension StreamStatistics.Timestamps {
  fileprivate var json: JSONValue {
    switch self {
    case .kernel: ["from": "kernel"]
    case .program(let reason): ["from": "program", "reason": .string(reason)]
    }
  }

  fileprivate init(_ field: RecordField) throws(RunRecordError) {
    switch try field["from"].word(Source.self) {
    case .kernel: self = .kernel
    case .program: self = .program(reason: try field["reason"].string())
    }
  }

  private enum Source: String, CaseIterable {
    case kernel
    case program
  }
}

extension StreamStatistics.ClockRate {
  /// Nothing where no line went through the pairs.
  fileprivate var json: JSONValue? {
    guard ppm.isFinite, uncertainty.isFinite else { return nil }
    return [
      "ppm": .number(ppm), "uncertainty": .number(uncertainty), "pairs": .integer(pairCount),
    ]
  }

  fileprivate init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      ppm: try field["ppm"].number(), uncertainty: try field["uncertainty"].size(),
      pairCount: try field["pairs"].count())
  }
}

extension Negotiation {
  var json: JSONValue {
    .object(present: [
      "direction": .string(direction), "pcm": .string(pcm), "card": .string(cardName),
      "access": .string(access), "format": .string(format.rawValue),
      "channels": .integer(channelCount), "rate": .finite(rate), "period": .integer(periodFrames),
      "buffer": .integer(bufferFrames), "converted": .bool(isConverted),
      "timestampClock": .string(timestampClock), "dump": .string(dump),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      direction: try field["direction"].string(), pcm: try field["pcm"].string(),
      cardName: try field["card"].string(), access: try field["access"].string(),
      format: try field["format"].word(SampleFormat.self),
      channelCount: try field["channels"].count(), rate: try field["rate"].number(),
      periodFrames: try field["period"].count(), bufferFrames: try field["buffer"].count(),
      isConverted: try field["converted"].bool(),
      timestampClock: try field["timestampClock"].string(), dump: try field["dump"].string())
  }
}

extension JitterHistogram {
  /// Counts by powers of two: bin k holds what lay below 2^k us.
  var json: JSONValue {
    .object(present: [
      "counts": .array(counts.map { .integer($0) }),
      "largest": .finite(largest),
      "median": bound(ofShare: 0.5).flatMap(JSONValue.finite),
      "p99": bound(ofShare: 0.99).flatMap(JSONValue.finite),
      "p99.9": bound(ofShare: 0.999).flatMap(JSONValue.finite),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    let list = try field["counts"]
    let counts = try list.values(JSONField.count)
    guard counts.count == Self.binCount else {
      throw list.error("\(list.path) has \(counts.count) elements, but must have \(Self.binCount)")
    }
    self.init(counts: counts, largest: try field["largest"].size())
  }
}

extension StreamStatistics.Transfers {
  var json: JSONValue {
    .object(present: [
      "output": output.json, "input": input.json, "pollingInterval": .finite(pollingInterval),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      output: try JitterHistogram(try field["output"]),
      input: try JitterHistogram(try field["input"]),
      pollingInterval: try field["pollingInterval"].size())
  }
}

extension StreamStatistics.Statement {
  var json: JSONValue {
    .object(present: [
      "device": .string(device),
      "fullScale": fullScaleVolts.flatMap(JSONValue.finite),
      "fullScaleFrom": fullScaleVolts.map { _ in
        .string((knowsFullScale ? FullScaleSource.device : .rigFile).rawValue)
      },
      "driveDelay": driveDelay.flatMap(JSONValue.finite),
      "sensorDelay": sensorDelay.flatMap(JSONValue.finite),
      "sensorRate": sensorRate.flatMap(JSONValue.finite),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      device: try field["device"].string(),
      fullScaleVolts: try field.member("fullScale")?.number(),
      knowsFullScale: try field.member("fullScaleFrom")?.word(FullScaleSource.self) != .rigFile,
      driveDelay: try field.member("driveDelay")?.size(),
      sensorDelay: try field.member("sensorDelay")?.size(),
      sensorRate: try field.member("sensorRate")?.number())
  }

  private enum FullScaleSource: String, CaseIterable {
    case device
    case rigFile = "rig file"
  }
}

extension RunRecord.TakeDevice {
  var json: JSONValue {
    .object(present: [
      "frames": .integer(frames), "driveFrames": .integer(driveFrames),
      "captureEvents": .array(captureEvents.map(\.json)),
      "driveEvents": .array(driveEvents.map(\.json)),
      "expressible": expressible?.json,
      "fault": fault.map(JSONValue.string),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      frames: try field["frames"].count(), driveFrames: try field["driveFrames"].count(),
      captureEvents: try field["captureEvents"].list(StreamEvent.init),
      driveEvents: try field["driveEvents"].list(StreamEvent.init),
      expressible: try field.member("expressible", ExpressibleDrive.init),
      fault: try field.member("fault")?.string())
  }
}

extension StreamEvent {
  fileprivate var json: JSONValue {
    .object(present: [
      "kind": .string(kind.rawValue), "frame": .integer(frame), "length": .integer(length),
      "channel": channel.map(JSONValue.string),
    ])
  }

  fileprivate init(_ field: RecordField) throws(RunRecordError) {
    // Years of frames, and sums of a few of them stay numbers.
    let farthest = (1 << 40) - 1
    self.init(
      kind: try field["kind"].word(Kind.self),
      frame: try field["frame"].integer(in: -farthest...farthest),
      length: try field["length"].count(), channel: try field.member("channel")?.string())
  }
}

extension ExpressibleDrive {
  var json: JSONValue {
    [
      "frequencies": frequencies.json, "amplitudes": .array(amplitudes.map { .number($0) }),
      "updateInterval": .number(updateInterval),
    ]
  }

  init(_ field: RecordField) throws(RunRecordError) {
    let (levels, interval) = (try field["amplitudes"], try field["updateInterval"])
    let amplitudes = try levels.numbers()
    guard amplitudes.first == 0, amplitudes.count > 1, amplitudes.rises else {
      throw levels.error("\(levels.path) must rise from 0, two at least")
    }
    self.init(
      frequencies: try Frequencies(field["frequencies"]), amplitudes: amplitudes,
      updateInterval: try interval.positive())
  }
}

extension ExpressibleDrive.Frequencies {
  fileprivate var json: JSONValue {
    switch self {
    case .fixed(let hertz): ["fixed": .number(hertz)]
    case .grid(let grid): ["grid": .array(grid.map { .number($0) })]
    case .range(let range):
      ["lowest": .number(range.lowerBound), "highest": .number(range.upperBound)]
    }
  }

  fileprivate init(_ field: RecordField) throws(RunRecordError) {
    if let fixed = try field.member("fixed") {
      self = .fixed(try fixed.positive())
    } else if let list = try field.member("grid") {
      let grid = try list.numbers()
      guard (grid.first ?? 0) > 0, grid.rises else {
        throw list.error("\(list.path) must rise from above 0 Hz, one at least")
      }
      self = .grid(grid)
    } else {
      let upper = try field["highest"]
      let (lowest, highest) = (try field["lowest"].positive(), try upper.number())
      guard lowest <= highest else {
        throw upper.error("\(upper.path) must be at least the lowest, \(lowest) Hz")
      }
      self = .range(lowest...highest)
    }
  }
}

extension RecordField {
  fileprivate func positive() throws(RunRecordError) -> Double {
    let number = try number()
    guard number > 0 else { throw error("\(path) is \(number), but must be above 0") }
    return number
  }
}

extension [Double] {
  fileprivate var rises: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
