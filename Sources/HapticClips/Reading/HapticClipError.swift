public import JSONText

/// A file that cannot be read as a clip: the reason, and where it lies.
public struct HapticClipError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with a file; the raw values are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// The file has more bytes than are read.
    case inputTooLarge = "CLIP001"
    case brokenJSON = "CLIP002"
    /// A value that must be there is missing.
    case valueMissing = "CLIP003"
    /// A value has the wrong JSON type.
    case wrongType = "CLIP004"
    /// The clip is not of version 1.
    case versionUnknown = "CLIP005"
    /// An amplitude or a frequency is not within 0 to 1.
    case valueOutOfRange = "CLIP006"
    /// A time is negative or before that of the point above.
    case timesOutOfOrder = "CLIP007"
    /// The amplitude has fewer than two points, or they span no time.
    case noLength = "CLIP008"
    /// An emphasis is weaker than the amplitude at its point.
    case emphasisTooWeak = "CLIP009"
    /// A point of the frequency lies outside the time that the amplitude spans.
    case frequencyOutside = "CLIP010"
  }

  /// What is wrong.
  public var code: Code
  /// Where it is wrong.
  public var position: JSONPosition
  /// One sentence without the place.
  public var message: String
  /// The name of the file.
  public var fileName: String
  /// The whole message: place, sentence, code, source line and caret.
  public var text: String

  init(_ code: Code, at offset: Int, _ message: String, fileName: String, bytes: [UInt8]) {
    self.code = code
    self.message = message
    self.fileName = fileName
    position = JSONPosition(offset: offset, in: bytes)
    text = SourceSnippet.report(
      bytes: bytes, fileName: fileName, position: position,
      sentence: "error: \(message) [\(code.rawValue)]")
  }

  /// The whole message.
  public var description: String { text }
}
