// SPDX-License-Identifier: Apache-2.0

import AHAP
import Actuators
import Devices
import Foundation
import HapticRendering
import JSONText
import Profiles
import SoundFiles
import Units

/// The files of one start of an engine, in a folder that has a hidden name until it is whole.
struct StartRecord: ~Copyable {
  private let hidden: URL
  private let final: URL
  private var drive: SoundFileWriter
  private var response: SoundFileWriter
  private var sent: RealtimeQueue<Float>.Consumer
  private var recorded: RealtimeQueue<Float>.Consumer
  private let hasResponse: Bool
  private let bench: EngineBench
  private let began = Date()
  /// Samples that are still taken; what is longer is not kept.
  private var driveRoom: Int
  private var responseRoom: Int

  /// The app's name, in what is measured of it too: two apps are two series of a history.
  static let app = ProcessInfo.processInfo.processName

  init(
    _ bench: EngineBench, channels: [CaptureChannel], in folder: String,
    sent: consuming RealtimeQueue<Float>.Consumer, recorded: consuming RealtimeQueue<Float>.Consumer
  ) throws {
    // As 20231114T221329Z.
    let stamp = Date().formatted(
      Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    let name = "\(stamp)-\(Self.app)-\(UUID().uuidString.prefix(8).lowercased())"
    let parent = URL(fileURLWithPath: folder, isDirectory: true)
    let partial = parent.appendingPathComponent(".\(name).partial", isDirectory: true)
    try FileManager.default.createDirectory(at: partial, withIntermediateDirectories: true)
    let rate = bench.rig.drive.rate
    let driveFile = try SoundFileWriter(
      path: partial.appendingPathComponent("drive.wav").path,
      channels: bench.rig.drive.channelCount, rate: rate)
    let responseFile = try SoundFileWriter(
      path: partial.appendingPathComponent("response.wav").path, channels: max(1, channels.count),
      rate: rate)
    hidden = partial
    final = parent.appendingPathComponent(name, isDirectory: true)
    self.bench = bench
    drive = driveFile
    response = responseFile
    self.sent = sent
    self.recorded = recorded
    hasResponse = !channels.isEmpty
    let frames = rate.wholeFrames(bench.longestRecord)
    driveRoom = frames * bench.rig.drive.channelCount
    responseRoom = frames * max(1, channels.count)
  }

  /// Writes what the stream's tape has kept.
  mutating func write() throws {
    let (sent, recorded) = (self.sent.takeAll(), self.recorded.takeAll())
    if !sent.isEmpty { try drive.write(Array(sent.prefix(driveRoom))) }
    if !recorded.isEmpty { try response.write(Array(recorded.prefix(responseRoom))) }
    driveRoom -= min(driveRoom, sent.count)
    responseRoom -= min(responseRoom, recorded.count)
  }

  /// Writes what was played and gives the folder its name.
  consuming func finish(_ summary: StartSummary) throws {
    let (hidden, final, hasResponse, bench, began) = (hidden, final, hasResponse, bench, began)
    try drive.close()
    try response.close()
    if !hasResponse {
      try FileManager.default.removeItem(at: hidden.appendingPathComponent("response.wav"))
    }
    var players: [JSONValue] = []
    for (index, played) in summary.played.filter({ !$0.isEmpty }).enumerated() {
      // A pattern begins a moment before its first event, so that no rounding puts that before 0.
      let origin = max(0, (played.firstStart ?? 0) - 0.01)
      let pattern = played.pattern(from: origin, end: summary.duration)
      let name = "\(Self.app)-\(index + 1).ahap"
      try Data(AHAPWriter.text(pattern).utf8).write(to: hidden.appendingPathComponent(name))
      players.append([
        "pattern": .string(name), "origin": .number(origin),
        "events": .integer(pattern.events.count),
      ])
    }
    let text = summary.json(players: players, bench: bench, began: began).text() + "\n"
    try Data(text.utf8).write(to: hidden.appendingPathComponent("engine.json"))
    try FileManager.default.moveItem(at: hidden, to: final)
  }
}

/// What is told of one start of an engine, besides its sound files.
struct StartSummary {
  var played: [PlayedEvents] = []
  var latency = EngineLatency()
  /// In seconds of the stream.
  var duration = 0.0
  var fault: DeviceError?
  /// What was asked and could not be done.
  var refusals: [String] = []
  var droppedEvents = 0
  var lostNotices = 0
  var lostSamples = 0
  /// How many frames the device lacked, by what it tells.
  var underrunFrames = 0

