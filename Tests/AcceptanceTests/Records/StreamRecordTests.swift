// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import JSONText
import Testing

/// How a stream went and what devices told, in the record and out of it.
@Suite struct StreamRecordTests {
  /// The smallest record's only take with a member more, as its JSON text has it.
  private static func take(_ member: String) throws -> RunRecord.Take {
    let text = RunRecordJSONTests.smallest.text
    try #require(text.contains("\"patternFrame\": 4800"))
    let changed = text.replacing(
      "\"patternFrame\": 4800", with: "\(member), \"patternFrame\": 4800")
    return try RunRecord(parsing: Array(changed.utf8)).patterns[0].takes[0]
  }

  private static func json(of stream: StreamStatistics) throws -> JSONValue {
    var record = RunRecordJSONTests.smallest
    record.patterns[0].takes[0].stream = stream
    return try #require(record.json["patterns"]?.elements?[0]["takes"]?.elements?[0]["stream"])
  }

  @Test func `what boards say of themselves stands in the record, with who knows the full scale`()
    throws
  {
    var statistics = StreamStatistics()
    statistics.statements = [
      .init(device: "A", fullScaleVolts: 3.3, driveDelay: 0.25),
      .init(device: "B", fullScaleVolts: 4, knowsFullScale: false),
      .init(device: "C", sensorDelay: 0.5, sensorRate: 26_667),
    ]
    let expected: JSONValue = [
      ["device": "A", "fullScale": 3.3, "fullScaleFrom": "device", "driveDelay": 0.25],
      ["device": "B", "fullScale": 4.0, "fullScaleFrom": "rig file"],
      ["device": "C", "sensorDelay": 0.5, "sensorRate": 26_667.0],
    ]
    #expect(try Self.json(of: statistics)["stated"]?.text() == expected.text())
  }

  @Test func `devices that say nothing of themselves leave nothing in the record`() throws {
    #expect(try Self.json(of: StreamStatistics())["stated"] == nil)
  }

  @Test func `what follows from a stream is written for readers and not read back`() throws {
    var stream = StreamStatistics()
    stream.duration = 3600
    stream.driveRate = .init(ppm: 2, uncertainty: 3, pairCount: 7)
    stream.captureRate = .init(ppm: 12, uncertainty: 4, pairCount: 5)
    var counts = [Int](repeating: 0, count: JitterHistogram.binCount)
    counts[3] = 98
    counts[5] = 2
    stream.jitter = JitterHistogram(counts: counts, largest: 30e-6)
    let json = try Self.json(of: stream)
    #expect(json["drift"] == ["ppm": 10.0, "uncertainty": 5.0, "pairs": 5])
    #expect(abs((json["xrunsPerHourAtMost"]?.number ?? 0) - 2.9957) < 1e-4)
    #expect(json["jitter"]?["median"]?.number == 8e-6)
    #expect(json["jitter"]?["p99"]?.number == 30e-6)
    let forged = json.text().replacing("2.99", with: "9.99").replacing(
      "\"ppm\": 10", with: "\"ppm\": 99")
    #expect(forged != json.text())
    #expect(try Self.take("\"stream\": \(forged)").stream == stream)
  }

  @Test func `a rate that no line gave is left out`() throws {
    var stream = StreamStatistics()
    stream.driveRate = .init(ppm: .nan, uncertainty: .infinity, pairCount: 1)
    stream.captureRate = .host(pairCount: 1)
    let json = try Self.json(of: stream)
    #expect(json["driveRate"] == nil && json["drift"] == nil && json["captureRate"] != nil)
    stream.driveRate = nil
    #expect(try Self.take("\"stream\": \(json.text())").stream == stream)
  }

  @Test func `the record of a version that kept neither is read`() throws {
    let take = RunRecordJSONTests.smallest.patterns[0].takes[0]
    #expect(take.stream == nil && take.device == nil)
    #expect(try Self.take("\"later\": 1") == take)
  }

  @Test func `a stream without what only some devices tell is read`() throws {
    let text = try Self.json(of: StreamStatistics()).text()
    #expect(try Self.take("\"stream\": \(text)").stream == StreamStatistics())
  }

  @Test(arguments: [
    ("\"xruns\":0", "\"xruns\":-1", "xruns"), ("\"xruns\":0", "\"xruns\":9999999999", "xruns"),
    ("lock-step", "leapt", "start.how"), ("lock-step", "separate", "start"),
    ("\"program\"", "\"sun\"", "timestamps.from"),
    ("\"duration\":0", "\"duration\":-1", "duration"),
    ("\"timeouts\":0", "\"scheduling\":\"<b>\",\"timeouts\":0", "scheduling"),
    ("\"timeouts\":0", "\"memoryLock\":\"memory\",\"timeouts\":0", "memoryLock"),
    ("\"timeouts\":0", "\"jitter\":{\"counts\":[1],\"largest\":1},\"timeouts\":0", "jitter.counts"),
    ("\"devices\":[]", "\"devices\":[{\"direction\":1}]", "devices[0].direction"),
  ])
  func `a stream that is none is told by its place`(
    old: String, new: String, path: String
  ) throws {
    let text = try Self.json(of: StreamStatistics()).text(indent: nil)
    try #require(text.contains(old), "\(text)")
    let error = #expect(throws: RunRecordError.self) {
      try Self.take("\"stream\": \(text.replacing(old, with: new))")
    }
    #expect(error?.path == "patterns[0].takes[0].stream.\(path)")
  }

  @Test(arguments: [
    ("{}", "captureEvents"), ("[]", "captureEvents"), ("[1]", "captureEvents[0]"),
    (#"[{"kind": "hiccup", "frame": 1, "length": 1}]"#, "captureEvents[0].kind"),
    (#"[{"kind": "drop", "frame": 1.5, "length": 1}]"#, "captureEvents[0].frame"),
    (#"[{"kind": "drop", "frame": 1099511627776, "length": 1}]"#, "captureEvents[0].frame"),
    (#"[{"kind": "drop", "frame": -9223372036854775808, "length": 1}]"#, "captureEvents[0].frame"),
    (#"[{"kind": "drop", "frame": 1, "length": -1}]"#, "captureEvents[0].length"),
    (#"[{"kind": "drop", "frame": 1, "length": 1099511627776}]"#, "captureEvents[0].length"),
    (#"[{"kind": "drop", "frame": 1, "length": 1, "channel": 2}]"#, "captureEvents[0].channel"),
  ])
  func `a list of events that is none is told by its place`(list: String, path: String) throws {
    func device(_ capture: String) -> String {
      #""device": {"frames": 9, "driveFrames": 8, "driveEvents": [], "captureEvents": \#(capture)}"#
    }
    if list == "[]" {
      #expect(try Self.take(device(list)).device == .init(frames: 9, driveFrames: 8))
      return
    }
    let error = #expect(throws: RunRecordError.self) { try Self.take(device(list)) }
    #expect(error?.path == "patterns[0].takes[0].device.\(path)")
  }

  @Test(arguments: ["frames", "driveFrames", "captureEvents", "driveEvents"])
  func `what a take cannot be measured again without is required`(key: String) throws {
    let whole = #"{"frames": 9, "driveFrames": 8, "driveEvents": [], "captureEvents": []}"#
    let error = #expect(throws: RunRecordError.self) {
      try Self.take(#""device": \#(whole.replacing("\"\(key)\"", with: "\"other\""))"#)
    }
    #expect(error?.path == "patterns[0].takes[0].device")
    #expect(error?.message.contains("device.\(key) is missing") == true)
  }
}
