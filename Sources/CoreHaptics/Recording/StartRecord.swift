import AHAP
import Actuators
import Devices
import Foundation
import HapticRendering
import JSONText
import Profiles
import SoundFiles
import Synchronization
import Units

/// The files of one start of an engine, in a folder that has a hidden name until it is whole.
struct StartRecord: ~Copyable {
  private let hidden: URL
  private let final: URL
  private var drive: SoundFileWriter
  private var response: SoundFileWriter
  private let hasResponse: Bool
  private let bench: EngineBench
  private let began = Date()
  /// Samples that are still taken; what is longer is not kept.
  private var driveRoom: Int
  private var responseRoom: Int

  /// The app's name, in what is measured of it too: two apps are two series of a history.
  static let app = ProcessInfo.processInfo.processName

  /// Makes the folder and its sound files.
  init(_ bench: EngineBench, channels: [CaptureChannel], in folder: String) throws {
    // As 20231114T221329Z.
    let stamp = Date().formatted(
      Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    let name = "\(stamp)-\(Self.app)-\(UUID().uuidString.prefix(8).lowercased())"
    let parent = URL(fileURLWithPath: folder, isDirectory: true)
    let partial = parent.appendingPathComponent(".\(name).partial", isDirectory: true)
    try FileManager.default.createDirectory(at: partial, withIntermediateDirectories: true)
    let rate = bench.rig.drive.rate
    let sent = try SoundFileWriter(
      path: partial.appendingPathComponent("drive.wav").path,
      channels: bench.rig.drive.channelCount, rate: rate)
    let recorded = try SoundFileWriter(
      path: partial.appendingPathComponent("response.wav").path, channels: max(1, channels.count),
      rate: rate)
    hidden = partial
    final = parent.appendingPathComponent(name, isDirectory: true)
    self.bench = bench
    drive = sent
    response = recorded
    hasResponse = !channels.isEmpty
    let frames = rate.wholeFrames(bench.longestRecord)
    driveRoom = frames * bench.rig.drive.channelCount
    responseRoom = frames * max(1, channels.count)
  }

  /// Writes what the tape has.
  mutating func write(_ tape: StreamTape) throws {
    let (sent, recorded) = (tape.drive.take(), tape.response.take())
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
      players.append(
        .object([
          JSONMember("pattern", .string(name)), JSONMember("origin", .number(origin)),
          JSONMember("events", .integer(pattern.events.count)),
        ]))
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
    var members = [
      JSONMember("kind", .string("haprig engine start")), JSONMember("version", .integer(1)),
      JSONMember("program", .string(StartRecord.app)),
      JSONMember("began", .number(began.timeIntervalSince1970)),
      JSONMember("rig", .string(rig.name)), JSONMember("actuator", .string(rig.actuators[0].id)),
      JSONMember("rate", .number(rig.drive.rate.hertz)),
      JSONMember("duration", .number(duration)), JSONMember("players", .array(players)),
      JSONMember(
        "latency",
        .object([
          JSONMember("immediate", spread(latency.immediate)),
          JSONMember("scheduled", spread(latency.scheduled)),
          JSONMember("handed", spread(latency.handed)),
        ])),
      JSONMember("refusals", .array(refusals.map(JSONValue.string))),
      JSONMember("droppedEvents", .integer(droppedEvents)),
      JSONMember("lostNotices", .integer(lostNotices)),
      JSONMember("lostSamples", .integer(lostSamples)),
    ]
    if let profile = bench.profile {
      members.append(
        JSONMember(
          "profile",
          .object([
            JSONMember("actuator", .string(profile.actuator.id)),
            JSONMember("run", .string(profile.source.run)),
            JSONMember("hash", .string(profile.source.hash)),
          ])))
    }
    if let fault { members.append(JSONMember("fault", .string(fault.description))) }
    return .object(members)
  }
}

/// What is kept of a stream until it is written.
struct StreamTape: Sendable {
  let drive: SampleTape
  let response: SampleTape

  /// Has room for so many frames.
  init(frames: Int, driveWidth: Int, captureWidth: Int) {
    drive = SampleTape(capacity: frames * driveWidth)
    response = SampleTape(capacity: frames * max(1, captureWidth))
  }

  /// How many samples found no room.
  var lost: Int { drive.lost.load(ordering: .relaxed) + response.lost.load(ordering: .relaxed) }
}

/// Samples on their way from the thread that renders to the one that writes files.
final class SampleTape: Sendable {
  private let producer: Guarded<RealtimeQueue<Float>.Producer>
  private let consumer: Guarded<RealtimeQueue<Float>.Consumer>
  /// How many samples found no room.
  let lost = Atomic<Int>(0)

  init(capacity: Int) {
    let queue = RealtimeQueue<Float>(capacity: capacity)
    producer = Guarded(queue.producer)
    consumer = Guarded(queue.consumer)
  }

  /// Keeps samples, all or none; nobody else holds this end's lock.
  func write(_ samples: Span<Float>) {
    producer.withLock { producer in
      guard producer.room >= samples.count else {
        lost.wrappingAdd(samples.count, ordering: .relaxed)
        return
      }
      _ = producer.write(samples)
    }
  }

  /// Takes all samples that are there.
  func take() -> [Float] {
    consumer.withLock { consumer in
      var samples = [Float](repeating: 0, count: consumer.available)
      var span = samples.mutableSpan
      _ = consumer.read(into: &span)
      return samples
    }
  }
}
