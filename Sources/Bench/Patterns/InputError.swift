/// What a person handed in cannot be used: a file, a folder, a plan.
///
/// One sentence says what and where, what was expected and what to do.
public struct InputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The sentence, with its place in front where it has one.
  public let description: String

  /// Makes an error of a sentence.
  public init(_ description: String) { self.description = description }
}
