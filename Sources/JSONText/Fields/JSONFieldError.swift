/// A text that is not of the schema that it is read by: what is wrong, and where.
public struct JSONFieldError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The place in the text.
  public var position: JSONPosition
  /// The value's path, for example `readings[3].unit`; empty where the text is not JSON.
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
