import Perception
import Profiles

/// Tones over frequency and level whose correction is refined until their error stands.
struct RefinementGrid: Sendable, Equatable {
  /// One tone.
  struct Node: Sendable, Equatable {
    let row: Int
    let column: Int
  }

  /// How often a tone is played.
  static let rounds = 3
  /// The error that stands, in dB.
  static let allowedError = 0.1

  /// The frequencies in hertz.
  let frequencies: [Double]
  /// The levels in dB above threshold.
  let levels: [Double]
  /// Whether the actuator gets there.
  let isReachable: [[Bool]]
  /// The total correction that the last reading asks for, in dB.
  var right: [[Double?]]
  /// The last error in dB.
  var errors: [[Double?]]

  /// The grid below a ceiling.
  init(
    ceiling: ReachableCeiling, contour: PerceptionContour, floor: Double, reference: Double
  ) {
    let span = reference - floor
    frequencies = ceiling.points.map(\.frequency)
    let levels = [0.0, 0.45, 0.75, 1].map { floor + span * $0 }
    self.levels = levels
    isReachable = ceiling.points.map { point in
      let highest = contour.sensationLevel(acceleration: point.acceleration, at: point.frequency)
      return levels.map { $0 <= highest - 0.05 }
    }
    right = frequencies.map { _ in levels.map { _ in nil } }
    errors = right
  }

  /// The tones of a round: all in the first, then those whose error does not stand yet.
  func nodes(round: Int) -> [Node] {
    frequencies.indices.flatMap { row in
      levels.indices.compactMap { column -> Node? in
        guard isReachable[row][column] else { return nil }
        if round > 0, let error = errors[row][column], abs(error) <= Self.allowedError {
          return nil
        }
        return Node(row: row, column: column)
      }
    }
  }

  /// The greatest error of the last readings, in dB.
  var greatestError: Double {
    errors.joined().compactMap(\.self).map(abs).max() ?? 0
  }
}
