// SPDX-License-Identifier: Apache-2.0

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

  /// Makes a grid: frequencies above 0 Hz, amplitudes rising from 0, two at least.
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

/// An intent as a device can express it, and what got lost on the way there.
///
/// Scoring compares the response with `tones`; the loss is the device's own, and is reported apart.
public struct QuantisedIntent: Sendable, Hashable {
  /// What got lost; every number is 0 where the device can express all.
  public struct Loss: Sendable, Hashable {
    /// Root mean square of 20 log10(expressed / intended), in dB, where both are driven.
    public var level: Double
    /// Root mean square of log2(expressed / intended), in octaves, where both are driven.
    public var frequency: Double
    /// Share of the driven time in which the device is silent, 0 to 1.
    public var silenced: Double
    /// Share of the silent time in which the device still drives, 0 to 1.
    public var prolonged: Double
    /// Seconds that commands wait at most: one update interval.
    public var delay: Double
    /// Samples where both are driven: what `level` and `frequency` rest on.
    public var sampleCount: Int
  }

  /// The device's tones, one for each of the intent's.
  public let tones: [DriveTone]
  /// What got lost.
  public let loss: Loss

  /// Lays an intent on a device's grid.
  ///
  /// The device takes a command at time 0 and then each update interval, and holds it until the next. A
  /// command is the tone nearest to the mean of the intent over its interval (`DriveTone.mean`). The intent's
  /// tones stand `step` seconds apart.
  public init(_ intent: [DriveTone], step: Double, by drive: ExpressibleDrive) {
    precondition(step > 0, "a step of \(step) s")
    var tones: [DriveTone] = []
    tones.reserveCapacity(intent.count)
    while tones.count < intent.count {
      let first = tones.count
      let update = (Double(first) * step / drive.updateInterval + 1e-6).rounded(.down) + 1
      let next = (update * drive.updateInterval / step - 1e-6).rounded(.up)
      let last = next < Double(intent.count) ? max(first + 1, Int(next)) : intent.count
      let held = drive.nearest(.mean(of: intent[first..<last]))
      tones.append(contentsOf: repeatElement(held, count: last - first))
    }
    self.tones = tones
    loss = Self.loss(intent, tones, delay: drive.updateInterval)
  }

  private static func loss(
    _ intent: [DriveTone], _ tones: [DriveTone], delay: Double
  ) -> Loss {
    var levels = 0.0
    var octaves = 0.0
    var both = 0
    var driven = 0
    var silenced = 0
    var prolonged = 0
    for (wanted, made) in zip(intent, tones) {
      guard wanted.amplitude > 0 else {
        if made.amplitude > 0 { prolonged += 1 }
        continue
      }
      driven += 1
      guard made.amplitude > 0 else {
        silenced += 1
        continue
      }
      both += 1
      let level = 20 * log10(made.amplitude / wanted.amplitude)
      levels += level * level
      let octave = wanted.frequency > 0 ? log2(made.frequency / wanted.frequency) : 0
      octaves += octave * octave
    }
    let silent = intent.count - driven
    return Loss(
      level: both > 0 ? (levels / Double(both)).squareRoot() : 0,
      frequency: both > 0 ? (octaves / Double(both)).squareRoot() : 0,
      silenced: driven > 0 ? Double(silenced) / Double(driven) : 0,
      prolonged: silent > 0 ? Double(prolonged) / Double(silent) : 0, delay: delay,
      sampleCount: both)
  }
}
