import ArgumentParser
import Bench
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
