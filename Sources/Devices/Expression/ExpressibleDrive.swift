private import Glibc

/// What a device can express: the frequencies, the amplitudes, and how often it takes new ones.
public struct ExpressibleDrive: Sendable, Hashable {
  /// The frequencies that a device can make.
  public enum Frequencies: Sendable, Hashable {
    /// One alone, as a resonance that is tracked.
    case fixed(Double)
    /// Some, rising.
    case grid([Double])
    /// All of a range.
    case range(ClosedRange<Double>)
  }

  /// The frequencies in hertz.
  public let frequencies: Frequencies
  /// The amplitudes, rising from 0.
  public let amplitudes: [Double]
  /// Seconds between two commands.
  public let updateInterval: Double

  /// Makes a grid.
  ///
  /// - Parameters:
  ///   - frequencies: Above 0 Hz, a grid rising and not empty.
  ///   - amplitudes: Rising from 0, two at least.
  ///   - updateInterval: Seconds between two commands, above 0.
  public init(frequencies: Frequencies, amplitudes: [Double], updateInterval: Double) {
    precondition(
      amplitudes.first == 0 && amplitudes.count > 1 && Self.rises(amplitudes),
      "amplitudes rise from 0, two at least: \(amplitudes.prefix(3))")
    precondition(updateInterval > 0, "an update interval of \(updateInterval) s")
    let isGood =
      switch frequencies {
      case .fixed(let hertz): hertz > 0
      case .grid(let grid): (grid.first ?? 0) > 0 && Self.rises(grid)
      case .range(let range): range.lowerBound > 0
      }
    precondition(isGood, "frequencies are above 0 Hz, and those of a grid rise: \(frequencies)")
    self.frequencies = frequencies
    self.amplitudes = amplitudes
    self.updateInterval = updateInterval
  }

  private static func rises(_ values: [Double]) -> Bool {
    zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// The nearest tone that the device can make: in octaves, and in amplitude.
  ///
  /// Frequencies outside become the nearest edge, amplitudes above the highest the highest. What is no number is
  /// silence.
  public func nearest(_ tone: DriveTone) -> DriveTone {
    let amplitude = tone.amplitude.isNaN ? 0 : tone.amplitude
    return DriveTone(
      frequency: frequency(nearest: tone.frequency),
      amplitude: Self.nearest(amplitude, in: amplitudes, at: { $0 }))
  }

  private func frequency(nearest hertz: Double) -> Double {
    switch frequencies {
    case .fixed(let only): return only
    case .range(let range):
      return hertz.isNaN ? range.lowerBound : min(range.upperBound, max(range.lowerBound, hertz))
    case .grid(let grid):
      guard hertz > 0 else { return grid[0] }
      return Self.nearest(hertz, in: grid, at: log2)
    }
  }

  /// The nearest of rising values on a scale that rises too.
  private static func nearest(
    _ value: Double, in values: [Double], at scale: (Double) -> Double
  ) -> Double {
    var low = 0
    var high = values.count - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if values[middle] <= value { low = middle } else { high = middle }
    }
    let isLow = scale(value) - scale(values[low]) <= scale(values[high]) - scale(value)
    return isLow ? values[low] : values[high]
  }
}
