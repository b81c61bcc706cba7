import Devices
import JSONText

extension RunAccount {
  /// How a device's stream went, as records keep it.
  static func stream(_ statistics: StreamStatistics) -> JSONValue {
    var members = [
      JSONMember("devices", .array(statistics.negotiations.map(negotiation))),
      JSONMember("start", start(statistics.start)),
      JSONMember("duration", .number(statistics.duration)),
      JSONMember("xruns", .integer(statistics.xruns)),
      JSONMember("suspensions", .integer(statistics.suspensions)),
      JSONMember("spuriousWakeups", .integer(statistics.spuriousWakeups)),
      JSONMember("timeouts", .integer(statistics.timeouts)),
      JSONMember("clippedSamples", .integer(statistics.clippedSamples)),
      JSONMember("timestamps", timestamps(statistics.timestamps)),
    ]
    func add(_ key: String, _ value: JSONValue?) {
      if let value { members.append(JSONMember(key, value)) }
    }
    add("xrunsPerHourAtMost", statistics.xrunsPerHourBound.map { .number($0) })
    add("scheduling", statistics.scheduling.map { .string("\($0)") })
    add("memoryLock", statistics.memoryLock.map { .string("\($0)") })
    add("cpuShare", statistics.cpuShare.map { .number($0) })
    add("jitter", statistics.jitter.map(jitter))
    add("transfers", statistics.transfers.map(transfers))
    if !statistics.statements.isEmpty {
      add("stated", .array(statistics.statements.map(statement)))
    }
    add("restartUncertainty", statistics.restartUncertainty.map { .number($0) })
    add("driveRate", statistics.driveRate.map(rate))
    add("captureRate", statistics.captureRate.map(rate))
    add("drift", statistics.drift.map(rate))
    return .object(members)
  }

  private static func negotiation(_ device: Negotiation) -> JSONValue {
    [
      "direction": .string(device.direction), "pcm": .string(device.pcm),
      "card": .string(device.cardName), "access": .string(device.access),
      "format": .string(device.format.rawValue), "channels": .integer(device.channelCount),
      "rate": .number(device.rate), "period": .integer(device.periodFrames),
      "buffer": .integer(device.bufferFrames), "converted": .bool(device.isConverted),
      "timestampClock": .string(device.timestampClock), "dump": .string(device.dump),
    ]
  }

  private static func start(_ start: StreamStatistics.Start) -> JSONValue {
    switch start {
    case .lockStep: ["how": "lock-step"]
    case .linked: ["how": "linked"]
    case .unlinked(let offset, let uncertainty, let reason):
      [
        "how": "unlinked", "offset": .number(offset), "uncertainty": .number(uncertainty),
        "reason": .string(reason),
      ]
    case .separate(let reason): ["how": "separate", "reason": .string(reason)]
    }
  }

  private static func timestamps(_ timestamps: StreamStatistics.Timestamps) -> JSONValue {
    switch timestamps {
    case .kernel: ["from": "kernel"]
    case .program(let reason): ["from": "program", "reason": .string(reason)]
    }
  }

  /// Counts by powers of two: bin k holds what lay below 2^k us.
  private static func jitter(_ histogram: JitterHistogram) -> JSONValue {
    var members = [
      JSONMember("counts", .array(histogram.counts.map { .integer($0) })),
      JSONMember("largest", .number(histogram.largest)),
    ]
    for (key, share) in [("median", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
      if let bound = histogram.bound(ofShare: share) {
        members.append(JSONMember(key, .number(bound)))
      }
    }
    return .object(members)
  }

  private static func transfers(_ transfers: StreamStatistics.Transfers) -> JSONValue {
    [
      "output": jitter(transfers.output), "input": jitter(transfers.input),
      "pollingInterval": .number(transfers.pollingInterval),
    ]
  }

  private static func statement(_ statement: StreamStatistics.Statement) -> JSONValue {
    var members = [JSONMember("device", .string(statement.device))]
    if let volts = statement.fullScaleVolts {
      members.append(JSONMember("fullScale", .number(volts)))
      members.append(
        JSONMember("fullScaleFrom", .string(statement.knowsFullScale ? "device" : "rig file")))
    }
    for (key, number) in [
      ("driveDelay", statement.driveDelay), ("sensorDelay", statement.sensorDelay),
      ("sensorRate", statement.sensorRate),
    ] {
      if let number { members.append(JSONMember(key, .number(number))) }
    }
    return .object(members)
  }

  private static func rate(_ rate: StreamStatistics.ClockRate) -> JSONValue {
    [
      "ppm": .number(rate.ppm), "uncertainty": .number(rate.uncertainty),
      "pairs": .integer(rate.pairCount),
    ]
  }
}
