public import JSONText

/// A text that is not a calibration profile: what is wrong, and where.
public struct ProfileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The place in the text.
  public var position: JSONPosition
  /// The value's path, for example `model.f0.value`; empty where the text is not JSON.
  public var path: String
  /// One sentence without the place.
  public var message: String

  /// Makes an error from its parts.
  public init(position: JSONPosition, path: String, message: String) {
    self.position = position
    self.path = path
    self.message = message
  }

  /// The message behind its line and column.
  public var description: String { "\(position): \(message)" }
}
