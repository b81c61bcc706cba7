// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The acceleration that people just feel at each frequency, by name.
public struct PerceptionContour: Sendable, Equatable {
  /// The name that records carry.
  public let name: String
  /// Frequency in hertz and threshold in dB re 1 g peak, by rising frequency.
  public let points: [Point]

  /// One point of a contour.
  public struct Point: Sendable, Equatable {
    /// Frequency in hertz.
    public let frequency: Double
    /// Threshold in dB re 1 g peak.
    public let level: Double

    /// Makes a point.
    public init(frequency: Double, level: Double) {
      self.frequency = frequency
      self.level = level
    }
  }

  /// Makes a contour of one's own.
  ///
  /// Traps unless there is a point and frequencies rise from above 0.
  public init(name: String, points: [Point]) {
    precondition(
      points.first.map { $0.frequency > 0 } == true
        && zip(points, points.dropFirst()).allSatisfy { $0.frequency < $1.frequency },
      "the contour '\(name)' needs points whose frequencies rise from above 0")
    self.name = name
    self.points = points
  }

  /// The curve that Android 16 uses for its normalized envelopes; linear in hertz, held outside.
  ///
  /// Source: AOSP `BasicToPwleSegmentAdapter`.
  public static let aosp16 = PerceptionContour(
    name: "aosp16",
    points: [
      (0.4, -97.81), (2, -69.86), (3, -62.81), (4, -58.81), (5, -56.69), (6, -54.77),
      (7.2, -52.85), (8, -51.77), (8.64, -50.84), (10, -48.90), (10.37, -48.52), (12.44, -46.50),
      (14.93, -44.43), (15, -44.35), (17.92, -41.96), (20, -40.36), (21.5, -39.60), (25, -37.48),
      (25.8, -36.93), (30, -34.31), (35, -33.13), (40, -32.81), (50, -31.94), (60, -31.77),
      (70, -31.59), (72, -31.55), (80, -31.77), (86.4, -31.94), (90, -31.73), (100, -31.90),
      (103.68, -31.77), (124.42, -31.70), (149.3, -31.38), (150, -31.35), (179.16, -31.02),
      (200, -30.86), (215, -30.35), (250, -28.98), (258, -28.68), (300, -26.81), (400, -19.81),
    ].map { Point(frequency: $0.0, level: $0.1) })

  /// What is felt alike has the same velocity, as at magnitudes far above threshold; `aosp16` at 150 Hz.
  ///
  /// An acceleration in proportion to frequency: 9.5 dB less at 50 Hz. In steps of a twelfth octave
  /// from 1 to 1024 Hz, between which it is within 0.01 dB. Source: Griffin (2012) on grips, 16-400 Hz.
  public static let velocity = PerceptionContour(
    name: "velocity",
    points: (0...120).map { step in
      let frequency = exp2(Double(step) / 12)
      return Point(
        frequency: frequency, level: aosp16.threshold(at: 150) + 20 * log10(frequency / 150))
    })

  /// The contours that have a name of their own.
  public static let named: [PerceptionContour] = [aosp16, velocity]

  /// The contour of a name.
  public static func named(_ name: String) -> PerceptionContour? {
    named.first { $0.name == name }
  }

  /// The threshold at a frequency, in dB re 1 g peak.
  public func threshold(at frequency: Double) -> Double {
    guard let first = points.first, let last = points.last else { return 0 }
    if frequency <= first.frequency { return first.level }
    if frequency >= last.frequency { return last.level }
    let upper = points.firstIndex { $0.frequency >= frequency } ?? points.count - 1
    let (a, b) = (points[max(0, upper - 1)], points[upper])
    guard b.frequency > a.frequency else { return b.level }
    let share = (frequency - a.frequency) / (b.frequency - a.frequency)
    return a.level + share * (b.level - a.level)
  }

  /// The peak acceleration in m/s2 that stands a number of dB above threshold at a frequency.
  public func acceleration(sensationLevel: Double, at frequency: Double) -> Double {
    9.80665 * pow(10, (threshold(at: frequency) + sensationLevel) / 20)
  }

  /// How many dB above threshold a peak acceleration in m/s2 is felt at a frequency.
  public func sensationLevel(acceleration: Double, at frequency: Double) -> Double {
    Self.sensationLevel(acceleration: acceleration, threshold: threshold(at: frequency))
  }

  /// The same above a threshold in dB re 1 g peak.
  package static func sensationLevel(acceleration: Double, threshold: Double) -> Double {
    20 * log10(acceleration / 9.80665) - threshold
  }
}

/// One sine of a vibration.
public struct VibrationComponent: Sendable, Hashable {
  /// The frequency, in hertz.
  public var frequency: Double
  /// The peak acceleration, in m/s2.
  public var acceleration: Double

  /// Makes a component.
  public init(frequency: Double, acceleration: Double) {
    self.frequency = frequency
    self.acceleration = acceleration
  }
}

/// How strong a vibration of several components feels.
public enum PerceivedLevel {
  /// The level in dB above threshold: L = 10 log10 sum 10^(SL/10).
  ///
  /// Energies add, as the Pacinian channel adds them up. Minus infinity without a component above 0.
  public static func of(
    _ components: [VibrationComponent], contour: PerceptionContour = .aosp16
  ) -> Double {
    10
      * log10(
        components.reduce(0) { sum, component in
          sum + pow(10, component.sensationLevel(contour) / 10)
        })
  }
}

/// Where a vibration of several components lies in frequency.
public enum SharpnessCentroid {
  /// Components below this level in dB above threshold are not counted.
  public static let leastLevel = 10.0

  /// The frequency in hertz whose logarithm is the mean over components, weighted by 10^(SL/10).
  ///
  /// Of one component its own frequency, whatever its level.
  public static func of(
    _ components: [VibrationComponent], contour: PerceptionContour = .aosp16
  ) -> Double? {
    if components.count == 1 { return components[0].frequency }
    var (weights, sum) = (0.0, 0.0)
    for component in components {
      let level = component.sensationLevel(contour)
      guard level >= leastLevel else { continue }
      let weight = pow(10, level / 10)
      weights += weight
      sum += weight * log(component.frequency)
    }
    return weights > 0 ? exp(sum / weights) : nil
  }
}

extension VibrationComponent {
  fileprivate func sensationLevel(_ contour: PerceptionContour) -> Double {
    contour.sensationLevel(acceleration: abs(acceleration), at: frequency)
  }
}
