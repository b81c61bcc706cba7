// SPDX-License-Identifier: Apache-2.0

import Devices
import JSONText

extension StreamStatistics {
  static let form = JSONForm<StreamStatistics>(
    { field throws(RunRecordError) in try StreamStatistics(field) }, \.json)

  /// What follows from the rest stands beside it for whoever reads the record, and is not read back.
  private var json: JSONValue {
    // A plain nil would be the null of JSON beside a value that is not optional.
    .object(present: [
      "devices": JSONForm.list(Negotiation.form).json(negotiations),
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
      "jitter": jitter.map(JitterHistogram.form.json),
      "transfers": transfers.map(Transfers.form.json),
      "stated": statements.isEmpty
        ? JSONValue?.none : JSONForm.list(Statement.form).json(statements),
      "restartUncertainty": restartUncertainty.flatMap(JSONValue.finite),
      "driveRate": driveRate?.json,
      "captureRate": captureRate?.json,
      "drift": drift?.json,
    ])
  }

  private init(_ field: JSONField) throws(RunRecordError) {
    self.init()
    negotiations = try JSONForm.list(Negotiation.form).member("devices", of: field)
    start = try Start(try field["start"])
    timestamps = try Timestamps(try field["timestamps"])
    duration = try field["duration"].size()
    // A bound for an hour is reckoned from it: more breaks than any take has would take its time.
    xruns = try field["xruns"].integer(in: 0...1 << 20)
    suspensions = try field["suspensions"].count()
    spuriousWakeups = try field["spuriousWakeups"].count()
    timeouts = try field["timeouts"].count()
    clippedSamples = try field["clippedSamples"].count()
    scheduling = try JSONForm.optional(.described).member("scheduling", of: field)
    memoryLock = try JSONForm.optional(.described).member("memoryLock", of: field)
    cpuShare = try field.member("cpuShare")?.number()
    jitter = try JSONForm.optional(JitterHistogram.form).member("jitter", of: field)
    transfers = try JSONForm.optional(Transfers.form).member("transfers", of: field)
    statements = try JSONForm.list(Statement.form).or([]).member("stated", of: field)
    restartUncertainty = try field.member("restartUncertainty")?.size()
    driveRate = try JSONForm.optional(ClockRate.form).member("driveRate", of: field)
    captureRate = try JSONForm.optional(ClockRate.form).member("captureRate", of: field)
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

  fileprivate init(_ field: JSONField) throws(RunRecordError) {
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

  fileprivate init(_ field: JSONField) throws(RunRecordError) {
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
  fileprivate static let form = JSONForm(
    Self.init(ppm:uncertainty:pairCount:), ("ppm", \.ppm, .number),
    ("uncertainty", \.uncertainty, .size), ("pairs", \.pairCount, .count))

  /// Nothing where no line went through the pairs.
  fileprivate var json: JSONValue? {
    guard ppm.isFinite, uncertainty.isFinite else { return nil }
    return Self.form.json(self)
  }
}

extension Negotiation {
  static let form = JSONForm(
    Self.init(
      direction:pcm:cardName:access:format:channelCount:rate:periodFrames:bufferFrames:isConverted:
      timestampClock:dump:),
    ("direction", \.direction, .string), ("pcm", \.pcm, .string), ("card", \.cardName, .string),
    ("access", \.access, .string), ("format", \.format, .word),
    ("channels", \.channelCount, .count), ("rate", \.rate, .number),
    ("period", \.periodFrames, .count), ("buffer", \.bufferFrames, .count),
    ("converted", \.isConverted, .bool), ("timestampClock", \.timestampClock, .string),
    ("dump", \.dump, .string))
}

extension JitterHistogram {
  /// Counts by powers of two: bin k holds what lay below 2^k us.
  static let form = JSONForm(
    { counts, largest, _, _, _ in JitterHistogram(counts: counts, largest: largest) },
    ("counts", \.counts, .list(.count).checked(checkBins)), ("largest", \.largest, .size),
    ("median", \.median, .derived(.number)), ("p99", \.percentile99, .derived(.number)),
    ("p99.9", \.percentile999, .derived(.number)))

  private var median: Double? { bound(ofShare: 0.5) }
  private var percentile99: Double? { bound(ofShare: 0.99) }
  private var percentile999: Double? { bound(ofShare: 0.999) }

  @Sendable private static func checkBins(
    _ list: JSONField, _ counts: [Int]
  ) throws(RunRecordError) {
    try list.check(
      counts.count == binCount, "has \(counts.count) elements, but must have \(binCount)")
  }
}

extension StreamStatistics.Transfers {
  static let form = JSONForm(
    Self.init(output:input:pollingInterval:), ("output", \.output, JitterHistogram.form),
    ("input", \.input, JitterHistogram.form), ("pollingInterval", \.pollingInterval, .size))
}

extension StreamStatistics.Statement {
  static let form = JSONForm(
    { device, fullScaleVolts, source, driveDelay, sensorDelay, sensorRate in
      let knowsFullScale = source != .rigFile
      return Self(
        device: device, fullScaleVolts: fullScaleVolts, knowsFullScale: knowsFullScale,
        driveDelay: driveDelay, sensorDelay: sensorDelay, sensorRate: sensorRate)
    },
    ("device", \.device, .string), ("fullScale", \.fullScaleVolts, .optional(.number)),
    ("fullScaleFrom", \.fullScaleSource, .optional(JSONForm<FullScaleSource>.word)),
    ("driveDelay", \.driveDelay, .optional(.size)),
    ("sensorDelay", \.sensorDelay, .optional(.size)),
    ("sensorRate", \.sensorRate, .optional(.number)))

  private enum FullScaleSource: String, CaseIterable {
    case device
    case rigFile = "rig file"
  }

  private var fullScaleSource: FullScaleSource? {
    fullScaleVolts == nil ? nil : knowsFullScale ? .device : .rigFile
  }
}

extension StreamEvent {
  static let form = JSONForm(
    Self.init(kind:frame:length:channel:), ("kind", \.kind, .word), ("frame", \.frame, place),
    ("length", \.length, .count), ("channel", \.channel, .optional(.string)))

  /// Years of frames either way, and sums of a few of them stay numbers.
  private static let place = JSONForm<Int>(
    { field throws(RunRecordError) in
      try field.integer(in: -(1 << 40) + 1...(1 << 40) - 1)
    }, JSONValue.integer)
}

extension ExpressibleDrive {
  static let form = JSONForm(
    Self.init(frequencies:amplitudes:updateInterval:),
    ("frequencies", \.frequencies, Frequencies.form),
    ("amplitudes", \.amplitudes, .list(.number).checked(checkAmplitudes)),
    ("updateInterval", \.updateInterval, .positive))

  @Sendable private static func checkAmplitudes(
    _ list: JSONField, _ amplitudes: [Double]
  ) throws(RunRecordError) {
    try list.check(
      amplitudes.first == 0 && amplitudes.count > 1 && amplitudes.rises,
      "must rise from 0, two at least")
  }
}

extension ExpressibleDrive.Frequencies {
  fileprivate static let form = JSONForm<Self> { field throws(RunRecordError) in
    if let fixed = try field.member("fixed") { return .fixed(try fixed.positive()) }
    if let list = try field.member("grid") {
      let grid = try list.list { item throws(RunRecordError) in try item.number() }
      try list.check((grid.first ?? 0) > 0 && grid.rises, "must rise from above 0 Hz, one at least")
      return .grid(grid)
    }
    let upper = try field["highest"]
    let (lowest, highest) = (try field["lowest"].positive(), try upper.number())
    try upper.check(lowest <= highest, "must be at least the lowest, \(lowest) Hz")
    return .range(lowest...highest)
  } _: { frequencies in
    switch frequencies {
    case .fixed(let hertz): ["fixed": .number(hertz)]
    case .grid(let grid): ["grid": .array(grid.map { .number($0) })]
    case .range(let range):
      ["lowest": .number(range.lowerBound), "highest": .number(range.upperBound)]
    }
  }
}

extension [Double] {
  fileprivate var rises: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
