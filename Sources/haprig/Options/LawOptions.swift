import ArgumentParser
import HapticRendering
import Perception
import Profiles

/// The laws that intent becomes drive by, each with its documented default.
struct LawOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Sharpness to frequency: \(SharpnessLaw.named.map(\.name).joined(separator: ", ")) "
        + "(the profile's, else log80-230)."))
  var sharpnessLaw: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Intensity to amplitude: \(IntensityLaw.allCases.map(\.name).joined(separator: ", ")) "
        + "(the profile's, else square)."))
  var intensityLaw: String?

  @Option(
    name: .long,
    help: "The level of intensity 1, in dB above threshold (the profile's, else 30).")
  var referenceLevel: Double?

  @Option(name: .long, help: "How events add: soft (a soft limit above full scale) or sum.")
  var mixing = MixingName.soft

  @Option(name: .long, help: "What a tap leaves of the vibrations under it, 0 to 1; 1 for all.")
  var ducking = 1.0

  @Option(name: .long, help: "The length of a tap's burst, in milliseconds.")
  var transientLength = TransientShape.standard.length * 1e3

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The milliseconds that attack, decay and release of 0 and of 1 take.", valueName: "from-to"))
  var envelopeTimes = EnvelopeTimes(law: .standard)

  @Flag(name: .long, help: "Let HapticSharpnessControl move taps too.")
  var sharpnessControlMovesTaps = false

  /// How events add, by name.
  enum MixingName: String, ExpressibleByArgument {
    case soft
    case sum
  }

  func validate() throws {
    try Self.check(sharpness: sharpnessLaw, intensity: intensityLaw, level: referenceLevel)
    guard (0...1).contains(ducking) else {
      throw ValidationError("--ducking takes 0 to 1, not \(ducking)")
    }
    guard (1...500).contains(transientLength) else {
      throw ValidationError("--transient-length takes 1 to 500 ms, not \(transientLength)")
    }
  }

  /// Refuses names that no law has, and levels that are none; what is `nil` was not asked for.
  static func check(sharpness: String?, intensity: String?, level: Double?) throws {
    if let sharpness, SharpnessLaw.named(sharpness) == nil {
      throw ValidationError(
        "There is no sharpness law '\(sharpness)': use "
          + SharpnessLaw.named.map(\.name).joined(separator: ", "))
    }
    if let intensity, IntensityLaw(rawValue: intensity) == nil {
      throw ValidationError(
        "There is no intensity law '\(intensity)': use "
          + IntensityLaw.allCases.map(\.name).joined(separator: ", "))
    }
    if let level, !(11...60).contains(level) {
      throw ValidationError(
        "A reference level of \(level) dB is outside 11 to 60 dB above threshold")
    }
  }

  /// What levels are judged by.
  var target: IntensityTarget {
    IntensityTarget(
      law: intensity ?? .square, referenceLevel: referenceLevel ?? Self.standardReference)
  }

  /// The level of intensity 1 where nobody says another, in dB above threshold.
  static let standardReference = 30.0

  /// A profile's laws with what was asked for on the command line in their place.
  func asked(of laws: ProfileLaws) -> ProfileLaws {
    var laws = laws
    if let intensity { laws.intensity = intensity }
    if let sharpness { laws.sharpness = sharpness }
    return laws
  }

  /// The laws as rendering takes them.
  var configuration: RenderConfiguration {
    let limit: MixingLaw = mixing == .soft ? .standard : .sum
    return RenderConfiguration(
      sharpnessLaw: sharpness ?? .log80To230, intensityLaw: intensity ?? .square,
      envelopeLaw: envelopeTimes.law, transientShape: TransientShape(length: transientLength / 1e3),
      mixingLaw: limit.ducking(ducking),
      sharpnessControlMovesTransients: sharpnessControlMovesTaps)
  }

  /// The law of intensity that was asked for.
  private var intensity: IntensityLaw? { intensityLaw.flatMap { IntensityLaw(rawValue: $0) } }
  /// The law of sharpness that was asked for.
  private var sharpness: SharpnessLaw? { sharpnessLaw.flatMap { SharpnessLaw.named($0) } }
}

/// The ends of the exponential law of attack, decay and release, written as `1-1000` in milliseconds.
struct EnvelopeTimes: ExpressibleByArgument {
  let law: EnvelopeLaw
  /// As it was written: milliseconds read back from seconds may differ in their last digit.
  let text: String

  init(law: EnvelopeLaw) {
    self.law = law
    text = "\(law.shortest * 1e3)-\(law.longest * 1e3)"
  }

  init?(argument: String) {
    let parts = argument.split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 2, let shortest = parts[0], let longest = parts[1],
      (0.01...10_000).contains(shortest), (shortest...10_000).contains(longest)
    else { return nil }
    law = EnvelopeLaw(shortest: shortest / 1e3, longest: longest / 1e3)
    text = argument
  }

  var defaultValueDescription: String { text }
}
