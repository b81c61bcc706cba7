/// Where a device's description of itself cannot be read.
public struct DescriptorError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The byte at which it goes wrong, from the beginning of all descriptors.
  public let offset: Int
  /// What is there and what was expected.
  public let reason: String

  /// The place and the reason.
  public var description: String { "descriptor byte \(offset): \(reason)" }
}
