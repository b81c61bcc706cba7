// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Reporting
import RunArchive
import SoundFiles
import Units

/// What is asked of a run's recordings: takes, waves, sound.
///
/// Files are read block by block, never held whole.
struct RecordingDesk: Sendable {
  let runs: RunDesk

  private static let largestRecord = 64 << 20
  /// A sound of more frames is not made: half an hour at 48 kHz.
  private static let longestSound = 30 * 60 * 48_000

  func takes(_ request: Request) throws -> Response {
    let files = try runs.files(request)
    let record = try record(request)
    let takes = record.patterns.flatMap { pattern in
      pattern.takes.compactMap { take -> JSONValue? in
        let channels = TakeChannels(take, of: pattern, rate: record.rig.rate)
        // What was pruned, or never kept, is no recording.
        guard Set(channels.channels.map(\.file)).contains(where: { Self.isThere($0, of: files) })
        else { return nil }
        return .object(of: [
          "pattern": pattern.name, "take": take.number, "seconds": channels.seconds,
          "rate": channels.rate, "patternStart": Double(take.patternFrame) / channels.rate,
          "channels": channels.json,
        ])
      }
    }
    return Response(.object(of: ["takes": takes]))
  }

  func waves(_ request: Request) throws -> Response {
    let (files, take) = try take(request)
    let columns = try request.integer("columns", in: 1...WaveBins.mostColumns, or: 1200)
    guard !take.channels.isEmpty else { throw Self.noRecording(files.id) }
    let chosen = try Self.places(request, count: take.channels.count)
    let from = try request.number("from") ?? 0
    let to = try request.number("to") ?? take.seconds
    guard from >= 0, to - from >= 1e-4, to <= 86_400 else {
      throw HTTPFault(400, "bad-value", "'from' and 'to' are seconds of the take, 'to' the later")
    }
    // A time that stands for a frame is that frame, whatever the last digit of it is.
    let range =
      Int((from * take.rate + 1e-6).rounded(.down))..<Int((to * take.rate - 1e-6).rounded(.up))
    var bins = WaveBins(
      rate: take.rate, range: range, columns: columns,
      names: chosen.map { take.channels[$0].name },
      units: chosen.map { take.channels[$0].unit.rawValue })
    for name in Set(chosen.map { take.channels[$0].file }).sorted() {
      let wanted = chosen.enumerated().filter { take.channels[$0.element].file == name }
      try Self.scan(name, of: files) { frame, block, width in
        for (index, place) in wanted {
          Self.samples(of: take.channels[place], in: block, width) { row, sample in
            bins.add(sample, channel: index, frame: frame + row)
          }
        }
      }
    }
    return Response(200, bins.bytes(), type: "application/octet-stream")
  }

  func sound(_ request: Request) throws -> Response {
    let (files, take) = try take(request)
    let place = try request.integer(
      "channel", in: 0...max(0, take.channels.count - 1), or: 0)
    guard take.channels.indices.contains(place) else { throw Self.noRecording(files.id) }
    let channel = take.channels[place]
    var samples: [Float] = []
    try Self.scan(channel.file, of: files) { _, block, width in
      guard samples.count < Self.longestSound else { return }
      Self.samples(of: channel, in: block, width) { samples.append($1) }
    }
    // What a sensor stands at, gravity above all, is no sound, and would leave no room for one.
    let known = samples.lazy.filter(\.isFinite)
    let standing = Float(known.reduce(0) { $0 + Double($1) } / Double(max(1, known.count)))
    for index in samples.indices { samples[index] -= standing }
    return WAVFile.response(samples, rate: take.rate)
  }

  private func record(_ request: Request) throws -> RunRecord {
    let files = try runs.files(request)
    guard let (descriptor, size) = files.open(RunFolder.recordFile) else {
      throw HTTPFault(404, "no-such-run", "the archive has no run '\(files.id)'")
    }
    let file = OpenedFile(descriptor: descriptor, size: size)
    guard size <= Self.largestRecord else {
      throw HTTPFault(422, "record", "the run's record is too large")
    }
    do {
      return try RunRecord(parsing: file.bytes(from: 0, count: size))
    } catch {
      throw HTTPFault(422, "record", "the run's record cannot be read: \(error)")
    }
  }

  private func take(_ request: Request) throws -> (RunFiles, TakeChannels) {
    let files = try runs.files(request)
    let record = try record(request)
    let number = try request.integer("take", in: 1...1_000_000, or: 1)
    let name = try request.value("pattern") ?? record.patterns.first?.name
    guard let pattern = record.patterns.first(where: { $0.name == name }),
      let take = pattern.takes.first(where: { $0.number == number })
    else {
      throw HTTPFault(404, "no-such-take", "the run '\(files.id)' has no such take of that pattern")
    }
    let channels = TakeChannels(take, of: pattern, rate: record.rig.rate)
    guard (1...10_000_000).contains(channels.rate), channels.seconds.isFinite else {
      throw HTTPFault(422, "record", "the run's record has no rate that a recording could have")
    }
    return (files, channels)
  }

  /// The channels that are asked for, by their places in the list; all where none is named.
  static func places(_ request: Request, count: Int) throws(HTTPFault) -> [Int] {
    guard let text = try request.value("channels") else { return Array(0..<count) }
    var places: [Int] = []
    for word in text.split(separator: ",") {
      guard let place = Int(word), (0..<count).contains(place), places.count < 64 else {
        throw HTTPFault(
          400, "bad-value", "'channels' takes numbers below \(count), not '\(word.prefix(20))'")
      }
      places.append(place)
    }
    return places
  }

  private static func isThere(_ name: String, of files: RunFiles) -> Bool {
    guard let (descriptor, size) = files.open(name) else { return false }
    _ = OpenedFile(descriptor: descriptor, size: size)
    return true
  }

  private static func noRecording(_ id: String) -> HTTPFault {
    HTTPFault(404, "no-recording", "the run '\(id)' has no such recording any more")
  }

  /// Hands over a channel's samples of a block of its file, in the channel's unit.
  private static func samples(
    of channel: TakeChannels.Channel, in block: Span<Float>, _ width: Int,
    _ body: (_ row: Int, _ sample: Float) -> Void
  ) {
    guard let place = channel.place else {
      for row in 0..<(block.count / width) { body(row, 0) }
      return
    }
    guard place < width else { return }
    for row in 0..<(block.count / width) { body(row, block[row * width + place] * channel.gain) }
  }

  /// Hands a sound file over block by block, with the frame that each begins at.
  private static func scan(
    _ name: String, of files: RunFiles,
    _ body: (_ frame: Int, _ block: Span<Float>, _ width: Int) -> Void
  ) throws {
    guard let (descriptor, size) = files.open(name) else { throw noRecording(files.id) }
    let file = OpenedFile(descriptor: descriptor, size: size)
    var frame = 0
    _ = try SoundFile.scan(
      descriptor: file.descriptor, name: name, limit: .recording
    ) { block, shape in
      let width = shape.channelCount
      body(frame, block, width)
      frame += block.count / width
    }
    withExtendedLifetime(file) {}
  }
}
