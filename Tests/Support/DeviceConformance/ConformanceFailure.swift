// SPDX-License-Identifier: Apache-2.0

/// What a back end did against the contract of the ports, in one sentence.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The sentence, with its values.
  public let description: String

  /// Makes a failure.
  public init(_ description: String) { self.description = description }
}

/// Throws a failure where a condition does not hold.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
  guard condition else { throw ConformanceFailure(sentence()) }
}
