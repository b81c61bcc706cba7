import Devices
import JSONText

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
    var counts: [Int] = []
    for count in try list.elements() { counts.append(try count.count()) }
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
