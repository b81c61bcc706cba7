// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception

/// Moves what an actuator cannot reach to what it can, and keeps the order of things.
///
/// What is reachable stays where it is: its frequency exactly, its level but for the last dB below the
/// ceiling, where it bends by half a dB at the most. What is not keeps its level first, and its
/// frequency is moved toward the resonance, by half a just noticeable difference at most; what is then
/// still too strong is compressed into that last dB. All along, more intensity stays more level, and
/// more sharpness more frequency:
/// - the move m, in nepers, begins where the level passes the ceiling, and grows by at most 0.8 a neper
///   of distance from what is reachable (its lower envelope of that slope), so that the moved frequency
///   still rises by 0.2;
/// - a move only climbs: it ends where the ceiling falls again, so that the ceiling that counts never
///   falls while intensity rises;
/// - the compressed level ends at the ceiling for the highest level and rises strictly up to it.
struct GamutMapping: Sendable {
  /// How far below the ceiling compression begins, in dB.
  static let knee = 1.0
  /// The furthest move: half a just noticeable difference of frequency, 9 %.
  static let furthest = JustNoticeable.nepers / 2
  /// How steeply a move may fall along frequency.
  private static let slope = 0.8
  /// The dB above the ceiling at which a move may be the furthest.
  private static let ramp = 3.0
  /// A move is made in full where it wins this much level, in dB.
  private static let worthwhile = 1.0

  /// Logarithms of frequency, rising: the nodes between which everything is straight.
  private let nodes: [Double]
  /// The ceiling at the nodes, in dB above threshold.
  private let ceilings: [Double]
  /// The furthest move at each node, limits of slope not yet kept.
  private let reaches: [Double]
  private let resonance: Double
  private let highestLevel: Double

  /// Prepares the mapping of a band that is asked for, up to the highest level: frequencies in hertz, levels in dB
  /// above threshold.
  ///
  /// The ceiling bends at the nodes; moves go toward the resonance.
  init(
    ceiling: (Double) -> Double, nodes: [Double], band: ClosedRange<Double>, resonance: Double,
    highestLevel: Double
  ) {
    let (low, high) = (log(band.lowerBound), log(band.upperBound))
    let margin = Self.furthest + 0.02
    var logs = (0...Self.steps).map {
      low - margin + (high - low + 2 * margin) * Double($0) / Double(Self.steps)
    }
    let pole = log(max(1e-3, resonance))
    for node in nodes.map({ log($0) }) + [pole] where node > logs[0] && node < logs[Self.steps] {
      logs.append(node)
    }
    logs.sort()
    let levels = logs.map { ceiling(exp($0)) - Self.margin }
    self.nodes = logs
    self.ceilings = levels
    self.resonance = pole
    self.highestLevel = highestLevel
    reaches = logs.indices.map { Self.reach(of: $0, logs, levels, toward: pole) }
  }

  private static let steps = 192
  /// What straight lines between nodes may be above the ceiling, in dB.
  private static let margin = 0.05

  /// How far a node may be moved: uphill, not up to the resonance, and as far as that wins level.
  private static func reach(
    of index: Int, _ nodes: [Double], _ ceilings: [Double], toward pole: Double
  ) -> Double {
    let (place, step) = (nodes[index], pole > nodes[index] ? 1 : -1)
    let outer = index - step
    // What lies beyond a ridge stays there, and so does what lies at the foot of one.
    guard place != pole, nodes.indices.contains(outer), ceilings[outer] <= ceilings[index] else {
      return 0
    }
    var top = index
    while nodes.indices.contains(top + step), ceilings[top + step] >= ceilings[top],
      abs(nodes[top] - place) < furthest, nodes[top] != pole
    {
      top += step
    }
    let climb = min(furthest, abs(nodes[top] - place), slope * abs(pole - place))
    let end = Interpolation(of: place + Double(step) * climb, in: nodes).value(ceilings)
    return climb * min(1, max(0, (end - ceilings[index]) / worthwhile))
  }

  /// The frequency in hertz and the level in dB above threshold that stand for what is asked.
  func map(frequency: Double, level: Double) -> (frequency: Double, level: Double) {
    let place = log(frequency)
    let move = move(from: place, level: level)
    guard move != 0 else {
      return (frequency, compress(level, ceiling: value(at: place, ceilings)))
    }
    return (
      exp(place + move), compress(level, ceiling: value(at: place + move, ceilings))
    )
  }

  /// The ceiling in dB above threshold at a frequency in hertz.
  func ceiling(at frequency: Double) -> Double { value(at: log(frequency), ceilings) }

  /// How far a level at a logarithm of frequency is moved; below 0 for down.
  private func move(from place: Double, level: Double) -> Double {
    func own(_ reach: Double, _ ceiling: Double) -> Double {
      min(reach, max(0, Self.furthest * (level - ceiling) / Self.ramp))
    }
    var last = (place: place, ceiling: value(at: place, ceilings))
    var least = own(value(at: place, reaches), last.ceiling)
    guard least > 0, place != resonance else { return 0 }
    let direction = resonance > place ? 1.0 : -1.0
    // From here toward the resonance, for as long as what is there can hold the move back.
    let lower = Interpolation(of: place, in: nodes).lower
    var index = direction > 0 ? lower + 1 : lower
    while nodes.indices.contains(index) {
      let distance = abs(nodes[index] - place)
      if last.ceiling < level, ceilings[index] >= level {
        let share = (level - last.ceiling) / (ceilings[index] - last.ceiling)
        let border = abs(last.place + share * (nodes[index] - last.place) - place)
        return direction * min(least, Self.slope * border)
      }
      guard Self.slope * distance < least else { break }
      least = min(least, own(reaches[index], ceilings[index]) + Self.slope * distance)
      last = (nodes[index], ceilings[index])
      index += direction > 0 ? 1 : -1
    }
    return direction * least
  }

  /// A level under a ceiling: untouched up to the knee, at the ceiling for the highest.
  ///
  /// With t counted from the knee in its width and T the highest level's t, t / (1 + (1 - 1/T) t): its
  /// slope is 1 at the knee, and a level at the ceiling itself bends by less than half the knee. Where
  /// the highest level is below the ceiling nothing is compressed.
  private func compress(_ level: Double, ceiling: Double) -> Double {
    let start = ceiling - Self.knee
    let full = (highestLevel - start) / Self.knee
    guard level > start, full > 1 else { return level }
    let t = (level - start) / Self.knee
    return start + Self.knee * t / (1 + (1 - 1 / full) * t)
  }

  private func value(at x: Double, _ values: [Double]) -> Double {
    Interpolation(of: x, in: nodes).value(values)
  }
}

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
        / JustNoticeable.level.value
    }
    frequencies = states.map { log($0.frequency) / JustNoticeable.nepers }
  }

  private static let steps = 256

  /// The states that the motor can hold, by rising voltage.
  var reachable: [MotorCurve.Point] { states }

  /// The state that feels nearest; nil for a motor without a curve.
  func nearest(level: Double, frequency: Double) -> MotorCurve.Point? {
    guard let first = states.first, states.count > 1 else { return states.first }
    let (x, y) = (
      level / JustNoticeable.level.value, log(frequency) / JustNoticeable.nepers
    )
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
