import Acceptance
import Units

/// What the summary says of one pattern.
struct PatternSummary {
  var pattern: RunRecord.Pattern
  /// The start of the response after the command, electrical delay removed.
  var latency: Headline?
  var sync: Headline?
  /// The mean level error of the events that came: strong or weak as a whole.
  var level: Headline?
  /// The root mean square of the level errors.
  var intensityError: Headline?
  /// How well the differences between events are kept.
  var contrast: Headline?
  var sharpness: Headline?
  var sharpnessError: Headline?
  var harmony: Headline?
  var scored: Scored?
  /// What its actuator cannot do of it; `nil` without a profile.
  var reach: ActuatorReach?
  /// Whether levels are judged as they are, by a profile.
  var isCalibrated: Bool

  /// How many of the driven events have time and level, over all takes.
  struct Scored: Equatable {
    var count: Int
    var driven: Int
    /// How many takes were counted.
    var takes: Int
    /// Of how many nothing came.
    var dropped: Int

    /// What is shown: the events of one take where all were scored in each, else those of all takes.
    private var shown: (count: Int, driven: Int) {
      count < driven ? (count, driven) : (count / takes, driven / takes)
    }

    /// `12/12`.
    var short: String { "\(shown.count)/\(shown.driven)" }

    /// `12 of 12 events`.
    var text: String {
      let events = "\(shown.count) of \(Count.of(shown.driven, "event"))"
      return takes > 1 && count < driven ? "\(events) in \(takes) takes" : events
    }
  }

  /// Which patterns' harmony was drawn together without some of its parts, by what is missing.
  static func incompleteHarmonies(_ rows: [PatternSummary]) -> [(note: String, patterns: [String])]
  {
    var found: [(note: String, patterns: [String])] = []
    for row in rows {
      guard let note = row.harmony?.note else { continue }
      if let index = found.firstIndex(where: { $0.note == note }) {
        found[index].patterns.append(row.pattern.name)
      } else {
        found.append((note, [row.pattern.name]))
      }
    }
    return found
  }

  /// The rows of a record, in the order the patterns were played.
  ///
  /// A quantity that was read for the run and not for the pattern stands in every row.
  static func rows(
    of record: RunRecord, _ scatter: ReadingScatter
  ) -> [PatternSummary] {
    let readings = Dictionary(grouping: record.readings.filter { !$0.name.isControl }) {
      $0.pattern ?? ""
    }
    let ofRun = record.readings.filter { !$0.name.isControl && $0.pattern == nil }
    return record.patterns.map { pattern in
      let own = (readings[pattern.name] ?? []).filter { $0.pattern == pattern.name }
      // The pattern's own, which is not measured where one of its takes has none.
      let harmonies = own.filter { $0.name.kind == .harmony }
      let whole = harmonies.filter { $0.take == nil }
      func headline(
        _ kind: ReadingKind, _ rule: Headline.Rule, _ holds: (Reading) -> Bool = { _ in true }
      ) -> Headline? {
        Headline(own.filter { $0.name.kind == kind && holds($0) }, rule, scatter: scatter)
          ?? Headline(ofRun.filter { $0.name.kind == kind && holds($0) }, rule, scatter: scatter)
      }
      let starts = [ReadingKind.latencyTransport, .latencyEvent, .latencyOnset].compactMap {
        headline($0, .mean)
      }
      return PatternSummary(
        pattern: pattern,
        latency: starts.first { $0.value != nil } ?? starts.first,
        sync: headline(.syncAudioHaptic, .extreme),
        level: headline(.intensityError, .mean) { !$0.isOfDropped },
        intensityError: headline(.intensityError, .rms) { !$0.isOfDropped },
        contrast: headline(.intensityContrast, .rms),
        sharpness: headline(.sharpnessError, .mean),
        sharpnessError: headline(.sharpnessError, .rms),
        harmony: Headline(whole.isEmpty ? harmonies : whole, .mean),
        scored: Scored(own),
        reach: record.hasProfile
          ? ActuatorReach(own, duration: pattern.duration, rate: record.rig.rate) : nil,
        isCalibrated: record.hasProfile)
    }
  }
}

extension PatternSummary.Scored {
  /// Counts the events of a pattern's takes; `nil` where none is driven.
  fileprivate init?(_ readings: [Reading]) {
    var (count, driven, takes) = (0, 0, 0)
    for reading in readings where reading.name.kind == .eventsScored {
      guard let share = reading.value, let events = reading.count else { continue }
      count += Int((share * Double(events)).rounded())
      driven += events
      takes += 1
    }
    guard driven > 0 else { return nil }
    let dropped = readings.count { $0.name.kind == .intensityError && $0.isOfDropped }
    self.init(count: count, driven: driven, takes: takes, dropped: dropped)
  }
}
