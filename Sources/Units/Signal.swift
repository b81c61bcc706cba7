// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A number of frames a second.
///
/// Holds any finite rate above zero; converts between frames and seconds.
public struct SampleRate: Hashable, Sendable, CustomStringConvertible {
  /// Frames a second.
  public let hertz: Double

  /// Makes a rate from frames a second.
  ///
  /// Traps unless `hertz` is finite and above zero: files and devices are checked before this point.
  public init(hertz: Double) {
    precondition(
      hertz.isFinite && hertz > 0, "a sample rate must be finite and positive, not \(hertz)")
    self.hertz = hertz
  }

  /// The rate most sound hardware offers: 48,000 frames a second.
  public static let standard = SampleRate(hertz: 48_000)

  /// The time between two frames, in seconds.
  public var period: Double { 1 / hertz }

  /// The position in frames, with its fraction, of a time in seconds.
  public func frames(_ seconds: Double) -> Double { seconds * hertz }

  /// The smallest whole number of frames that holds a duration in seconds.
  public func wholeFrames(_ seconds: Double) -> Int { Int((seconds * hertz).rounded(.up)) }

  /// The time of a frame position, in seconds.
  public func seconds(_ frames: Double) -> Double { frames / hertz }

  /// The rate with its unit, without a fraction where it has none.
  public var description: String {
    hertz == hertz.rounded() ? "\(Int(hertz)) Hz" : "\(hertz) Hz"
  }
}

/// Samples of one quantity at one rate, with its unit.
public struct Signal: Sendable, Equatable {
  /// The samples in order, in `unit`.
  public var samples: [Float]
  /// How many samples a second.
  public let rate: SampleRate
  /// What one sample counts.
  public let unit: MeasurementUnit

  /// Makes a signal.
  public init(samples: [Float], rate: SampleRate, unit: MeasurementUnit) {
    self.samples = samples
    self.rate = rate
    self.unit = unit
  }

  /// The length in seconds.
  public var duration: Double { Double(samples.count) / rate.hertz }
}

/// What several modules ask of a list of numbers.
public enum Statistics {
  /// The median, for an even count the mean of the two in the middle; traps on an empty list.
  public static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    // Half of each, so that two large values do not add up to infinity.
    return sorted.count.isMultiple(of: 2)
      ? sorted[middle - 1] / 2 + sorted[middle] / 2 : sorted[middle]
  }
}

/// Conversions between amplitude ratios and decibels (20 log10).
public enum Decibels {
  /// The level of an amplitude ratio, in dB.
  public static func of(amplitude ratio: Double) -> Double { 20 * log10(ratio) }

  /// The level of a power or energy ratio, in dB.
  public static func of(power ratio: Double) -> Double { 10 * log10(ratio) }

  /// The amplitude ratio of a level in dB.
  public static func amplitude(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}
