import ArgumentParser
import HapticRendering
import Perception

/// The laws that intent becomes drive by, each with its documented default.
struct LawOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "Sharpness to frequency: \(SharpnessLaw.named.map(\.name).joined(separator: ", ")).")
  var sharpnessLaw = "log80-230"

  @Option(
    name: .long,
    help: "Intensity to amplitude: \(IntensityLaw.allCases.map(\.name).joined(separator: ", ")).")
  var intensityLaw = "square"

  @Option(name: .long, help: "The level of intensity 1, in dB above threshold.")
  var referenceLevel = 30.0

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
    guard SharpnessLaw.named(sharpnessLaw) != nil else {
      throw ValidationError(
        "There is no sharpness law '\(sharpnessLaw)': use "
          + SharpnessLaw.named.map(\.name).joined(separator: ", "))
    }
    guard IntensityLaw(rawValue: intensityLaw) != nil else {
      throw ValidationError(
        "There is no intensity law '\(intensityLaw)': use "
          + IntensityLaw.allCases.map(\.name).joined(separator: ", "))
    }
    guard (11...60).contains(referenceLevel) else {
      throw ValidationError(
        "A reference level of \(referenceLevel) dB is outside 11 to 60 dB above threshold")
    }
    guard (0...1).contains(ducking) else {
      throw ValidationError("--ducking takes 0 to 1, not \(ducking)")
    }
    guard (1...500).contains(transientLength) else {
      throw ValidationError("--transient-length takes 1 to 500 ms, not \(transientLength)")
    }
  }

  /// What levels are judged by.
  var target: IntensityTarget {
    IntensityTarget(law: intensity, referenceLevel: referenceLevel)
  }

  /// The laws as rendering takes them.
  var configuration: RenderConfiguration {
    let limit: MixingLaw = mixing == .soft ? .standard : .sum
    return RenderConfiguration(
      sharpnessLaw: SharpnessLaw.named(sharpnessLaw) ?? .log80To230, intensityLaw: intensity,
      envelopeLaw: envelopeTimes.law, transientShape: TransientShape(length: transientLength / 1e3),
      mixingLaw: limit.ducking(ducking),
      sharpnessControlMovesTransients: sharpnessControlMovesTaps)
  }

  private var intensity: IntensityLaw { IntensityLaw(rawValue: intensityLaw) ?? .square }
}

/// The ends of the exponential law of attack, decay and release, written as `1-1000` in milliseconds.
struct EnvelopeTimes: ExpressibleByArgument {
  let law: EnvelopeLaw

  init(law: EnvelopeLaw) { self.law = law }

  init?(argument: String) {
    let parts = argument.split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 2, let shortest = parts[0], let longest = parts[1],
      (0.01...10_000).contains(shortest), (shortest...10_000).contains(longest)
    else { return nil }
    law = EnvelopeLaw(shortest: shortest / 1e3, longest: longest / 1e3)
  }

  var defaultValueDescription: String { "\(law.shortest * 1e3)-\(law.longest * 1e3)" }
}
