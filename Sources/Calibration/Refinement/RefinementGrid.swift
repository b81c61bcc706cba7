private import Glibc
import Perception
import Profiles

/// Tones over frequency and level whose correction is refined until their error stands.
struct RefinementGrid: Sendable {
  struct Node: Sendable {
    let row: Int
    let column: Int
  }

  static let rounds = 3
  /// The error that stands, in dB.
  static let allowedError = 0.1

  let frequencies: [Double]
  let levels: [Double]
  let isReachable: [[Bool]]
  /// The total correction that the last reading asks for, in dB.
  var right: [[Double?]]
  var errors: [[Double?]]

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

  var greatestError: Double {
    errors.joined().compactMap(\.self).map(abs).max() ?? 0
  }
}

/// Makes a correction: what a level model asks for, and what tones found that to miss.
struct CorrectionBuilder {
  let model: LevelModel
  let inverse: FeedForward
  let contour: PerceptionContour

  private func decibels(at frequency: Double, level: Double) -> Double {
    let wanted = contour.acceleration(sensationLevel: level, at: frequency)
    let through =
      model.magnitude(at: frequency, acceleration: wanted)
      * inverse.response(at: frequency).magnitude / inverse.leakFactor(at: frequency)
    return -20 * log10(through)
  }

  /// What the level model leaves over at the tones of a grid; nil before there are any.
  ///
  /// Where the actuator does not get, the next lower level stands in.
  func residual(_ grid: RefinementGrid) -> ResponseCorrection? {
    let rows = grid.frequencies.indices.compactMap { row -> (Double, [Double])? in
      let frequency = grid.frequencies[row]
      var last: Double?
      let found = grid.levels.indices.map { column -> Double? in
        if let total = grid.right[row][column] {
          last = total - decibels(at: frequency, level: grid.levels[column])
        }
        return last
      }
      guard let first = found.compactMap(\.self).first else { return nil }
      return (frequency, found.map { $0 ?? first })
    }
    guard !rows.isEmpty else { return nil }
    return ResponseCorrection(
      frequencies: rows.map(\.0), levels: grid.levels, decibels: rows.map(\.1))
  }

  func table(
    frequencies: [Double], levels: [Double], residual: ResponseCorrection
  ) -> ResponseCorrection {
    ResponseCorrection(
      frequencies: frequencies, levels: levels,
      decibels: frequencies.map { frequency in
        var row = levels.map {
          decibels(at: frequency, level: $0) + residual.decibels(at: frequency, level: $0)
        }
        // Above -0.8 dB a dB, so that more stays more.
        for index in row.indices.dropFirst() {
          row[index] = max(row[index], row[index - 1] - 0.8 * (levels[index] - levels[index - 1]))
        }
        return row
      })
  }
}
