// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Units

/// Who reads what is written: people get plain names and digits that are of use, programs the names of plans and
/// records and all digits.
enum Reader {
  case person
  case program

  func name(_ name: ReadingName) -> String {
    switch self {
    case .person: name.title
    case .program: name.description
    }
  }
}

enum Shown {
  /// The value with its uncertainty and unit, a bound as one; `nil` where it was not measured.
  ///
  /// Of a run of several takes the uncertainty is no less than the scatter of the same reading. People see no
  /// step that is finer than is of use; programs get all digits that are known.
  static func value(
    of reading: Reading, _ scatter: ReadingScatter, for reader: Reader = .person
  ) -> String? {
    reading.value.map {
      let uncertainty = scatter.uncertainty(of: reading)
      let text =
        switch reader {
        case .person: size($0, reading.unit, uncertainty: uncertainty)
        case .program:
          EngineeringFormat.text($0, reading.unit, uncertainty: uncertainty, digits: 15)
        }
      return bound(of: reading.name.kind) + text
    }
  }

  /// A size with the digits that are of use to people.
  static func size(
    _ value: Double, _ unit: MeasurementUnit, uncertainty: Double? = nil
  ) -> String {
    // Without an uncertainty nothing else keeps it from steps that are finer than is of use.
    let isRounded = uncertainty == nil && unit.finest > 0 && abs(value) >= unit.finest
    let value = isRounded ? (value / unit.finest).rounded() * unit.finest : value
    // Nothing has the unit of the finest step only where it is known to so much.
    let finest = value == 0 && uncertainty == nil ? 0 : unit.finest
    return EngineeringFormat.text(value, unit, uncertainty: uncertainty, finest: finest)
  }

  /// What stands before the sizes of a reading: nothing, but before those that are bounds.
  static func bound(of kind: ReadingKind?) -> String { kind == .xrunsPerHour ? "at most " : "" }

  /// The name where it stands among others of its pattern; of the control, whose patterns have no place of
  /// their own, with the pattern.
  static func name(of reading: Reading, for reader: Reader = .person) -> String {
    let pattern = reading.name.isControl ? reading.pattern.map { " of \($0)" } : nil
    return reader.name(reading.name) + (pattern ?? "")
  }

  /// The name in a sentence: `the control's electrical delay`.
  static func phrase(_ name: ReadingName) -> String {
    (name.isControl ? "the control's " : "") + name.kind.title
  }

  /// The name of a series' reading, by `words`.
  ///
  /// What was taken under an older definition says so, and a name that this version does not know stays as it is.
  static func name(
    ofSeries reading: String, by words: (ReadingName) -> String = { $0.title }
  ) -> String {
    let parts = reading.split(separator: "@", maxSplits: 1)
    guard let name = parts.first.flatMap({ ReadingName(String($0)) }) else { return reading }
    return words(name) + (parts.count > 1 ? ", as defined in \(parts[1])" : "")
  }

  /// A reason with the plain names of the readings that it tells of.
  static func plain(_ reason: String) -> String {
    reason.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let name = word.prefix { !",;:)".contains($0) }
      // A name of one word is a word like any other.
      guard name.contains("."), let reading = ReadingName(String(name)) else { return String(word) }
      return phrase(reading) + word.dropFirst(name.count)
    }.joined(separator: " ")
  }

  /// The text with the signs that a page can show and a terminal may not: `us` and `m/s2`.
  static func typeset(_ text: String) -> String {
    if text.hasSuffix(" us") { return text.dropLast(2) + "µs" }
    if text.hasSuffix("m/s2") { return text.dropLast() + "²" }
    return text
  }

  static func sign(of verdict: Verdict) -> String {
    switch verdict {
    case .pass: "✓"
    case .marginal: "!"
    case .notMeasured: "?"
    case .fail: "✕"
    }
  }

  static func seconds(_ seconds: Double) -> String { size(seconds, .second) }

  static let notGiven = "not given"
  static let notKnown = "not known"

  /// A number with four significant digits.
  static func number(_ value: Double) -> String {
    value.isFinite ? EngineeringFormat.significant(value) : notKnown
  }

  static func fixed(_ value: Double, _ decimals: Int, _ unit: String) -> String {
    guard value.isFinite else { return notKnown }
    let number = EngineeringFormat.fixed(value, decimals)
    return unit.isEmpty ? number : "\(number) \(unit)"
  }

  /// Points of an index, of which nobody feels a tenth.
  static func points(_ value: Double) -> String { fixed(value, 1, "") }

  static func decibels(_ value: Double, decimals: Int = 2) -> String {
    fixed(value, decimals, "dB")
  }

  static func percent(_ share: Double, decimals: Int = 2) -> String {
    fixed(100 * share, decimals, "%")
  }

  static func word(of verdict: Verdict) -> String {
    switch verdict {
    case .pass: "meets"
    case .marginal: "limited"
    case .notMeasured: "not measured"
    case .fail: "misses"
    }
  }
}

