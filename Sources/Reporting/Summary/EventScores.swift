// SPDX-License-Identifier: Apache-2.0

import Acceptance
private import Glibc
import Perception
import Units

struct EventScore {
  enum Grade: String, CaseIterable {
    /// Within one just noticeable difference in level, time and sharpness.
    case good
    /// Within two.
    case marginal
    /// Beyond.
    case bad
    /// Driven, and nothing came of it.
    case dropped
    /// Neither level nor time.
    case notMeasured = "not measured"

    /// From what needs no look to what needs it first.
    static let byWeight: [Grade] = [.good, .notMeasured, .marginal, .bad, .dropped]

    var weight: Int { Self.byWeight.firstIndex(of: self) ?? 0 }

    var verdict: Verdict {
      switch self {
      case .good: .pass
      case .marginal: .marginal
      case .bad, .dropped: .fail
      case .notMeasured: .notMeasured
      }
    }
  }

  struct Value {
    var value: Double
    var uncertainty: Double?
  }

  struct Deviation {
    enum Kind: String {
      case level
      case time
      case sharpness

      var unit: MeasurementUnit {
        switch self {
        case .level: .decibel
        case .time: .second
        case .sharpness: .octave
        }
      }
    }

    let kind: Kind
    /// Measured minus asked: in dB, seconds, octaves.
    let value: Value
    /// The same in just noticeable differences, without sign.
    let size: Double
  }

  let pattern: String
  let take: Int
  let event: Int
  let commanded: RunRecord.Event?
  /// Whether levels are compared with the take's other events, since without a profile loudness is nobody's
  /// promise.
  let isRelative: Bool
  /// What was measured of it, the farthest off first.
  let deviations: [Deviation]
  let grade: Grade
  let reason: String?

  /// How far it is off: of a dropped event, farther than of any other.
  var size: Double {
    switch grade {
    case .dropped: .infinity
    case .notMeasured: -1
    default: deviations.first?.size ?? 0
    }
  }

  static func difference(_ kind: Deviation.Kind, _ value: Double) -> Double {
    switch kind {
    case .level: JustNoticeable.level.value
    // What comes late stands behind the sound: people notice that at half of what they bear before it.
    case .time: value > 0 ? JustNoticeable.audioHaptic.value / 2 : JustNoticeable.audioHaptic.value
    case .sharpness: JustNoticeable.octaves
    }
  }

  /// What it is called: `event 12, a transient at 1.234 s`.
  var name: String {
    guard let commanded else { return "event \(event)" }
    let kind = commanded.kind.hasSuffix("Transient") ? "a transient" : "a continuous event"
    return "event \(event), \(kind) at \(EngineeringFormat.fixed(commanded.start, 3)) s"
  }

  /// What became of it: `6.2 dB too weak, 3.1 ms late`.
  var words: String {
    switch grade {
    case .dropped: return "dropped, nothing came of it"
    case .notMeasured: return "not measured" + (reason.map { ": \($0)" } ?? "")
    default: break
    }
    guard !deviations.isEmpty else { return "as asked, as far as can be told" }
    let noticed = deviations.filter { $0.size > 1 }
    return (noticed.isEmpty ? Array(deviations.prefix(1)) : noticed).map(words)
      .joined(separator: ", ")
  }

  private func words(_ deviation: Deviation) -> String {
    let (value, uncertainty) = (deviation.value.value, deviation.value.uncertainty)
    switch deviation.kind {
    case .level:
      let size = EngineeringFormat.rough(value, uncertainty: uncertainty)
      let direction = value < 0 ? "weak" : "strong"
      return isRelative
        ? "\(size) dB \(direction)er than the others" : "\(size) dB too \(direction)"
    case .time:
      let size = EngineeringFormat.rough(1e3 * value, uncertainty: uncertainty.map { 1e3 * $0 })
      return "\(size) ms \(value < 0 ? "early" : "late")"
    case .sharpness:
      let size = EngineeringFormat.rough(value, uncertainty: uncertainty)
      return "\(size) octave too \(value < 0 ? "dull" : "sharp")"
    }
  }
}

struct EventScores {
  struct Place: Hashable {
    let pattern: String
    let take: Int
  }

  private let scores: [Place: [EventScore]]
  private let order: [String: Int]

