import Acceptance
private import Glibc
import Perception
import Units

/// How one event of a take came out, in differences that people just notice.
struct EventScore {
  /// How far an event is from what was asked.
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

    /// How much it weighs: where one mark stands for several events, the heaviest is shown.
    var weight: Int { Self.byWeight.firstIndex(of: self) ?? 0 }

    /// The verdict that has its colour.
    var verdict: Verdict {
      switch self {
      case .good: .pass
      case .marginal: .marginal
      case .bad, .dropped: .fail
      case .notMeasured: .notMeasured
      }
    }
  }

  /// A number with its standard uncertainty.
  struct Value {
    var value: Double
    var uncertainty: Double?
  }

  /// One of the three things that an event can miss.
  struct Deviation {
    enum Kind: String {
      case level
      case time
      case sharpness
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
  /// The kind and the commanded start, where the record says them.
  let commanded: RunRecord.Event?
  /// Whether levels are compared with the take's other events, since without a profile loudness is nobody's
  /// promise.
  let isRelative: Bool
  /// What was measured of it, the farthest off first.
  let deviations: [Deviation]
  let grade: Grade
  /// Why it was not measured.
  let reason: String?

  /// How far it is off: of a dropped event, farther than of any other.
  var size: Double {
    switch grade {
    case .dropped: .infinity
    case .notMeasured: -1
    default: deviations.first?.size ?? 0
    }
  }

  /// Sizes of one just noticeable difference.
  static func difference(_ kind: Deviation.Kind, _ value: Double) -> Double {
    switch kind {
    case .level: JustNoticeable.level
    // What comes late stands behind the sound: people notice that at half of what they bear before it.
    case .time: value > 0 ? JustNoticeable.audioHaptic / 2 : JustNoticeable.audioHaptic
    case .sharpness: log2(1 + JustNoticeable.frequency)
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
