private import Glibc

/// What must be added to a target so that the actuator, inverse filter included, does what is asked.
///
/// A rectangular table over frequency and level; between its nodes bilinear in the logarithm of
/// frequency and in dB, outside held. Empty, it adds nothing.
public struct ResponseCorrection: Sendable, Equatable {
  /// The frequencies of the rows, in hertz, rising.
  public var frequencies: [Double]
  /// The levels of the columns, in dB above threshold of the target, rising.
  public var levels: [Double]
  /// The dB to add at each frequency (outer) and level (inner).
  public var decibels: [[Double]]

  /// Makes a table; a slope over level of -1 dB a dB or less would turn weak and strong around.
  public init(frequencies: [Double] = [], levels: [Double] = [], decibels: [[Double]] = []) {
    precondition(
      decibels.count == frequencies.count && decibels.allSatisfy { $0.count == levels.count },
      "a correction of \(frequencies.count) frequencies and \(levels.count) levels needs as many "
        + "rows and columns")
    self.frequencies = frequencies
    self.levels = levels
    self.decibels = decibels
  }

  /// The table that adds nothing.
  public static let none = ResponseCorrection()

  /// The dB to add at a frequency in hertz and a target level in dB above threshold.
  public func decibels(at frequency: Double, level: Double) -> Double {
    guard !frequencies.isEmpty, !levels.isEmpty else { return 0 }
    let row = Interpolation(of: frequency, in: frequencies, logarithmic: true)
    let column = Interpolation(of: level, in: levels)
    let lower = column.value(decibels[row.lower])
    let upper = column.value(decibels[row.upper])
    return lower + row.share * (upper - lower)
  }
}
