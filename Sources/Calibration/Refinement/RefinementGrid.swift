// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import Profiles
import SignalAnalysis

/// The steady response of an actuator whose spring, magnet and damping change with its travel.
///
/// G (1 + l X^2) s^2 / (s^2 + s c (1 + d X^2) + w0^2 (1 + k X^2)) for the strongest mode, with X the
/// amplitude of the displacement over the greatest that was seen; other modes are linear.
struct LevelModel: Sendable {
  struct Point: Sendable {
    var frequency: Double
    var volts: Double
    var acceleration: Double
    var uncertainty: Double
  }

  /// The small-signal modes; empty for a piezo without one.
  let modes: [ActuatorModel.Mode]
  /// a and b of each mode's numerator a + b s.
  private let numerators: [(constant: Double, slope: Double)]
  /// m/s2 per volt at 200 Hz of a piezo without a mode.
  let piezoGain: Double
  /// What X counts in: metres of displacement.
  private(set) var travel = 1.0
  /// h of the strongest mode, where the inverse undoes it: then no tone is asked for k.
  let spring: Double?
  /// k, l, d.
  private(set) var changes = [0.0, 0.0, 0.0]

  init(_ model: ActuatorModel, spring: Double? = nil) {
    modes = model.modes
    self.spring = spring
    numerators = model.modes.indices.map(model.numerator)
    piezoGain = model.piezoGain?.value ?? 0
  }

  /// Fits the changes to tones, by Gauss and Newton; without a tone that moves they stay as they are.
  mutating func fit(_ points: [Point]) {
    let usable = points.filter { $0.acceleration > 0 && $0.volts > 0 }
    guard usable.count >= 4 else { return }
    func displacement(_ point: Point) -> Double {
      point.acceleration / (4 * .pi * .pi * point.frequency * point.frequency)
    }
    travel = usable.map(displacement).max() ?? 1
    changes = [0, 0, 0]
    for _ in 0..<8 {
      var rows: [[Double]] = []
      var values: [Double] = []
      var uncertainties: [Double] = []
      let base = self
      for point in usable {
        func prediction(_ model: LevelModel) -> Double {
          log(model.magnitude(at: point.frequency, acceleration: point.acceleration))
        }
        let now = prediction(base)
        rows.append(
          (0..<3).map { index in
            var trial = base
            trial.changes[index] += 1e-4
            return (prediction(trial) - now) / 1e-4
          })
        values.append(log(point.acceleration / point.volts) - now)
        // The form is an approximation: no tone is to count for more than a percent tells.
        uncertainties.append(max(0.01, point.uncertainty / point.acceleration))
      }
      // What the tones cannot tell stays near zero.
      for index in 0..<3 {
        rows.append((0..<3).map { $0 == index ? 1 : 0 })
        values.append(-changes[index])
        uncertainties.append(index == 0 && spring != nil ? 1e-6 : 0.3)
      }
      guard let fit = LinearFit(rows: rows, values: values, uncertainties: uncertainties) else {
        return
      }
      for index in 0..<3 {
        changes[index] = max(
          -0.6, min(1.5, changes[index] + max(-0.3, min(0.3, fit.parameters[index]))))
      }
      if fit.parameters.allSatisfy({ abs($0) < 1e-5 }) { break }
    }
  }

  /// The peak acceleration per peak volt at a frequency, while the actuator moves with an acceleration.
  func magnitude(at frequency: Double, acceleration: Double) -> Double {
    let w = 2 * Double.pi * frequency
    let share = min(1, acceleration / (w * w) / travel)
    let x = share * share
    let own = 0.75 * (spring ?? 0) * acceleration * acceleration / (w * w * w * w)
    guard !modes.isEmpty else {
      let ratio = frequency / ActuatorModel.piezoReference
      return abs(piezoGain) * ratio * ratio * (1 + changes[1] * x)
    }
    var sum = response(
      0, at: frequency, stiffness: 1 + own + changes[0] * x, damping: 1 + changes[2] * x,
      force: 1 + changes[1] * x)
    for index in modes.indices.dropFirst() {
      sum = sum + response(index, at: frequency, stiffness: 1, damping: 1, force: 1)
    }
    return max(1e-12, sum.magnitude)
  }

