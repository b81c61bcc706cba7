private import Glibc

/// How sharpness 0...1 becomes the frequency of a vibration.
///
/// Apple publishes no law; the candidates differ by half an octave in the middle, so the law used is
/// named in every record.
public enum SharpnessLaw: Sendable, Hashable {
  /// Equal steps in the logarithm of frequency: f = low (high/low)^s.
  case logarithmic(low: Double, high: Double)
  /// Equal steps in hertz: f = low + s (high - low).
  case linear(low: Double, high: Double)

  /// 80 Hz (230/80)^s, the default: equal steps of what people can tell apart.
  public static let log80To230 = SharpnessLaw.logarithmic(low: 80, high: 230)
  /// 80 Hz + 150 Hz s, as Hapticlabs documents.
  public static let linear80To230 = SharpnessLaw.linear(low: 80, high: 230)
  /// 65 Hz + 235 Hz s, as MPEG's reference software renders continuous events.
  public static let mpeg65To300 = SharpnessLaw.linear(low: 65, high: 300)

  /// The laws by the names that records carry.
  public static let named: [(name: String, law: SharpnessLaw)] = [
    ("log80-230", .log80To230), ("linear80-230", .linear80To230), ("mpeg65-300", .mpeg65To300),
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
    }
  }

  /// The frequency in hertz of a sharpness; the sharpness is limited to 0...1.
  public func frequency(of sharpness: Double) -> Double {
    let s = min(1, max(0, sharpness))
    return switch self {
    case .logarithmic(let low, let high): low * pow(high / low, s)
    case .linear(let low, let high): low + s * (high - low)
    }
  }
}
