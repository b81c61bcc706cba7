public import HapticRendering
public import Perception
import Profiles

/// The laws that intent becomes drive by, as they were asked for.
public struct RequestedLaws: Sendable {
  /// Sharpness to frequency; `nil` for the profile's, else log80-230.
  public var sharpness: SharpnessLaw?
  /// Intensity to level; `nil` for the profile's, else square.
  public var intensity: IntensityLaw?
  /// The level of intensity 1 in dB above threshold; `nil` for the profile's, else 30.
  public var referenceLevel: Double?
  /// How events add.
  public var mixing = Mixing.soft
  /// What a tap leaves of the vibrations under it, 0...1.
  public var ducking = 1.0
  /// The length of a tap's burst, in milliseconds.
  public var transientLength = TransientShape.standard.length * 1e3
  /// What attack, decay and release of 0 and of 1 take.
  public var envelopeTimes = EnvelopeTimes.standard
  /// Whether HapticSharpnessControl moves taps too.
  public var sharpnessControlMovesTaps = false

  /// How events add, by name.
  public enum Mixing: String, Sendable {
    /// With a soft limit above full scale.
    case soft
    /// As they are.
    case sum
  }

  /// The level of intensity 1 where nobody says another, in dB above threshold.
  public static let standardReference = 30.0
  /// Reference levels that people can tell and actuators reach, in dB above threshold.
  public static let referenceLevels = 11.0...60.0
  /// The lengths that a tap's burst may have, in milliseconds.
  public static let transientLengths = 1.0...500.0

  /// Asks for nothing but the defaults.
  public init() {}

  /// What levels are judged by.
  public var target: IntensityTarget {
    IntensityTarget(
      law: intensity ?? .square, referenceLevel: referenceLevel ?? Self.standardReference)
  }

  /// A profile's laws with what was asked for in their place.
  func asked(of laws: ProfileLaws) -> ProfileLaws {
    var laws = laws
    if let intensity { laws.intensity = intensity }
    if let sharpness { laws.sharpness = sharpness }
    return laws
  }

  /// The laws as rendering takes them.
  public var configuration: RenderConfiguration {
    let limit: MixingLaw = mixing == .soft ? .standard : .sum
    return RenderConfiguration(
      sharpnessLaw: sharpness ?? .log80To230, intensityLaw: intensity ?? .square,
      envelopeLaw: envelopeTimes.law, transientShape: TransientShape(length: transientLength / 1e3),
      mixingLaw: limit.ducking(ducking),
      sharpnessControlMovesTransients: sharpnessControlMovesTaps)
  }
}

/// The ends of the exponential law of attack, decay and release, written as `1-1000` in milliseconds.
public struct EnvelopeTimes: Sendable {
  let law: EnvelopeLaw
  /// As it was written: milliseconds read back from seconds may differ in their last digit.
  public let text: String

  /// The law's own ends.
  public static let standard = EnvelopeTimes(law: .standard)

  private init(law: EnvelopeLaw) {
    self.law = law
    text = "\(law.shortest * 1e3)-\(law.longest * 1e3)"
  }

  /// Reads two numbers from 0.01 to 10,000, the greater one last; `nil` of anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 2, let shortest = parts[0], let longest = parts[1],
      (0.01...10_000).contains(shortest), (shortest...10_000).contains(longest)
    else { return nil }
    law = EnvelopeLaw(shortest: shortest / 1e3, longest: longest / 1e3)
    self.text = text
  }
}
