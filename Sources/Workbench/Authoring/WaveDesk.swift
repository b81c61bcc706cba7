// SPDX-License-Identifier: Apache-2.0

import AHAP
import Actuators
import Bench
import Devices
import HapticRendering
import JSONText
import Reporting
import SoundFiles
import Units
import Workflows

/// What a document looks and sounds like as it is now.
struct WaveDesk: Sendable {
  let documents: DocumentShelf
  let drawings: DrawingShelf
  let actuators: ActuatorShelf

  private enum Lane: String, CaseIterable {
    case drive
    case intensity
    case sharpness
    case model
  }

  private enum Heard: String, CaseIterable {
    case drive
    case model
    case audio
  }

  /// A sound of more seconds is not made.
  private static let longestSound = 300.0
  /// The latest time that is looked at, in seconds.
  private static let latest = 86_400.0

  func waves(_ request: Request) throws -> Response {
    let lane: Lane = try Self.word(request, "lane", or: .drive)
    let columns = try request.integer("columns", in: 1...WaveBins.mostColumns, or: 1200)
    let played = try actuators.actuator(request)
    let document = try documents.read(request.parameter("name"), rate: played.rate)
    var signal: LaneSignal
    switch lane {
    case .intensity: signal = drawings.intent(document).intensity
    case .sharpness: signal = drawings.intent(document).sharpness
    case .drive: signal = drawings.drive(document, for: played).drive
    case .model: signal = try model(drawings.drive(document, for: played), of: played)
    }
    let range = try Self.range(request, rate: signal.rate, count: signal.count)
    if !signal.covers(range, columns: columns) {
      let drawn = drawings.stretch(range, of: document, for: played)
      signal = lane == .model ? try model(drawn, of: played) : drawn.drive
    }
    let bins = signal.bins(range, columns: columns, name: lane.rawValue)
    return Response(200, bins.bytes(), type: "application/octet-stream")
  }

  func sound(_ request: Request) throws -> Response {
    let heard: Heard = try Self.word(request, "of", or: .drive)
    let octaves = try request.integer("octaves", in: 0...3, or: 0)
    let played = try actuators.actuator(request)
    let document = try documents.read(request.parameter("name"), rate: played.rate)
    guard document.pattern.timeline(under: played.configuration).end <= Self.longestSound else {
      throw HTTPFault(
        413, "too-long",
        "the pattern lasts longer than \(Int(Self.longestSound)) s: write it with 'haprig render'")
    }
    if heard == .audio {
      var samples: [Float] = []
      _ = RenderWorkflow.draw(document.pattern, configuration: played.configuration) {
        _, left, right in
        for frame in left.indices { samples.append((left[frame] + right[frame]) / 2) }
      }
      return WAVFile.response(samples, rate: played.rate.hertz, gain: WAVFile.peak)
    }
    var drawn = drawings.drive(document, for: played)
    if !drawn.drive.isWhole {
      drawn = drawings.stretch(0..<Int.max, of: document, for: played)
    }
    let signal = heard == .model ? try model(drawn, of: played) : drawn.drive
    // A drive is a share of full scale, and stays it: what is stronger is louder.
    let gain = heard == .drive ? WAVFile.peak : nil
    guard octaves > 0 else {
      return WAVFile.response(signal.samples, rate: signal.rate, gain: gain)
    }
    let raised = try HeardVibration.raised(signal.samples, rate: played.rate, octaves: octaves)
    return WAVFile.response(raised, rate: HeardVibration.rate.hertz, gain: gain)
  }

  func audio(_ request: Request) throws -> Response {
    let entry = try request.integer("entry", in: 0...1_000_000, or: 0)
    let columns = try request.integer("columns", in: 1...WaveBins.mostColumns, or: 1200)
    let played = try actuators.actuator(rig: nil, nil)
    let document = try documents.read(request.parameter("name"), rate: played.rate)
    let events = document.pattern.document.pattern.events
    guard
      let event = events.first(where: { document.entry(at: $0.source.position?.offset) == entry }),
      let path = event.waveformPath
    else {
      throw HTTPFault(404, "no-sound", "the entry \(entry) names no sound")
    }
    guard let channels = document.pattern.sounds.sounds[path] else {
      throw HTTPFault(
        404, "no-sound", document.pattern.missingSounds[path] ?? "there is no sound '\(path)'")
    }
    let count = channels[0].samples.count
    var bins = WaveBins(
      rate: channels[0].rate.hertz, range: 0..<max(1, count), columns: columns, names: [path],
      units: ["1"])
    for channel in channels {
      for (frame, sample) in channel.samples.enumerated() {
        bins.add(sample, channel: 0, frame: frame)
      }
    }
    return Response(200, bins.bytes(), type: "application/octet-stream")
  }

  private func model(
    _ drawn: DrawnDocument, of played: PlayedActuator
  ) throws(HTTPFault) -> LaneSignal {
    if let model = drawn.model { return model }
    let who = played.rig.map { "'\($0.actuators[0].id)' on \($0.name)" } ?? "an actuator"
    throw HTTPFault(
      404, "no-model",
      "what \(who) answers with is known from its calibration: calibrate it first "
        + "(haprig calibrate)")
  }

  /// The frames between the seconds `from` and `to` of a request; without them all.
  private static func range(
    _ request: Request, rate: Double, count: Int
  ) throws(HTTPFault) -> Range<Int> {
    let from = try request.number("from") ?? 0
    let to = try request.number("to") ?? max(from + 1 / rate, Double(max(1, count)) / rate)
    guard from >= 0, to - from >= 1e-4, to <= latest else {
      throw HTTPFault(
        400, "bad-value", "'from' and 'to' are seconds of the pattern, 'to' the later")
    }
    let first = Int((from * rate + 1e-6).rounded(.down))
    return first..<max(first + 1, Int((to * rate - 1e-6).rounded(.up)))
  }

  private static func word<Word: RawRepresentable & CaseIterable>(
    _ request: Request, _ name: String, or standard: Word
  ) throws(HTTPFault) -> Word where Word.RawValue == String {
    guard let text = try request.value(name) else { return standard }
    guard let word = Word(rawValue: text) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw HTTPFault(400, "bad-value", "'\(name)' takes \(words), not '\(text.prefix(40))'")
    }
    return word
  }
}
