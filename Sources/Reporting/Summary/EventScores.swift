import Acceptance

/// Every haptic event of a run with its score, by pattern and take.
struct EventScores {
  /// The events of a pattern and take.
  struct Place: Hashable {
    let pattern: String
    let take: Int
  }

  /// By pattern and take, in the order of events.
  private let scores: [Place: [EventScore]]
  /// The patterns' places in the run.
  private let order: [String: Int]

  /// Scores the events of a record; linear in its readings.
  init(_ record: RunRecord) {
    var found: [Place: [Int: Readings]] = [:]
    var transports: [Place: Double] = [:]
    for reading in record.readings where !reading.name.isControl {
      guard let pattern = reading.pattern, let take = reading.take else { continue }
      let place = Place(pattern: pattern, take: take)
      guard let event = reading.event else {
        if reading.name.kind == .latencyTransport { transports[place] = reading.value }
        continue
      }
      guard Self.kinds.contains(reading.name.kind) else { continue }
      found[place, default: [:]][event, default: Readings()].add(reading)
    }
    let timelines = Dictionary(record.patterns.map { ($0.name, $0.timeline) }) { first, _ in first }
    let isRelative = !record.hasProfile
    scores = Dictionary(
      uniqueKeysWithValues: found.map { place, events in
        let scale = Scale(events, transport: transports[place], isRelative: isRelative)
        let timeline = timelines[place.pattern] ?? []
        return (
          place,
          events.sorted { $0.key < $1.key }.map { event, readings in
            scale.score(
              readings, event: event, at: place,
              commanded: timeline.indices.contains(event) ? timeline[event] : nil)
          }
        )
      })
    order = Dictionary(
      record.patterns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The events of a take by their index.
  func events(of pattern: String, take: Int) -> [Int: EventScore] {
    Dictionary(
      (scores[Place(pattern: pattern, take: take)] ?? []).map { ($0.event, $0) }
    ) { first, _ in
      first
    }
  }

  /// The events that are farthest off, each in the take where it is worst, the worst first.
  ///
  /// - Parameters:
  ///   - pattern: The pattern; `nil` for all of them.
  ///   - count: How many at most.
  /// - Returns: Their scores; events that were not measured are not among them.
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

  /// What was read of one event.
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

    /// Whether nothing came of the event.
    var isDropped: Bool { level?.isOfDropped == true || time?.isOfDropped == true }
  }

  /// What the events of a take are compared with.
  private struct Scale {
    /// The level error that all share; `nil` where one event has nothing to be compared with.
    let level: Double?
    /// The delay that all share.
    let delay: Double?
    let isRelative: Bool

    init(_ events: [Int: Readings], transport: Double?, isRelative: Bool) {
      self.isRelative = isRelative
      let came = events.sorted { $0.key < $1.key }.map(\.value).filter { !$0.isDropped }
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