  init(_ record: RunRecord) {
    var found: [Place: [Int: Readings]] = [:]
    var transports: [Place: Double] = [:]
    for reading in record.readings where !reading.name.isControl {
      guard let pattern = reading.pattern, let take = reading.take else { continue }
      let place = Place(pattern: pattern, take: take)
      if let event = reading.event, Self.kinds.contains(reading.name.kind) {
        found[place, default: [:]][event, default: Readings()].add(reading)
      } else if reading.event == nil, reading.name.kind == .latencyTransport {
        transports[place] = reading.value
      }
    }
    let timelines = Dictionary(record.patterns.map { ($0.name, $0.timeline) }) { first, _ in first }
    var scores: [Place: [EventScore]] = [:]
    for (place, events) in found {
      let events = events.sorted { $0.key < $1.key }
      let scale = Scale(
        events.map(\.value), transport: transports[place], isRelative: !record.hasProfile)
      let timeline = timelines[place.pattern] ?? []
      scores[place] = events.map { event, readings in
        scale.score(
          readings, event: event, at: place,
          commanded: timeline.indices.contains(event) ? timeline[event] : nil)
      }
    }
    self.scores = scores
    order = Dictionary(record.patterns.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  func events(of pattern: String, take: Int) -> [Int: EventScore] {
    let own = scores[Place(pattern: pattern, take: take)] ?? []
    return Dictionary(own.map { ($0.event, $0) }) { first, _ in first }
  }

  /// The events of a pattern, or of all, that are farthest off, each in the take where it is worst, the worst
  /// first; those that were not measured are not among them.
  func worst(of pattern: String? = nil, _ count: Int = 3) -> [EventScore] {
    struct Name: Hashable {
      let pattern: Int
      let event: Int
    }
    var worst: [Name: EventScore] = [:]
    for (place, events) in scores where pattern == nil || pattern == place.pattern {
      guard let index = order[place.pattern] else { continue }
      for score in events where score.grade != .notMeasured {
        let key = Name(pattern: index, event: score.event)
        if let known = worst[key], (known.size, -known.take) >= (score.size, -score.take) {
          continue
        }
        worst[key] = score
      }
    }
    // Of equals the first in the run.
    return worst.sorted {
      if $0.value.size != $1.value.size { return $0.value.size > $1.value.size }
      return ($0.key.pattern, $0.key.event) < ($1.key.pattern, $1.key.event)
    }.prefix(count).map(\.value)
  }

  private static let kinds: Set<ReadingKind> = [
    .intensityError, .sharpnessError, .latencyEvent, .latencyOnset,
  ]

  private struct Readings {
    var level: Reading?
    var sharpness: Reading?
    var time: Reading?
    var note: String?

    mutating func add(_ reading: Reading) {
      if reading.value == nil, note == nil || reading.isOfDropped { note = reading.note }
      switch reading.name.kind {
      case .intensityError: level = reading
      case .sharpnessError: sharpness = reading
      case .latencyEvent: time = reading
      default: break
      }
    }

    var isDropped: Bool { level?.isOfDropped == true || time?.isOfDropped == true }
  }

  private struct Scale {
    /// The level error that all share; `nil` where one event has nothing to be compared with.
    let level: Double?
    let delay: Double?
    let isRelative: Bool

    init(_ events: [Readings], transport: Double?, isRelative: Bool) {
      self.isRelative = isRelative
      let came = events.filter { !$0.isDropped }
      let levels = came.compactMap { $0.level?.value }
      let mean = levels.count > 1 ? levels.reduce(0, +) / Double(levels.count) : nil
      level = isRelative ? mean : 0
      let delays = came.compactMap { $0.time?.value }.sorted()
      // The probe tells when any event has to begin; without it the events tell each other.
      delay = transport ?? (delays.isEmpty ? nil : delays[delays.count / 2])
    }

    func score(
      _ readings: Readings, event: Int, at place: Place, commanded: RunRecord.Event?
    ) -> EventScore {
      var deviations: [EventScore.Deviation] = []
      func add(_ kind: EventScore.Deviation.Kind, _ reading: Reading?, less common: Double?) {
        guard let reading, let value = reading.value, let common else { return }
        let error = value - common
        deviations.append(
          EventScore.Deviation(
            kind: kind, value: .init(value: error, uncertainty: reading.uncertainty),
            size: abs(error) / EventScore.difference(kind, error)))
      }
      if !readings.isDropped {
        add(.level, readings.level, less: level)
        add(.time, readings.time, less: delay)
        add(.sharpness, readings.sharpness, less: 0)
      }
      let isMeasured = readings.level?.value != nil || readings.time?.value != nil
      deviations.sort { $0.size > $1.size }
      let largest = deviations.first?.size ?? 0
      let grade: EventScore.Grade =
        if readings.isDropped {
          .dropped
        } else if !isMeasured {
          .notMeasured
        } else {
          largest <= 1 ? .good : largest <= 2 ? .marginal : .bad
        }
      return EventScore(
        pattern: place.pattern, take: place.take, event: event, commanded: commanded,
        isRelative: isRelative, deviations: deviations, grade: grade,
        reason: grade == .notMeasured ? readings.note : nil)
    }
  }
}
