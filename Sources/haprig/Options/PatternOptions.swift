import ArgumentParser
import Bench
import Perception
import Units

/// How patterns are read.
struct PatternOptions: ParsableArguments {
  @Option(
    name: .long, help: "The folder that sound paths in a pattern are relative to (its own folder).",
    completion: .directory)
  var bundle: String?

  @Option(
    name: .long, help: "Also read sounds below this folder; may be given again.",
    completion: .directory)
  var allowPath: [String] = []

  @Flag(name: .long, help: "Whatever the reader would mend or leave out is an error.")
  var strict = false

  /// A loader by these options.
  func loader(rate: SampleRate) -> PatternLoader {
    var loader = PatternLoader(rate: rate)
    loader.isStrict = strict
    loader.bundle = bundle
    loader.allowedFolders = allowPath
    return loader
  }
}

/// The laws that intent becomes drive by.
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
  }

  /// Sharpness to frequency.
  var sharpness: SharpnessLaw { SharpnessLaw.named(sharpnessLaw) ?? .log80To230 }

  /// Intensity to amplitude.
  var intensity: IntensityLaw { IntensityLaw(rawValue: intensityLaw) ?? .square }

  /// What levels are judged by.
  var target: IntensityTarget {
    IntensityTarget(law: intensity, referenceLevel: referenceLevel)
  }
}
