import Acceptance
import Units

/// How much of what a pattern asks for its actuator cannot do under its profile.
struct ActuatorReach {
  /// From this share on it is said in a sentence: a tenth, the share of unscored events that is no longer a pass.
  static let much = 0.1

  /// The share of the intent that lies outside what the actuator reaches, 0 to 1.
  let outside: Headline
  /// How long the inverse filter was held at the profile's peak voltage, in seconds, the longest of the takes.
  let held: Double
  /// The same as a headline; `nil` where no take was held.
  let heldTime: Headline?
  /// The same as a share of the pattern.
  private let heldShare: Double

  /// Draws the readings of a pattern together; `nil` where there was no profile, or nothing was driven.
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

  /// What a person has to know of the pattern; `nil` where it is little.
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

  /// How many patterns are named.
  private static let named = 5

  /// What a person has to know of all patterns, a sentence for each thing, the worst patterns first.
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
