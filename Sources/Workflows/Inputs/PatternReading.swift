public import Bench
public import Units

/// How patterns are read.
public struct PatternReading: Sendable {
  /// The folder that sound paths in a pattern are relative to; `nil` for the pattern's own.
  public var bundle: String?
  /// Folders that sounds may be read from besides.
  public var allowedFolders: [String] = []
  /// Whether what the reader would mend or leave out is an error.
  public var isStrict = false

  /// As Core Haptics reads them.
  public init() {}

  /// A loader that reads so.
  public func loader(rate: SampleRate) -> PatternLoader {
    var loader = PatternLoader(rate: rate)
    loader.isStrict = isStrict
    loader.bundle = bundle
    loader.allowedFolders = allowedFolders
    return loader
  }
}
