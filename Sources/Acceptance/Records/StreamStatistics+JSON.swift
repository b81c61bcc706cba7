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
    for device in try field["devices"].elements() { negotiations.append(try Negotiation(device)) }
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
    if let member = try field.member("jitter") { jitter = try JitterHistogram(member) }
    if let member = try field.member("transfers") { transfers = try Transfers(member) }
    for statement in try field.member("stated")?.elements() ?? [] {
      statements.append(try Statement(statement))
    }
    restartUncertainty = try field.member("restartUncertainty")?.size()
    if let member = try field.member("driveRate") { driveRate = try ClockRate(member) }
    if let member = try field.member("captureRate") { captureRate = try ClockRate(member) }
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
