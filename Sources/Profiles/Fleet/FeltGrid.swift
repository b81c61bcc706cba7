// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception

/// What an actuator makes felt at the points by which fleets are judged.
public struct FeltGrid: Sendable, Equatable {
  /// Where the numbers come from; the raw value is a word for reports.
  public enum Basis: String, Sendable, Hashable {
    /// The actuator was measured at the points.
    case measured
    /// The profile says so.
    case predicted
  }

  /// One point.
  public struct Point: Sendable, Equatable {
    /// The intensity, 0...1.
    public let intensity: Double
    /// The sharpness, 0...1.
    public let sharpness: Double
    /// The level, in dB above threshold.
    public let level: Double
    /// The frequency, in hertz.
    public let frequency: Double
    /// Whether the actuator reaches what the laws ask for.
    public let isInside: Bool
  }

  /// The intensities of the grid.
  public static let intensities = [0.1, 0.25, 0.5, 0.75, 1]
  /// The sharpnesses of the grid.
  public static let sharpnesses = [0, 0.25, 0.5, 0.7, 1]

  /// Where the numbers come from.
  public let basis: Basis
  /// The points, sharpness by sharpness within an intensity.
  public let points: [Point]

  /// What was measured at the 25 points; nil for a profile that was not verified on all of them.
  public init?(measuredIn profile: CalibrationProfile) {
    guard let grid = profile.verification?.grid else { return nil }
    var points: [Point] = []
    for (intensity, sharpness) in Self.nodes {
      guard
        let found = grid.first(where: {
          abs($0.intensity - intensity) < 1e-9 && abs($0.sharpness - sharpness) < 1e-9
        })
      else { return nil }
      points.append(
        Point(
          intensity: intensity, sharpness: sharpness, level: found.level,
          frequency: found.frequency, isInside: found.isInside))
    }
    (basis, self.points) = (.measured, points)
  }

  /// What a profile says of the 25 points.
  public init(predicting profile: CalibrationProfile) {
    self.init(predicting: profile, at: Self.nodes)
  }

  /// What a profile says of points of one's own.
  public init(
    predicting profile: CalibrationProfile, at nodes: [(intensity: Double, sharpness: Double)]
  ) {
    let map = DriveMap(profile: profile, fullScaleVolts: .infinity)
    basis = .predicted
    points = nodes.map { intensity, sharpness in
      let command = map.command(intensity: intensity, sharpness: sharpness)
      return Point(
        intensity: intensity, sharpness: sharpness,
        level: command.targetLevel - command.mapping.decibels, frequency: command.frequency,
        isInside: command.mapping.isInside)
    }
  }

  /// The 25 points as intensity and sharpness.
  static var nodes: [(intensity: Double, sharpness: Double)] {
    intensities.flatMap { intensity in sharpnesses.map { (intensity, $0) } }
  }

  /// As many points on the curve of a rotating mass, as far as the laws can ask for them.
  static func nodes(
    onCurveOf profile: CalibrationProfile
  ) -> [(intensity: Double, sharpness: Double)] {
    let states = DriveMap(profile: profile, fullScaleVolts: .infinity).motorStates
    let asked = states.compactMap { profile.laws.asking(for: $0) }
    guard asked.count > nodes.count else { return asked }
    return nodes.indices.map { asked[$0 * (asked.count - 1) / (nodes.count - 1)] }
  }
}

extension ProfileLaws {
  /// The intensity and sharpness that ask for a state of a motor; nil where none do.
  fileprivate func asking(
    for state: MotorCurve.Point
  ) -> (intensity: Double, sharpness: Double)? {
    guard
      let sharpness = Self.solve(state.frequency, { sharpness.frequency(of: $0) }),
      let intensity = Self.solve(
        state.acceleration,
        { target.acceleration(intensity: max($0, 1e-9), frequency: state.frequency) })
    else { return nil }
    return (intensity, sharpness)
  }

  /// The place in 0...1 where a rising function has a value; nil where it has it nowhere.
  private static func solve(_ value: Double, _ function: (Double) -> Double) -> Double? {
    var (low, high) = (0.0, 1.0)
    guard function(low) <= value, value <= function(high) else { return nil }
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if function(middle) <= value { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
