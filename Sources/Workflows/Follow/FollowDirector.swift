// SPDX-License-Identifier: Apache-2.0

import Actuators
import Bench
package import Composing
package import CoreHaptics
package import Devices
package import JSONText
package import SignalAnalysis
import Synchronization
import Units

/// Looks after a rig that follows a sound: takes commands, measures, aligns, and knows when it is over.
///
/// Has no clock: every call says when it is made, in seconds of the monotonic clock. One thread at a time.
package final class FollowDirector {
  /// How the sound ended.
  package enum End: Sendable, Equatable {
    case over
    case stopped
    case failed(DeviceError)
  }

  /// How far `--align` has come.
  package struct Alignment: Sendable, Equatable {
    /// By how much the touch came after the sound before, in seconds, and since.
    package var before: Estimate?
    package var after: Estimate?
    /// By how much the sound is delayed, in seconds; nil until it is known.
    package var delay: Double?
  }

  package let stage: RigStage
  package let request: FollowRequest
  /// The method in force.
  package private(set) var settings: ComposeSettings
  package private(set) var windows: [LatencyMeter.Window] = []
  package private(set) var alignment = Alignment()
  /// How the sound ended; nil while it goes on.
  package private(set) var end: End?

  private let builder: TakeBuilder
  private let feed: SoundFeed?
  private let source: FollowSource?
  private let meter: LatencyMeter
  private let voice = LiveVoice()
  private let player: RigStage.Player
  private var lines: [JSONValue] = []
  private var drained: Double?
  private var before: [Estimate] = []
  private var after: [Estimate] = []
  private var levelAt = -Double.infinity
  /// Windows that a change has touched say nothing about before or after.
  private var alignedFrom = 0.0

  /// How long what rings out is waited for after the last sample, in seconds.
  private static let tail = 0.3
  /// How many windows the alignment goes by.
  private static let alignWindows = 2
  /// How sure a window must be of the offset, in seconds.
  private static let sureness = 5e-3
  /// Seconds between what is told of the level.
  private static let levelInterval = 0.1
  /// Windows that are kept for the record.
  private static let mostWindows = 20_000

  init(
    _ request: FollowRequest, builder: TakeBuilder, stage: RigStage, feed: SoundFeed?,
    source: FollowSource?, meter: LatencyMeter
  ) throws {
    self.request = request
    self.builder = builder
    self.stage = stage
    self.feed = feed
    self.source = source
    self.meter = meter
    settings = request.settings
    voice.setGain(request.gain)
    voice.setGate(request.gate)
    player = try stage.follow(
      Self.lend(request.settings, of: voice, stage), laws: builder.configuration)
    if request.aligns { try stage.change(.pass(delay: 0)) }
  }

  deinit {
    source?.stop()
    // The render thread works with the voice as long as it goes.
    stage.finish()
  }

  private static func lend(
    _ settings: ComposeSettings, of voice: LiveVoice, _ stage: RigStage
  ) -> SoundMethod {
    let method = LiveMethod(settings, rate: stage.rate.hertz)
    return SoundMethod(
      state: voice.state(of: method), hopFrames: method.hopLength, hopSeconds: method.hop,
      LiveVoice.hear)
  }

  /// The delay that the method in force states.
  package var delay: LiveDelay { LiveMethod(settings, rate: stage.rate.hertz).delay }

  /// What holds the sound back before it is heard here, in seconds; 0 where nobody knows.
  package var inputDelay: Double {
    feed.map { Double($0.held.load(ordering: .relaxed)) * 1e-9 } ?? 0
  }

  /// How many samples of the sound found no room.
  package var droppedCount: Int { feed?.dropped.load(ordering: .relaxed) ?? 0 }

  /// How the sound is just now; with `tellsLevels` the lines that tell it take it too.
  package var present: LivePresent { voice.present }

  /// The first line: what follows what, and how late the method is.
  package var opening: JSONValue {
    [
      "state": "open", "rig": .string(builder.rig.name),
      "actuator": .string(builder.rig.actuators[0].id), "rate": .number(stage.rate.hertz),
      "input": .string(request.input.name), "method": .string(settings.method.rawValue),
      "stated": Self.json(delay), "lead": .number((stage.lead * 1e5).rounded() / 1e5),
    ]
  }

  static func json(_ delay: LiveDelay) -> JSONValue {
    func short(_ seconds: Double) -> JSONValue { .number((seconds * 1e6).rounded() / 1e6) }
    return ["typical": short(delay.typical), "longest": short(delay.longest)]
  }

  /// Takes what came on standard input.
  package func take(_ event: StageInput.Event) {
    guard case .line(let line, _, let isHeld) = event else {
      return tell(
        fault: "the line has more than \(StageInput.longestLine) bytes: it was passed over")
    }
    guard isHeld else {
      return tell(fault: "nobody holds the drive yet: send '.' first, and again every 500 ms")
    }
    do throws(InputError) {
      let order = try FollowOrder(line: line)
      perform(order)
    } catch {
      tell(fault: "\(error)".split(separator: "\n", maxSplits: 1).first.map(String.init) ?? "")
    }
  }

  private func perform(_ order: FollowOrder) {
    do throws(StageRefusal) {
      switch order.command {
      case .stop: end = end ?? .stopped
      case .gain(let gain): voice.setGain(gain)
      case .gate(let level): voice.setGate(level)
      case .bands(let gains): voice.setBands(gains)
      case .bypass(let isOn): try stage.change(.bypass(isOn))
      case .sound(let delay): try stage.change(.pass(delay: delay))
      case .method(let new):
        try stage.change(.method(Self.lend(new, of: voice, stage)))
        settings = new
        meter.restart()
      }
    } catch {
      return tell(fault: "\(error)", of: order.said)
    }
    lines.append(["did": order.said])
  }

  private func tell(fault: String, of said: JSONValue? = nil) {
    lines.append(
      .object(
        [JSONMember("fault", .string(fault))] + (said.map { [JSONMember("of", $0)] } ?? [])))
  }

  /// Looks at what has happened, and takes the lines that tell of it.
  package func look(at now: Double) -> [JSONValue] {
    _ = stage.takeNews()
    for window in meter.look() {
      if windows.count < Self.mostWindows { windows.append(window) }
      lines.append(["latency": window.json, "stated": Self.json(delay)])
      align(by: window)
    }
    tellLevel(at: now)
    lookForEnd(at: now)
    defer { lines = [] }
    return lines
  }

  /// Says ten times a second how the sound is, where somebody reads it.
  private func tellLevel(at now: Double) {
    guard request.tellsLevels, now - levelAt >= Self.levelInterval else { return }
    levelAt = now
    let present = voice.present
    func short(_ value: Double) -> JSONValue { .number((value * 1e3).rounded() / 1e3) }
    lines.append([
      "level": [
        "heard": present.heard.isFinite ? short(present.heard) : .null,
        "gain": short(present.gain), "open": .bool(present.isOpen),
        "intensity": short(present.intensity), "sharpness": short(present.sharpness),
      ]
    ])
  }

  private func lookForEnd(at now: Double) {
    guard end == nil, let feed else { return }
    switch feed.end {
    case .failed(let error): end = .failed(error)
    case .over:
      guard meter.takenCount >= feed.delivered.load(ordering: .acquiring) else { return }
      let since = drained ?? now
      drained = since
      if now - since >= Self.tail { end = .over }
    case nil: break
    }
  }

  private func align(by window: LatencyMeter.Window) {
    guard request.aligns, window.start >= alignedFrom,
      let offset = window.soundToMotion?.delay, offset.uncertainty < Self.sureness
    else { return }
    if alignment.delay != nil {
      after.append(offset)
      alignment.after = Estimate.weighted(after)
      return
    }
    before.append(offset)
    alignment.before = Estimate.weighted(before)
    guard before.count >= Self.alignWindows, let found = alignment.before else { return }
    // A sound cannot be sent before it is there.
    let delay = min(max(0, found.value), SoundLine.longestDelay)
    do {
      try stage.change(.pass(delay: delay))
      alignment.delay = delay
      alignedFrom = window.start + 2 * LatencyMeter.window
      lines.append(["aligned": Self.json(alignment)])
    } catch {
      tell(fault: "\(error)")
    }
  }

  static func json(_ alignment: Alignment) -> JSONValue {
    var members: [JSONMember] = []
    for (key, value) in [("before", alignment.before), ("after", alignment.after)] {
      guard let value else { continue }
      members.append(
        JSONMember(
          key,
          [
            "seconds": .number((value.value * 1e6).rounded() / 1e6),
            "uncertainty": .number((value.uncertainty * 1e6).rounded() / 1e6),
          ]))
    }
    if let delay = alignment.delay {
      members.append(JSONMember("delay", .number((delay * 1e6).rounded() / 1e6)))
    }
    return .object(members)
  }

  /// What a whole stretch of following was, as `haprig.follow/1` has it.
  package func record(software: String, started: String) -> JSONValue {
    var members: [JSONMember] = [
      JSONMember("schema", "haprig.follow/1"), JSONMember("program", .string(software)),
      JSONMember("started", .string(started)), JSONMember("rig", .string(builder.rig.name)),
      JSONMember("actuator", .string(builder.rig.actuators[0].id)),
      JSONMember("input", .string(request.input.name)),
      JSONMember("settings", settings.preset),
      JSONMember("rate", .number(stage.rate.hertz)),
      JSONMember("stated", Self.json(delay)),
      JSONMember("inputDelay", .number((inputDelay * 1e6).rounded() / 1e6)),
      JSONMember("lead", .number((stage.lead * 1e6).rounded() / 1e6)),
      JSONMember(
        "seconds",
        .number((stage.rate.seconds(Double(meter.takenCount)) * 1e3).rounded() / 1e3)),
      JSONMember("dropped", .integer(droppedCount)),
      JSONMember("underrunFrames", .integer(stage.underrunFrames)),
      JSONMember("latency", summary), JSONMember("windows", .array(windows.map(\.json))),
    ]
    if request.aligns { members.append(JSONMember("alignment", Self.json(alignment))) }
    let ended =
      switch end {
      case .over: "over"
      case .stopped: "stopped"
      case .failed(let error): "\(error)"
      case nil: "interrupted"
      }
    members.append(JSONMember("ended", .string(ended)))
    return .object(members)
  }

  /// The means of all windows, each by how sure it is.
  package var summary: JSONValue {
    var members: [JSONMember] = []
    for (key, path) in Self.delays {
      guard let mean = Estimate.weighted(windows.compactMap { $0[keyPath: path]?.delay }) else {
        continue
      }
      members.append(
        JSONMember(
          key,
          [
            "seconds": .number((mean.value * 1e6).rounded() / 1e6),
            "uncertainty": .number((mean.uncertainty * 1e6).rounded() / 1e6),
          ]))
    }
    return .object(members)
  }

  private static var delays: [(String, KeyPath<LatencyMeter.Window, RiseDelay?>)] {
    [
      ("heardToDrive", \.heardToDrive), ("driveToMotion", \.driveToMotion),
      ("heardToMotion", \.heardToMotion), ("soundToMotion", \.soundToMotion),
    ]
  }

  /// What a person is told of a window.
  package static func text(of window: LatencyMeter.Window, stated: LiveDelay) -> String {
    func milliseconds(_ delay: RiseDelay?) -> String? {
      delay.map {
        "\(($0.delay.value * 1e4).rounded() / 10) +- "
          + "\(max(0.1, ($0.delay.uncertainty * 1e4).rounded() / 10)) ms"
      }
    }
    let stated = ((stated.typical + window.buffers) * 1e4).rounded() / 10
    var parts: [String] = []
    if let text = milliseconds(window.heardToMotion) { parts.append("sound to motion \(text)") }
    if let text = milliseconds(window.heardToDrive) {
      parts.append("to the drive \(text) (stated \(stated) ms)")
    }
    if let text = milliseconds(window.driveToMotion) { parts.append("drive to motion \(text)") }
    if let text = milliseconds(window.soundToMotion) { parts.append("touch after sound \(text)") }
    return parts.joined(separator: ", ")
  }
}

extension Estimate {
  /// The mean of estimates by how sure each is, as sure as they agree; nil of none that is sure at all.
  static func weighted(_ values: [Estimate]) -> Estimate? {
    let sure = values.filter { $0.uncertainty.isFinite }
    guard !sure.isEmpty else { return nil }
    // No window is surer than a tenth of a sample.
    let weights = sure.map { 1 / max(2e-6, $0.uncertainty) / max(2e-6, $0.uncertainty) }
    let sum = weights.reduce(0, +)
    let mean = zip(sure, weights).reduce(0) { $0 + $1.0.value * $1.1 } / sum
    let scatter = zip(sure, weights).reduce(0) {
      $0 + $1.1 * ($1.0.value - mean) * ($1.0.value - mean)
    }
    let excess = sure.count > 1 ? max(1, scatter / Double(sure.count - 1)) : 1
    return Estimate(mean, uncertainty: (excess / sum).squareRoot())
  }
}
