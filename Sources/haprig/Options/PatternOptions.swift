import ArgumentParser
import Bench

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

  /// How patterns are to be read.
  var reading: PatternReading {
    var reading = PatternReading()
    reading.bundle = bundle
    reading.allowedFolders = allowPath
    reading.isStrict = strict
    return reading
  }
}