extension Reading {
  /// The pattern under which it is shown; what the control told is shown as the run's.
  var shownPattern: String? { name.isControl ? nil : pattern }
}

package enum Count {
  /// `1 run`, `2 runs`; `several` where the word takes more than an s.
  package static func of(_ count: Int, _ word: String, _ several: String? = nil) -> String {
    count == 1 ? "1 \(word)" : "\(count) \(several ?? word + "s")"
  }

  /// Words with commas between them, the first few: `a, b, c and 2 more`.
  package static func list(_ words: [String], atMost most: Int) -> String {
    words.prefix(most).joined(separator: ", ")
      + (words.count > most ? " and \(words.count - most) more" : "")
  }

  /// A size with at least two digits: `830 bytes`, `83 kB`, `1.5 GB`.
  package static func bytes(_ count: Int) -> String {
    var value = Double(count)
    guard value >= 1000 else { return of(count, "byte") }
    for unit in ["kB", "MB", "GB"] {
      value /= 1000
      if value < 999.5 || unit == "GB" {
        let shown = value < 9.95 ? (value * 10).rounded() / 10 : value.rounded()
        return value < 9.95 ? "\(shown) \(unit)" : "\(Int(shown)) \(unit)"
      }
    }
    return "\(count) bytes"
  }
}

extension Sequence {
  /// The elements by a key, the keys in the order in which they come first.
  func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, members: [Element])] {
    let keys = map(key).uniqued()
    let groups = Dictionary(grouping: self, by: key)
    return keys.map { ($0, groups[$0] ?? []) }
  }
}

extension Sequence where Element: Hashable {
  /// Each element once, in the order in which they come first.
  func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}

extension String {
  /// The text as a heading or a sentence begins.
  var capitalised: String { prefix(1).uppercased() + dropFirst() }

  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// How the same reading scatters over the takes of a run: a delay is measured to a nanosecond in each take and
/// still moves by microseconds from start to start.
///
/// What tells of the rig is compared over all takes, everything else within a pattern.
struct ReadingScatter {
  private struct Key: Hashable {
    let name: ReadingName
    let channel: String?
    let pattern: String?
    let event: Int?

    init(_ reading: Reading) {
      name = reading.name
      channel = reading.channel
      let isOfRig = ReadingScatter.ofRig.contains(reading.name.kind)
      pattern = isOfRig ? nil : reading.pattern
      event = isOfRig ? nil : reading.event
    }
  }

  private static let ofRig: Set<ReadingKind> = [
    .latencyElectrical, .latencyTransport, .latencyRise, .drift, .noiseFloor,
  ]

  private let deviations: [Key: Double]

  init(_ readings: [Reading]) {
    var sums: [Key: (count: Double, mean: Double, squares: Double)] = [:]
    for reading in readings where reading.take != nil {
      guard let value = reading.value else { continue }
      let key = Key(reading)
      var sum = sums[key] ?? (0, 0, 0)
      // Welford's: nanoseconds on milliseconds keep their digits.
      sum.count += 1
      let step = value - sum.mean
      sum.mean += step / sum.count
      sum.squares += step * (value - sum.mean)
      sums[key] = sum
    }
    deviations = sums.filter { $0.value.count > 1 }.mapValues {
      ($0.squares / ($0.count - 1)).squareRoot()
    }
  }

  /// The standard deviation of a reading over the takes; `nil` where it was taken once.
  func deviation(of reading: Reading) -> Double? { deviations[Key(reading)] }

  /// The larger of the uncertainty that a reading states and its scatter; `nil` where it states none.
  func uncertainty(of reading: Reading) -> Double? {
    guard reading.take != nil, let scatter = deviation(of: reading) else {
      return reading.uncertainty
    }
    return reading.uncertainty.map { max($0, scatter) }
  }
}
