private import Glibc
import SignalAnalysis
import Units

/// How far an actuator moved, as shares.
struct Movement: Sendable {
  var frequency = 0.0
  var q = 0.0
  var gain = 0.0
}

extension Findings {
  /// The closing sweep less the first of its level: what noise does not explain of it.
  var movement: Movement { identity.closing.map { movement(to: $0, beyond: 1) } ?? Movement() }

  /// A sweep less the first of its level, beyond a number of standard deviations.
  func movement(to closing: SweepReading, beyond sigmas: Double) -> Movement {
    guard let before = sweeps.earlier(than: closing) else { return Movement() }
    func moved(_ part: (ModalModel.Mode) -> Estimate) -> Double {
      let (a, b) = (part(before.mode), part(closing.mode))
      let noise = hypot(a.uncertainty, b.uncertainty) / abs(a.value)
      return max(0, abs(b.value / a.value - 1) - sigmas * noise)
    }
    return Movement(frequency: moved(\.frequency), q: moved(\.q), gain: moved(\.gain))
  }

  /// The least change of which a drift can be told, as a share.
  private static let leastDrift = 0.005
  /// How many times as fast as in all a drift may have begun.
  private static let steadyRates = 0.25...4

  /// Whether the sweeps of the identification had already begun to move as a later one has moved: a drift goes
  /// on all the time, another actuator is there at once.
  func isDrifting(to closing: SweepReading) -> Bool {
    guard let before = sweeps.earlier(than: closing), closing.time > before.time else {
      return false
    }
    func isSteady(_ part: (ModalModel.Mode) -> Estimate) -> Bool {
      let all = part(closing.mode).value / part(before.mode).value - 1
      let rate = all / (closing.time - before.time)
      let early = sweeps.pairs.map { first, second in
        (part(second.mode).value / part(first.mode).value - 1) / (second.time - first.time)
      }
      guard !early.isEmpty, abs(all) > Self.leastDrift else { return false }
      return Self.steadyRates.contains(Statistics.median(early) / rate)
    }
    return isSteady(\.frequency) || isSteady(\.gain)
  }
}

/// How far an actuator may move: noticed, a drift, and another actuator.
enum ActuatorChange {
  static let noticed = Movement(frequency: 0.0005, q: 0.01, gain: 0.003)
  static let drift = Movement(frequency: 0.008, q: 0.15, gain: 0.06)
  static let other = Movement(frequency: 0.02, q: 0.3, gain: 0.15)
  /// Standard deviations that are noise.
  static let noise = 4.0
  /// The share by which a piezo's gain may change.
  static let piezo = 0.15
  /// The shares by which resonance and gain may differ after mounting.
  static let mounting = (frequency: 0.03, gain: 0.2)
}

extension Movement {
  func exceeds(_ other: Movement) -> Bool {
    frequency > other.frequency || gain > other.gain || q > other.q
  }
}

extension Findings {
  mutating func checkIdentity(
    of closing: SweepReading
  ) throws(CalibrationRefusal) {
    guard let before = sweeps.earlier(than: closing) else { return }
    func change(_ part: (ModalModel.Mode) -> Estimate) -> Double {
      part(closing.mode).value / part(before.mode).value - 1
    }
    let moved = movement(to: closing, beyond: ActuatorChange.noise)
    let found =
      "its resonance went from \(text(before.mode.frequency.value)) to "
      + "\(text(closing.mode.frequency.value)) Hz, its Q changed by \(text(100 * change(\.q))) % and its "
      + "gain by \(text(100 * change(\.gain))) %"
    if moved.exceeds(ActuatorChange.other), !isDrifting(to: closing) {
      throw CalibrationRefusal(
        .actuatorSwapped,
        "this is not the actuator that the calibration began with: \(found); begin again with one "
          + "actuator that stays fixed")
    }
    if moved.exceeds(ActuatorChange.drift) {
      throw CalibrationRefusal(
        .actuatorDrift,
        "the actuator drifted while it was calibrated: \(found); let it come to a steady temperature "
          + "and begin again")
    }
    if moved.exceeds(ActuatorChange.noticed) {
      notes.append("During the calibration \(found); that is part of the stated uncertainty.")
    }
  }
}
