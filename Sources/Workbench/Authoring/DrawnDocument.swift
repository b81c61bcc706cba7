// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import HapticRendering
import Profiles
import Units
import Workflows

/// A document as it is drawn for an actuator: what would be sent, and what the actuator's model makes of it.
struct DrawnDocument: Sendable {
  let drive: LaneSignal
  /// `nil` without a profile.
  let model: LaneSignal?
  /// The milliseconds of the pattern in which the actuator's limits held the drive back, rising.
  let limited: [Int]

  /// Draws the drive with its protection, and keeps the samples of a stretch.
  init(_ pattern: LoadedPattern, for played: PlayedActuator, keeping kept: Range<Int>) {
    let rate = played.rate.hertz
    var drive = LaneSignal(rate: rate, unit: "1", keeping: kept)
    var limited: [Int] = []
    var limiter = played.builder.map {
      DriveLimiter(limits: $0.limits, fullScaleVolts: $0.rig.drive.fullScaleVolts, rate: rate)
    }
    var response: ModelResponse?
    if let builder = played.builder, let profile = played.profile?.profile {
      response = ModelResponse(
        profile, rate: rate, fullScaleVolts: builder.rig.drive.fullScaleVolts)
    }
    var model = LaneSignal(rate: rate, unit: "m/s2", keeping: kept)
    let late = response.map { Int(($0.delay * rate).rounded()) } ?? 0
    if response != nil { for _ in 0..<late { model.append(0) } }
    _ = RenderWorkflow.draw(pattern, configuration: played.configuration) { haptic, _, _ in
      for sample in haptic {
        var sent = sample
        if limiter != nil {
          sent = limiter?.limit(sample) ?? sample
          if abs(sent - sample) > Self.held * abs(sample) {
            let moment = Int(1000 * Double(drive.count) / rate)
            if limited.last != moment { limited.append(moment) }
          }
        }
        drive.append(sent)
        if let value = response?.advance(sent) { model.append(value) }
      }
    }
    self.drive = drive
    self.model = response == nil ? nil : model
    self.limited = limited
  }

  /// What is held back of a sample before anybody hears of it, as a share.
  private static let held: Float = 0.01

  private init(drive: LaneSignal, model: LaneSignal?, limited: [Int]) {
    (self.drive, self.model, self.limited) = (drive, model, limited)
  }

  var bytes: Int { drive.bytes + (model?.bytes ?? 0) + 8 * limited.count }

  func withoutSamples(above most: Int) -> DrawnDocument {
    DrawnDocument(
      drive: drive.withoutSamples(above: most), model: model?.withoutSamples(above: most),
      limited: limited)
  }
}

/// What a document asks for, millisecond by millisecond.
struct DrawnIntent: Sendable {
  static let rate = 1000.0

  let intensity: LaneSignal
  let sharpness: LaneSignal

  init(_ pattern: LoadedPattern, under configuration: RenderConfiguration) {
    let timeline = pattern.timeline(under: configuration)
    let intent = Intent(timeline: timeline, configuration: configuration)
    let count = Int((timeline.end * Self.rate).rounded(.up))
    var intensity = LaneSignal(rate: Self.rate, unit: "1", keeping: 0..<count)
    var sharpness = intensity
    for moment in intent.moments(from: 0, step: 1 / Self.rate, count: count) {
      intensity.append(Float(moment.intensity))
      sharpness.append(Float(moment.sharpness))
    }
    (self.intensity, self.sharpness) = (intensity, sharpness)
  }

  var bytes: Int { intensity.bytes + sharpness.bytes }
}

/// Drawn documents, each drawn once a version; a few megabytes of them.
final class DrawingShelf: Sendable {
  struct Key: Hashable, Sendable {
    let name: String
    let version: Int
    /// That of the actuator; 0 for what is the same on all.
    let actuator: Int
  }

  private enum Drawing: Sendable {
    case drive(DrawnDocument)
    case intent(DrawnIntent)

    var bytes: Int {
      switch self {
      case .drive(let drawn): drawn.bytes
      case .intent(let drawn): drawn.bytes
      }
    }
  }

  /// The newest last.
  private let kept = Guarded<[(key: Key, drawing: Drawing)]>([])
  /// Drawing takes a processor: one at a time does, and whoever waits for the same finds it done.
  private let drawing = Guarded(())

  static let mostBytes = 16 << 20
  /// Documents of more frames are kept as bins alone: 22 s at 48 kHz.
  static let mostSamples = 1 << 20

  func drive(_ document: ReadDocument, for played: PlayedActuator) -> DrawnDocument {
    let key = Key(name: document.name, version: document.version, actuator: played.number)
    if case .drive(let known)? = find(key) { return known }
    return drawing.withLock { _ in
      if case .drive(let known)? = find(key) { return known }
      let made = DrawnDocument(document.pattern, for: played, keeping: 0..<Self.mostSamples + 1)
        .withoutSamples(above: Self.mostSamples)
      keep(key, .drive(made))
      return made
    }
  }

  /// Draws a document again for the samples of a stretch, which are not kept.
  func stretch(
    _ frames: Range<Int>, of document: ReadDocument, for played: PlayedActuator
  ) -> DrawnDocument {
    drawing.withLock { _ in DrawnDocument(document.pattern, for: played, keeping: frames) }
  }

  func intent(_ document: ReadDocument) -> DrawnIntent {
    let key = Key(name: document.name, version: document.version, actuator: 0)
    if case .intent(let known)? = find(key) { return known }
    return drawing.withLock { _ in
      if case .intent(let known)? = find(key) { return known }
      let made = DrawnIntent(document.pattern, under: RequestedLaws().configuration)
      keep(key, .intent(made))
      return made
    }
  }

  private func find(_ key: Key) -> Drawing? {
    kept.withLock { kept in
      guard let place = kept.firstIndex(where: { $0.key == key }) else { return nil }
      let found = kept.remove(at: place)
      kept.append(found)
      return found.drawing
    }
  }

  private func keep(_ key: Key, _ drawing: Drawing) {
    kept.withLock { kept in
      // Versions that are gone come back by undo alone: a few of them stay.
      kept.append((key, drawing))
      while kept.reduce(0, { $0 + $1.drawing.bytes }) > Self.mostBytes, kept.count > 1 {
        kept.removeFirst()
      }
    }
  }
}
