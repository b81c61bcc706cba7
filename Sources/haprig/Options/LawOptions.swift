import ArgumentParser
import Perception
import Workflows

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
  var mixing = RequestedLaws.Mixing.soft

  @Option(name: .long, help: "What a tap leaves of the vibrations under it, 0 to 1; 1 for all.")
  var ducking = 1.0

  @Option(name: .long, help: "The length of a tap's burst, in milliseconds.")
  var transientLength = RequestedLaws().transientLength

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The milliseconds that attack, decay and release of 0 and of 1 take.", valueName: "from-to"))
  var envelopeTimes = EnvelopeTimes.standard

  @Flag(name: .long, help: "Let HapticSharpnessControl move taps too.")
  var sharpnessControlMovesTaps = false

  func validate() throws {
    try Self.check(sharpness: sharpnessLaw, intensity: intensityLaw, level: referenceLevel)
    guard (0...1).contains(ducking) else {
      throw ValidationError("--ducking takes 0 to 1, not \(ducking)")
    }
    guard RequestedLaws.transientLengths.contains(transientLength) else {
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
    if let level, !RequestedLaws.referenceLevels.contains(level) {
      throw ValidationError(
        "A reference level of \(level) dB is outside 11 to 60 dB above threshold")
    }
  }

  /// The laws that are asked for.
  var requested: RequestedLaws {
    var laws = RequestedLaws()
    laws.sharpness = sharpnessLaw.flatMap { SharpnessLaw.named($0) }
    laws.intensity = intensityLaw.flatMap { IntensityLaw(rawValue: $0) }
    laws.referenceLevel = referenceLevel
    laws.mixing = mixing
    laws.ducking = ducking
    laws.transientLength = transientLength
    laws.envelopeTimes = envelopeTimes
    laws.sharpnessControlMovesTaps = sharpnessControlMovesTaps
    return laws
  }
}

extension RequestedLaws.Mixing: ExpressibleByArgument {}

extension EnvelopeTimes: ExpressibleByArgument {
  /// Reads what stands on the command line.
  public init?(argument: String) { self.init(argument) }

  /// As help shows it.
  public var defaultValueDescription: String { text }
}