  /// The summary as it stands in `engine.json`.
  func json(players: [JSONValue], bench: EngineBench, began: Date) -> JSONValue {
    let rig = bench.rig
    func spread(_ values: [Double]) -> JSONValue {
      var members = [JSONMember("count", .integer(values.count))]
      for (name, share) in [("median", 0.5), ("p95", 0.95), ("largest", 1.0)] {
        guard let value = EngineLatency.quantile(share, of: values) else { continue }
        members.append(JSONMember(name, .number(value)))
      }
      return .object(members)
    }
    let members: [(key: String, value: JSONValue?)] = [
      ("kind", "haprig engine start"), ("version", 1), ("program", .string(StartRecord.app)),
      ("began", .number(began.timeIntervalSince1970)), ("rig", .string(rig.name)),
      ("actuator", .string(rig.actuators[0].id)), ("rate", .number(rig.drive.rate.hertz)),
      ("duration", .number(duration)), ("players", .array(players)),
      (
        "latency",
        [
          "immediate": spread(latency.immediate), "scheduled": spread(latency.scheduled),
          "handed": spread(latency.handed),
        ]
      ),
      ("refusals", .array(refusals.map(JSONValue.string))),
      ("droppedEvents", .integer(droppedEvents)), ("lostNotices", .integer(lostNotices)),
      ("lostSamples", .integer(lostSamples)),
      (
        "profile",
        bench.profile.map { profile in
          [
            "actuator": .string(profile.actuator.id), "run": .string(profile.source.run),
            "hash": .string(profile.source.hash),
          ]
        }
      ),
      ("fault", fault.map { .string($0.description) }),
    ]
    return .object(members.compactMap { key, value in value.map { JSONMember(key, $0) } })
  }
}

/// The render thread's end of a record: samples on their way to the thread that writes files.
struct StreamTape: ~Copyable {
  private var drive: RealtimeQueue<Float>.Producer
  private var response: RealtimeQueue<Float>.Producer
  /// Whether there is a record at all.
  private let isKept: Bool
  /// How many samples found no room.
  private(set) var lost = 0

  init(
    drive: consuming RealtimeQueue<Float>.Producer,
    response: consuming RealtimeQueue<Float>.Producer, isKept: Bool
  ) {
    self.drive = drive
    self.response = response
    self.isKept = isKept
  }

  /// Keeps what was sent, all or none.
  @_noAllocation @_noLocks
  mutating func keep(sent samples: Span<Float>) {
    if isKept { Self.keep(samples, in: &drive, &lost) }
  }

  /// Keeps what was recorded, all or none.
  @_noAllocation @_noLocks
  mutating func keep(recorded samples: Span<Float>) {
    if isKept { Self.keep(samples, in: &response, &lost) }
  }

  private static func keep(
    _ samples: Span<Float>, in queue: inout RealtimeQueue<Float>.Producer, _ lost: inout Int
  ) {
    guard queue.room >= samples.count else {
      lost += samples.count
      return
    }
    _ = queue.write(samples)
  }
}

extension RealtimeQueue<Float>.Consumer {
  /// Takes all samples that are there.
  mutating func takeAll() -> [Float] {
    var samples = [Float](repeating: 0, count: available)
    var span = samples.mutableSpan
    _ = read(into: &span)
    return samples
  }
}
