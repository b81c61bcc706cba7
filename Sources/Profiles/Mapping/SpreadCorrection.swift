// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception

/// What a tap meets of a correction that was measured with steady tones: its mean over the tap's spectrum.
///
/// A steady tone meets one frequency, a tap of 22 ms some 40 Hz at once, by its power |A(f)|^2. Where a
/// spring has moved a resonance of high Q, tones find a deep dip beside a high peak; taps meet both, and
/// next to nothing is left. At all those frequencies the mass moves as far as it does in the tap.
struct SpreadCorrection {
  private let correction: ResponseCorrection
  private let parts: [Part]

  /// A frequency of the tap.
  private struct Part {
    /// Its place between the correction's rows.
    let row: Interpolation
    /// The threshold there, in dB re 1 g peak.
    let threshold: Double
    /// What of the tap lies there.
    let weight: Double
    /// The acceleration there at which the mass moves as far, as a share of the tap's.
    let acceleration: Double
  }

  /// How far to either side of its frequency a tap is looked at, over its length.
  private static let reach = 1.3
  /// How far the mass moves in a tap that fades, by its energy, over its first swing:
  /// sqrt(integral of w^4 / integral of w^2) of w = (1 + cos u) / 2 is sqrt(35 / 48).
  private static let motion = (35.0 / 48).squareRoot()

  init(
    of correction: ResponseCorrection, at frequency: Double, shape: TapShape,
    contour: PerceptionContour
  ) {
    let reach = Self.reach / shape.length
    let (low, high) = (max(0.2 * frequency, frequency - reach), frequency + reach)
    // The correction is straight between its rows.
    let nodes = [low] + correction.frequencies.filter { low < $0 && $0 < high } + [high]
    let powers = nodes.map { shape.power(at: $0 - frequency) }
    let shares = nodes.indices.map { index -> Double in
      let width = nodes[min(index + 1, nodes.count - 1)] - nodes[max(0, index - 1)]
      return powers[index] * width
    }
    let sum = shares.reduce(0, +)
    self.correction = correction
    parts = zip(nodes, shares).map { node, share in
      let ratio = node / frequency
      return Part(
        row: correction.row(at: node), threshold: contour.threshold(at: node), weight: share / sum,
        acceleration: Self.motion * ratio * ratio)
    }
  }

  /// The dB to add to a tap of a peak acceleration in m/s2.
  func decibels(acceleration: Double) -> Double {
    parts.reduce(0) { sum, part in
      let level = PerceptionContour.sensationLevel(
        acceleration: acceleration * part.acceleration, threshold: part.threshold)
      return sum + part.weight * correction.decibels(at: part.row, level: level)
    }
  }
}

extension TapShape {
  private static let steps = 32

  /// The power of the tap's envelope at an offset in hertz from its frequency, in a unit of its own.
  fileprivate func power(at offset: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for step in 0..<Self.steps {
      let share = (Double(step) + 0.5) / Double(Self.steps)
      let (size, turn) = (1 + cos(.pi * share), 2 * .pi * offset * length * share)
      real += size * cos(turn)
      imaginary += size * sin(turn)
    }
    return real * real + imaginary * imaginary
  }
}
