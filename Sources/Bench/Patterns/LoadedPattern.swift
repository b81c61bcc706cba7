public import AHAP
public import HapticRendering

/// A pattern as a run needs it: read, its sounds decoded, what was found on the way kept.
public struct LoadedPattern: Sendable {
  /// The name in records.
  public let name: String
  /// The file as it was named.
  public let file: String
  /// What the reader made of it.
  public let document: AHAPDocument
  /// The decoded sounds at the rate of rendering.
  public let sounds: SoundBank
  /// Sounds that are not there, by path, each with the reason.
  public let missingSounds: [String: String]

  /// The bytes of the file.
  public let source: [UInt8]
  /// By the path that the pattern names a sound with: the file that was read.
  public let soundFiles: [String: String]

  /// Every finding of reader and loader as one line with its place.
  public let findings: [String]

  /// The pattern in absolute seconds under the laws of a configuration, as long as its sounds are.
  public func timeline(under configuration: RenderConfiguration) -> Timeline {
    Timeline(
      document.pattern, configuration: configuration,
      soundDuration: { sounds.duration(of: $0) })
  }
}
