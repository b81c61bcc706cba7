private import Glibc
import Perception
import Profiles

/// Makes the correction table: what the level model says, and what tones found it to miss.
struct CorrectionBuilder: Sendable, Equatable {
  /// What the level model leaves, at the tones' frequencies and levels.
  private(set) var residual = ResponseCorrection.none

  /// The dB that the level model asks for at a frequency and a level.
  static func decibels(
    _ model: LevelModel, _ inverse: FeedForward, contour: PerceptionContour, frequency: Double,
    level: Double
  ) -> Double {
    let wanted = contour.acceleration(sensationLevel: level, at: frequency)
    let through =
      model.magnitude(at: frequency, acceleration: wanted)
      * inverse.response(at: frequency).magnitude / inverse.leakFactor(at: frequency)
    return -20 * log10(through)
  }

  /// Takes in what a round of tones found: the total correction that would have been right at each.
  ///
  /// `right` holds a row each frequency; nil where the actuator does not get there: the next lower
  /// level stands in.
  mutating func learn(
    frequencies: [Double], levels: [Double], right: [[Double?]], model: LevelModel,
    inverse: FeedForward, contour: PerceptionContour
  ) {
    let rows = frequencies.indices.compactMap { row -> (Double, [Double])? in
      var last: Double?
      let found = levels.indices.map { column -> Double? in
        if let total = right[row][column] {
          last =
            total
            - Self.decibels(
              model, inverse, contour: contour, frequency: frequencies[row],
              level: levels[column])
        }
        return last
      }
      guard let first = found.compactMap(\.self).first else { return nil }
      return (frequencies[row], found.map { $0 ?? first })
    }
    guard !rows.isEmpty else { return }
    residual = ResponseCorrection(
      frequencies: rows.map(\.0), levels: levels, decibels: rows.map(\.1))
  }

  /// The table over a band of frequencies and levels.
  func table(
    model: LevelModel, inverse: FeedForward, contour: PerceptionContour, frequencies: [Double],
    levels: [Double]
  ) -> ResponseCorrection {
    ResponseCorrection(
      frequencies: frequencies, levels: levels,
      decibels: frequencies.map { frequency in
        let row = levels.map { level in
          Self.decibels(model, inverse, contour: contour, frequency: frequency, level: level)
            + residual.decibels(at: frequency, level: level)
        }
        return Self.rising(row, over: levels)
      })
  }

  /// Holds the slope over level above -0.8 dB a dB, so that more stays more.
  private static func rising(_ row: [Double], over levels: [Double]) -> [Double] {
    var held = row
    for index in held.indices.dropFirst() {
      held[index] = max(held[index], held[index - 1] - 0.8 * (levels[index] - levels[index - 1]))
    }
    return held
  }
}
