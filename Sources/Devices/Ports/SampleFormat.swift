/// How a converter's samples lie in memory, little-endian, the widest first.
public enum SampleFormat: String, Sendable, Hashable, CaseIterable {
  /// Floating point, 32 bits, full scale at 1.
  case float = "FLOAT"
  /// Integers of 32 bits.
  case s32 = "S32"
  /// Integers of 24 bits in the lower end of four bytes.
  case s24 = "S24"
  /// Integers of 24 bits in three bytes.
  case s24in3 = "S24_3"
  /// Integers of 16 bits.
  case s16 = "S16"
}
