// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Profiles
import SignalAnalysis
import Units

struct Movement: Sendable {
  var frequency = 0.0
  var q = 0.0
  var gain = 0.0

  func exceeds(_ other: Movement) -> Bool {
    frequency > other.frequency || gain > other.gain || q > other.q
  }
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

  /// Within how many seconds two disturbances are at the same place of a sweep.
  private static let samePlace = 0.03
  /// Within how many seconds two blows are at the same time of a segment.
  private static let sameTime = 0.1
  /// How many records in a row differ where something is loose.
  private static let looseRecords = 2

  func isShaken(_ reading: SweepReading) -> Bool {
    guard reading.disturbance.isDisturbed else { return false }
    return trouble.suspect.map { abs($0 - reading.disturbance.time) > Self.samePlace } ?? true
  }

  mutating func note(_ disturbance: SweepDisturbance) {
    if disturbance.isDisturbed { trouble.suspect = disturbance.time }
  }

  /// Keeps what disturbed a sweep alike each time as a part of the rig, and tells the first of its kind.
  mutating func learn(partOfRig reading: SweepReading) {
    if sweeps.partsOfRig.isEmpty {
      notes.append(
        "Each time a sweep has come to \(text(reading.disturbed.frequency)) Hz, a part of the rig moves that "
          + "the actuator's resonance does not explain: it is no disturbance and no part of the profile; look "
          + "for what is not clamped.")
    }
    sweeps.add(partOfRig: reading)
  }

  /// Keeps the response to a segment that was shaken at a time, and is played again.
  ///
  /// Blows fall at any time; what shakes at the same time again is looked at like all that repeats.
  mutating func remember(_ capture: Capture, blow: Double) throws(CalibrationRefusal) {
    if let last = trouble.record?.blow, abs(last - blow) < Self.sameTime {
      try record(capture, at: blow)
    } else {
      trouble.record = RepeatedRecord(
        output: capture.output(along: motion.weights),
        differences: trouble.record?.differences ?? 0)
    }
    trouble.record?.blow = blow
  }

  /// Whether a segment in trouble answered alike when it was played before; else it must be played again to tell.
  var answersAlike: Bool { trouble.record?.isLikeBefore ?? false }

  /// Keeps the response to a segment in trouble, compared with the one before it.
  ///
  /// Throws where three records in a row differ.
  mutating func record(
    _ capture: Capture, at time: Double? = nil
  ) throws(CalibrationRefusal) {
    let output = capture.output(along: motion.weights)
    var record = RepeatedRecord(output: output)
    defer { trouble.record = record }
    guard let before = trouble.record else { return }
    let frame = time.map { capture.lead + Int(capture.rate.frames($0)) }
    let share = RepeatedRecord.difference(
      before.output, output, rate: capture.rate, noise: motion.noise, around: frame)
    record.isLikeBefore = !(share > RepeatedRecord.sameMotion)
    guard !record.isLikeBefore else { return }
    record.differences = before.differences + 1
    guard record.differences >= Self.looseRecords else { return }
    let strongest = output.reduce(0) { max($0, abs(Double($1))) }
    throw CalibrationRefusal(
      .sensorLoose,
      "\(text(100 * share)) % of the motion at up to \(text(strongest)) m/s2 is another each time the same is "
        + "played, while fainter motion follows the drive: the sensor is loose above a level, or the "
        + "moving mass strikes something; fix the sensor and the actuator to the same mass")
  }

  func checkReferenceWire(
    following response: (Double) -> Complex, band: ClosedRange<Double>
  ) throws(CalibrationRefusal) {
    guard
      rest?.markers?.isActuator(following: response, along: motion.weights, band: band) == true
    else { return }
    throw CalibrationRefusal(
      .channelCrossed,
      "the actuator moves while only the reference is driven: it is wired to the reference's output "
        + "instead of its own channel; swap the wires, or correct the channels in the rig file")
  }
}

/// How far an actuator may move: noticed, a drift, and another actuator.
enum ActuatorChange {
  static let noticed = Movement(frequency: 0.0005, q: 0.01, gain: 0.003)
  static let drift = Movement(frequency: 0.008, q: 0.15, gain: 0.06)
  static let other = Movement(frequency: 0.02, q: 0.3, gain: 0.15)
  /// Standard deviations that are noise.
  static let noise = 4.0
  static let piezo = 0.15
  /// The shares by which resonance and gain may differ after mounting.
  static let mounting = (frequency: 0.03, gain: 0.2)
}

/// A segment's response that was not as it should be, kept to see whether the next one is the same.
///
/// A mass that strikes its stop does so alike each time; a sensor that slips or rattles does not.
struct RepeatedRecord: Sendable {
  let output: [Float]
  var differences = 0
  var isLikeBefore = false
  /// When in the segment a blow was seen, in seconds.
  var blow: Double?

  /// The share of the motion by which two records of a thing that repeats do not differ.
  static let sameMotion = 0.08

  /// How much two records differ where they are strongest, or around a frame, as a share of the motion.
  ///
  /// Stretches of 10 ms; of those with more than 0.7 of the strongest motion, or within 35 ms, the upper
  /// quartile. Both are band-passed, so that the part of a frame by which two takes stand apart hardly
  /// counts, and twice the noise, an rms within the band, is taken off.
  static func difference(
    _ first: [Float], _ second: [Float], rate: SampleRate, noise: Double, around frame: Int? = nil
  ) -> Double {
    let filter = BandPass(RestCheck.band(rate))
    let (a, b) = (filter.apply(to: first, rate: rate), filter.apply(to: second, rate: rate))
    let size = max(8, rate.wholeFrames(0.010))
    let count = min(a.count, b.count) / size
    func power(_ block: Int, _ value: (Int) -> Double) -> Double {
      (block * size..<(block + 1) * size).reduce(0) { $0 + value($1) * value($1) }
    }
    let motion = (0..<count).map { block in
      power(block) { a[$0] } + power(block) { b[$0] }
    }
    guard let top = motion.max(), top > 0 else { return 0 }
    let place = frame.map { max(0, min(count - 1, $0 / size)) }
    let shares = motion.indices.compactMap { block -> Double? in
      let isChosen = place.map { abs($0 - block) <= 3 } ?? (motion[block] > 0.5 * top)
      guard isChosen, motion[block] > 0 else { return nil }
      let apart = power(block) { a[$0] - b[$0] } - 8 * noise * noise * Double(size)
      return (max(0, apart) / motion[block]).squareRoot()
    }.sorted()
    return shares.isEmpty ? 0 : shares[3 * (shares.count - 1) / 4]
  }
}

extension SweepReading {
  /// Where the sweep was when something shook the rig, in hertz, and how much, in m/s2 for a volt.
  var disturbed: (frequency: Double, gain: Double) {
    let sweep = response.sweep
    return (
      sweep.frequency(at: max(0, min(sweep.duration, disturbance.time))),
      disturbance.strength / level
    )
  }

  var shaken: String {
    "something shook the rig \(text(max(0, disturbance.time))) s into the sweep "
      + "(\(text(disturbance.strength)) m/s2 rms that the actuator does not explain)"
  }
}