  /// The displacement of a mode's mass for a volt at small signal, in metres as the mount's acceleration
  /// tells it.
  func displacement(ofMode index: Int, at frequency: Double) -> Double {
    let w = 2 * Double.pi * frequency
    let response = response(index, at: frequency, stiffness: 1, damping: 1, force: 1)
    return response.magnitude / (w * w)
  }

  /// How far apart frequencies may lie near a resonance for a straight line between them, as a share of its
  /// half-power width, and how many widths to either side that is near.
  private static let fine = (step: 0.25, reach: 1.5)
  /// The furthest that a spring is believed to move its resonance, as a share, and the most frequencies of a mode.
  private static let believed = (move: 0.12, count: 40)

  /// The frequencies in hertz at which the response over level bends: around each resonance, and for the
  /// strongest mode from where it is at rest to where its spring takes it.
  ///
  /// At one level a mode whose spring has moved it is as wide as it was, so that a quarter of its width tells
  /// all there is: lines between are right to 0.1 dB rms and bend by 2 dB at the most.
  var bends: [Double] {
    modes.indices.flatMap { index -> [Double] in
      let (f0, width) = (modes[index].f0.value, modes[index].f0.value / modes[index].q.value)
      let moved = index == 0 ? max(0, 1 + changes[0]).squareRoot() - 1 : 0
      let move = f0 * max(-Self.believed.move, min(Self.believed.move, moved))
      let low = f0 + min(0, move) - Self.fine.reach * width
      let high = f0 + max(0, move) + Self.fine.reach * width
      let count = min(
        Self.believed.count, Int(((high - low) / (Self.fine.step * width)).rounded(.up)))
      return (0...count).map { low + (high - low) * Double($0) / Double(count) }
    }
  }

  private func response(
    _ index: Int, at frequency: Double, stiffness: Double, damping: Double, force: Double
  ) -> Complex {
    let mode = modes[index]
    let ratio = frequency / mode.f0.value
    let (a, b) = numerators[index]
    return (-force * ratio * ratio) * Complex(a, 2 * .pi * frequency * b)
      / Complex(stiffness - ratio * ratio, damping * ratio / mode.q.value)
  }
}

struct RefinementGrid: Sendable {
  struct Node: Sendable {
    let row: Int
    let column: Int
  }

  static let rounds = 3
  static let allowedError = 0.1

  let frequencies: [Double]
  let levels: [Double]
  let isReachable: [[Bool]]
  /// The total correction that the last reading asks for, in dB.
  var right: [[Double?]]
  var errors: [[Double?]]

  init(
    ceiling: ReachableCeiling, holding inverse: FeedForward?, contour: PerceptionContour,
    floor: Double, reference: Double
  ) {
    let span = reference - floor
    frequencies = ceiling.points.map(\.frequency)
    let levels = [0.0, 0.45, 0.75, 1].map { floor + span * $0 }
    self.levels = levels
    isReachable = ceiling.points.map { point in
      let held = min(
        point.acceleration, inverse?.steadyLimit(at: point.frequency) ?? .infinity)
      let highest = contour.sensationLevel(acceleration: held, at: point.frequency)
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
      * inverse.magnitude(at: frequency, moving: wanted) / inverse.leakFactor(at: frequency)
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
    var table = ResponseCorrection(
      frequencies: frequencies, levels: levels,
      decibels: frequencies.map { frequency in
        levels.map {
          decibels(at: frequency, level: $0) + residual.decibels(at: frequency, level: $0)
        }
      })
    table.holdRises()
    return table
  }
}
