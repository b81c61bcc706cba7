private import Glibc

/// Conversions between amplitude ratios and decibels (20 log10).
public enum Decibels {
  /// The level of an amplitude ratio, in dB.
  public static func of(amplitude ratio: Double) -> Double { 20 * log10(ratio) }

  /// The level of a power or energy ratio, in dB.
  public static func of(power ratio: Double) -> Double { 10 * log10(ratio) }

  /// The amplitude ratio of a level in dB.
  public static func amplitude(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}
