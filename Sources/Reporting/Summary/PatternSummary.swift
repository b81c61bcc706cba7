// SPDX-License-Identifier: Apache-2.0

import Acceptance
private import Glibc
import Perception
import Units

struct PatternSummary {
  var pattern: RunRecord.Pattern
  /// The start of the response after the command, electrical delay removed.
  var latency: Headline?
  var sync: Headline?
  /// The mean level error of the events that came: strong or weak as a whole.
  var level: Headline?
  var intensityError: Headline?
  var contrast: Headline?
  var sharpness: Headline?
  var sharpnessError: Headline?
  var harmony: Headline?
  var scored: Scored?
  var reach: ActuatorReach?
  var isCalibrated: Bool

  /// How many of the driven events have time and level, over all takes.
  struct Scored: Equatable {
    var count: Int
    var driven: Int
    var takes: Int
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

  static func incompleteHarmonies(_ rows: [PatternSummary]) -> [(note: String, patterns: [String])]
  {
    rows.grouped { $0.harmony?.note }.compactMap { note, rows in
      note.map { (Shown.plain($0), rows.map(\.pattern.name)) }
    }
  }

  /// The rows of a record, in the order the patterns were played.
  ///
  /// A quantity that was read for the run and not for the pattern stands in every row.
  static func rows(of record: RunRecord, _ scatter: ReadingScatter) -> [PatternSummary] {
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

/// What became of a pattern, in one plain sentence: how strong, how sharp, when, how much was scored.
///
/// `20 dB too weak; as sharp as asked; starts 0.41 ms late; in sync; 12 of 12 events`
enum PatternSentence {
  static func text(_ summary: PatternSummary) -> String {
    let parts = [
      strength(summary), sharpness(summary), start(summary), sync(summary), summary.scored?.text,
      dropped(summary),
    ].compactMap(\.self)
    return parts.isEmpty ? "nothing to score" : parts.joined(separator: "; ")
  }

  private static func strength(_ summary: PatternSummary) -> String? {
    summary.isCalibrated ? level(summary) : contrast(summary)
  }

  private static func level(_ summary: PatternSummary) -> String? {
    guard let level = summary.level else { return nil }
    guard let mean = level.value else { return "level not measured" }
    let size = EngineeringFormat.rough(mean, uncertainty: level.uncertainty)
    let whole =
      abs(mean) <= JustNoticeable.level.value
      ? "as strong as asked" : "\(size) dB too \(mean < 0 ? "weak" : "strong")"
    guard let contrast = summary.contrast, let spread = contrast.value,
      spread > JustNoticeable.level.value
    else { return whole }
    let scatter = EngineeringFormat.rough(spread, uncertainty: contrast.uncertainty)
    return "\(whole), events \(scatter) dB uneven"
  }

  /// Without a profile loudness is nobody's promise: what counts is how the events differ.
  private static func contrast(_ summary: PatternSummary) -> String? {
    guard let contrast = summary.contrast else {
      return summary.level.map { _ in "level uncalibrated" }
    }
    guard let spread = contrast.value else {
      let isMeasured = summary.level?.value != nil
      return isMeasured ? "level uncalibrated" : "level not measured"
    }
    // A tenth of a decibel is nothing that anybody feels.
    let size = EngineeringFormat.rough(max(0.1, spread), uncertainty: contrast.uncertainty)
    return spread <= JustNoticeable.level.value
      ? "uncalibrated, contrast kept to \(size) dB" : "uncalibrated, contrast off by \(size) dB"
  }

  private static func sharpness(_ summary: PatternSummary) -> String? {
    guard let whole = summary.sharpness else { return nil }
    guard let mean = whole.value else { return "sharpness not measured" }
    let difference = JustNoticeable.octaves
    if abs(mean) > difference {
      let size = EngineeringFormat.rough(mean, uncertainty: whole.uncertainty)
      return "\(size) octave too \(mean < 0 ? "dull" : "sharp")"
    }
    guard let error = summary.sharpnessError, let spread = error.value, spread > difference else {
      return "as sharp as asked"
    }
    let size = EngineeringFormat.rough(spread, uncertainty: error.uncertainty)
    return "sharpness off by \(size) octave"
  }

  private static func start(_ summary: PatternSummary) -> String? {
    guard let start = summary.latency else { return nil }
    guard let delay = start.value else { return "start not measured" }
    let size = EngineeringFormat.rough(1e3 * delay, uncertainty: start.uncertainty.map { 1e3 * $0 })
    return size == "0" ? "starts on time" : "starts \(size) ms \(delay < 0 ? "early" : "late")"
  }

  private static func sync(_ summary: PatternSummary) -> String? {
    guard let sync = summary.sync else { return nil }
    guard let offset = sync.value else { return "sync not measured" }
    guard SyncBand(offset: offset).verdict != .pass else { return "in sync" }
    let size = EngineeringFormat.rough(1e3 * offset, uncertainty: sync.uncertainty.map { 1e3 * $0 })
    return "\(size) ms \(offset < 0 ? "before" : "after") the sound"
  }

  private static func dropped(_ summary: PatternSummary) -> String? {
    guard let scored = summary.scored, scored.dropped > 0 else { return nil }
    return "\(scored.dropped) dropped"
  }
}

struct ActuatorReach {
  /// From this share on it is said in a sentence: a tenth, the share of unscored events that is no longer a pass.
  static let much = 0.1

  let outside: Headline
  /// How long the inverse filter was held at the profile's peak voltage, in seconds, the longest of the takes.
  let held: Double
  let heldTime: Headline?
  private let heldShare: Double

  init?(_ readings: [Reading], duration: Double, rate: Double) {
    guard let outside = Headline(readings.filter { $0.name.kind == .gamutOutside }, .extreme)
    else { return nil }
    self.outside = outside
    let samples = readings.filter { $0.name.kind == .profileLimited }.compactMap(\.value).max() ?? 0
    held = rate > 0 ? samples / rate : 0
    heldTime = held > 0 ? Headline(held, .second) : nil
    heldShare = duration > 0 ? held / duration : 0
  }

  private var isFarOutside: Bool { (outside.value ?? 0) >= Self.much }
  private var isHeldLong: Bool { heldShare >= Self.much }
  private var share: String { EngineeringFormat.fixed(100 * (outside.value ?? 0), 1) + " %" }
  private var heldText: String { EngineeringFormat.fixed(1e3 * held, 0) + " ms" }

  var warning: String? {
    var parts: [String] = []
    if isFarOutside {
      parts.append(
        "\(share) of what it asks for is out of this actuator's reach under "
          + "its profile: it was played weaker")
    }
    if isHeldLong {
      parts.append("its drive was held at the profile's peak voltage for \(heldText)")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private static let named = 5

  static func warnings(_ patterns: [PatternSummary]) -> [String] {
    let reaches = patterns.compactMap { row in row.reach.map { (name: row.pattern.name, reach: $0) }
    }
    func sentence(
      _ words: String, _ subjects: [(name: String, reach: ActuatorReach)],
      _ size: (ActuatorReach) -> Double, _ text: (String, ActuatorReach) -> String
    ) -> String? {
      guard !subjects.isEmpty else { return nil }
      // Of equals the first in the run.
      let worst = subjects.enumerated().sorted {
        (size($1.element.reach), $0.offset) < (size($0.element.reach), $1.offset)
      }.map(\.element)
      let more = worst.count - named
      return words + worst.prefix(named).map { text($0.name, $0.reach) }.joined(separator: ", ")
        + (more > 0 ? " and of \(Count.of(more, "more pattern"))" : "")
    }
    return [
      sentence(
        "out of this actuator's reach under its profile, so played weaker: ",
        reaches.filter(\.reach.isFarOutside), { $0.outside.value ?? 0 }, { "\($1.share) of \($0)" }),
      sentence(
        "the drive was held at the profile's peak voltage for ",
        reaches.filter(\.reach.isHeldLong), \.held, { "\($1.heldText) of \($0)" }),
    ].compactMap(\.self)
  }
}

/// One quantity of one pattern in the summary: several readings drawn together to one number.
struct Headline {
  var value: Double?
  var uncertainty: Double?
  /// Of an index, what the published differences leave open: the same in every run.
  var differencesUncertainty: Double?
  var count: Int
  var verdict: Verdict?
  var unit: MeasurementUnit
  var note: String?

  enum Rule {
    /// The mean, as unsure as the readings state or as they scatter, whichever is more.
    case mean
    case rms
    /// The value that is farthest from zero.
    case extreme
    case sum
  }

  var text: String? {
    value.map {
      EngineeringFormat.text($0, unit, uncertainty: uncertainty, finest: unit.finest)
    }
  }

  /// The value for a column whose head has the unit; `scale` is what that unit is smaller than the reading's.
  func concise(scale: Double = 1) -> String? {
    value.map {
      EngineeringFormat.concise(
        $0, uncertainty: uncertainty, scale: scale, finest: unit.finest)
    }
  }

  /// A number that follows from the drive and has no uncertainty.
  init(_ value: Double, _ unit: MeasurementUnit) {
    (self.value, self.unit, count) = (value, unit, 1)
  }

  /// Draws readings of one kind together; `nil` of none.
  ///
  /// With the scatter over the run no number is surer than what was seen of it in other takes.
  init?(_ readings: [Reading], _ rule: Rule, scatter: ReadingScatter? = nil) {
    guard let first = readings.first else { return nil }
    unit = first.unit
    let measured = readings.filter { $0.value != nil }
    count = measured.count
    let verdicts = readings.compactMap(\.verdict)
    verdict = verdicts.isEmpty ? nil : Verdict.worst(verdicts)
    let values = measured.compactMap(\.value)
    guard !values.isEmpty else { return }
    note = measured.notes
    let uncertainties = measured.map { scatter?.uncertainty(of: $0) ?? $0.uncertainty }
    switch rule {
    case .mean:
      (value, uncertainty) = Self.mean(values, uncertainties)
      let differences = measured.compactMap(\.differencesUncertainty)
      if !differences.isEmpty {
        differencesUncertainty = differences.reduce(0, +) / Double(differences.count)
      }
    case .rms: (value, uncertainty) = Self.rms(values, uncertainties)
    case .sum: value = values.reduce(0, +)
    case .extreme:
      let farthest = measured.indices.max { abs(values[$0]) < abs(values[$1]) }
      (value, uncertainty) = (farthest.map { values[$0] }, farthest.flatMap { uncertainties[$0] })
    }
  }

  private static func mean(_ values: [Double], _ uncertainties: [Double?]) -> (Double?, Double?) {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let known = uncertainties.compactMap(\.self)
    let stated =
      known.count == values.count ? (known.reduce(0) { $0 + $1 * $1 }).squareRoot() / count : nil
    guard values.count > 1 else { return (mean, stated) }
    let spread = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    return (mean, max(stated ?? 0, (spread / count).squareRoot()))
  }

  /// The uncertainty is that of the readings carried through the root of the mean square:
  /// u(r) = sqrt(sum (x u(x))^2) / (n r).
  private static func rms(_ values: [Double], _ uncertainties: [Double?]) -> (Double?, Double?) {
    let count = Double(values.count)
    let rms = (values.reduce(0) { $0 + $1 * $1 } / count).squareRoot()
    let known = uncertainties.compactMap(\.self)
    guard known.count == values.count, rms > 0 else { return (rms, nil) }
    let carried = zip(values, known).reduce(0) { $0 + ($1.0 * $1.1) * ($1.0 * $1.1) }
    return (rms, carried.squareRoot() / (count * rms))
  }
}
