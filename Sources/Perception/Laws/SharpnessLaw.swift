private import Glibc

/// How sharpness 0...1 becomes the frequency of a vibration.
///
/// Apple publishes no law; the candidates differ by half an octave in the middle, so the law used is
/// named in every record. Every law of `named` rises strictly.
public enum SharpnessLaw: Sendable, Hashable {
  /// Equal steps in the logarithm of frequency: f = low (high/low)^s.
  case logarithmic(low: Double, high: Double)
  /// Equal steps in hertz: f = low + s (high - low).
  case linear(low: Double, high: Double)
  /// Two straight lines that meet at the resonance: s = 0, 0.7, 1 give low, resonance, high.
  ///
  /// Android 16 takes the three frequencies from the actuator: the ends of the band in which it stays
  /// 10 dB above threshold, and its resonance. Source: AOSP `BasicToPwleSegmentAdapter`, the version
  /// that pins the resonance.
  case pinned(low: Double, resonance: Double, high: Double)

  /// The sharpness that a pinned law gives the resonance.
  public static let pinnedSharpness = 0.7

  /// 80 Hz (230/80)^s, the default: equal steps of what people can tell apart.
  public static let log80To230 = SharpnessLaw.logarithmic(low: 80, high: 230)
  /// 80 Hz + 150 Hz s, as Hapticlabs documents.
  public static let linear80To230 = SharpnessLaw.linear(low: 80, high: 230)
  /// 65 Hz + 235 Hz s, as MPEG's reference software renders continuous events.
  public static let mpeg65To300 = SharpnessLaw.linear(low: 65, high: 300)
  /// 46, 150 and 300 Hz at s = 0, 0.7 and 1: Android 16's mapping for an actuator that is not known.
  ///
  /// Band and resonance are those of the example actuator in AOSP's default vibrator HAL; an actuator's
  /// own make a `pinned` law.
  public static let aosp = SharpnessLaw.pinned(low: 46, resonance: 150, high: 300)

  /// The laws by the names that records carry.
  public static let named: [(name: String, law: SharpnessLaw)] = [
    ("log80-230", .log80To230), ("linear80-230", .linear80To230), ("mpeg65-300", .mpeg65To300),
    ("aosp", .aosp),
  ]

  /// The law of a name.
  public static func named(_ name: String) -> SharpnessLaw? {
    named.first { $0.name == name }?.law
  }

  /// The name that records carry.
  public var name: String {
    if let known = Self.named.first(where: { $0.law == self }) { return known.name }
    return switch self {
    case .logarithmic(let low, let high): "log\(low)-\(high)"
    case .linear(let low, let high): "linear\(low)-\(high)"
    case .pinned(let low, let resonance, let high): "aosp\(low)-\(resonance)-\(high)"
    }
  }

  /// The frequency in hertz of a sharpness; the sharpness is limited to 0...1.
  public func frequency(of sharpness: Double) -> Double {
    let s = min(1, max(0, sharpness))
    return switch self {
    case .logarithmic(let low, let high): low * pow(high / low, s)
    case .linear(let low, let high): low + s * (high - low)
    case .pinned(let low, let resonance, let high):
      s < Self.pinnedSharpness
        ? low + s / Self.pinnedSharpness * (resonance - low)
        : resonance + (s - Self.pinnedSharpness) / (1 - Self.pinnedSharpness) * (high - resonance)
    }
  }
}
