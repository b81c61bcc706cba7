private import Glibc
import Perception

/// Finds the state of a rotating mass that feels nearest to a target.
///
/// Level and logarithm of frequency, each in just noticeable differences, make a plane in which the
/// motor's states are one curve that rises in both. The nearest point of such a curve never goes back
/// where the target goes on, so the order of intensities and of sharpnesses stays.
struct MotorProjection: Sendable {
  /// The states in steps of voltage: where they are in the plane.
  private let states: [MotorCurve.Point]
  private let levels: [Double]
  private let frequencies: [Double]

  /// Prepares the projection; states beyond the highest voltage are left out.
  init(curve: MotorCurve, contour: PerceptionContour, highestVolts: Double) {
    let points = curve.points.filter { $0.volts > 0 && $0.frequency > 0 && $0.acceleration > 0 }
    let volts = points.map(\.volts)
    let highest = min(highestVolts, volts.last ?? 0)
    let lowest = min(highest, volts.first ?? 0)
    states =
      points.isEmpty
      ? []
      : (0...Self.steps).map { step in
        let share = Double(step) / Double(Self.steps)
        let voltage = lowest + (highest - lowest) * share
        let place = Interpolation(of: voltage, in: volts)
        return MotorCurve.Point(
          volts: voltage, frequency: place.value(points.map(\.frequency)),
          acceleration: place.value(points.map(\.acceleration)))
      }
    levels = states.map {
      contour.sensationLevel(acceleration: $0.acceleration, at: $0.frequency)
        / JustNoticeable.level
    }
    frequencies = states.map { log($0.frequency) / log(1 + JustNoticeable.frequency) }
  }

  private static let steps = 256

  /// The states that the motor can hold, by rising voltage.
  var reachable: [MotorCurve.Point] { states }

  /// The state that feels nearest; nil for a motor without a curve.
  func nearest(level: Double, frequency: Double) -> MotorCurve.Point? {
    guard let first = states.first, states.count > 1 else { return states.first }
    let (x, y) = (level / JustNoticeable.level, log(frequency) / log(1 + JustNoticeable.frequency))
    var best = (distance: Double.infinity, state: first)
    for index in 0..<states.count - 1 {
      let (dx, dy) = (
        levels[index + 1] - levels[index], frequencies[index + 1] - frequencies[index]
      )
      let length = dx * dx + dy * dy
      let along = (x - levels[index]) * dx + (y - frequencies[index]) * dy
      let share = length > 0 ? min(1, max(0, along / length)) : 0
      let (ex, ey) = (
        levels[index] + share * dx - x, frequencies[index] + share * dy - y
      )
      let distance = ex * ex + ey * ey
      // Of two states as near, the weaker: a later one must be nearer by more than rounding.
      if distance < best.distance - 1e-12 {
        best = (distance, states[index].interpolated(to: states[index + 1], share))
      }
    }
    return best.state
  }
}

extension MotorCurve.Point {
  fileprivate func interpolated(to other: Self, _ share: Double) -> Self {
    Self(
      volts: volts + share * (other.volts - volts),
      frequency: frequency + share * (other.frequency - frequency),
      acceleration: acceleration + share * (other.acceleration - acceleration))
  }
}
