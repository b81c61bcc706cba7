// SPDX-License-Identifier: Apache-2.0

import Perception
import Profiles
import SignalAnalysis

extension Findings {
  /// The limit of a small signal, and what the ceiling search needs.
  mutating func identify() throws(CalibrationRefusal) {
    guard let found = sweeps.smallSignalLimits(), let limit = found.first else {
      throw CalibrationRefusal(
        .actuatorDead, "no sweep at small signal could be read: check the actuator and the sensor"
      )
    }
    try checkCompression()
    resonance = ResonanceFindings(limit: limit, second: found.count > 1 ? found[1] : nil)
    tellFixture()
    let model = model
    try checkEarlier(model)
    levels = LevelModel(model, spring: spring?.value)
    taps = TapRefinement(frequency: limit.frequency.value, q: limit.q.value)
    if limit.gain.value < 0 {
      notes.append(
        "A positive voltage begins with a negative acceleration: the actuator's wires or the sensor "
          + "are the other way round; the profile carries the sign.")
    }
  }

  private mutating func tellFixture() {
    guard let own = resonance?.limit, let other = resonance?.second,
      other.isFixture(beside: own)
    else { return }
    notes.append(
      "Beside the actuator's resonance at \(text(own.frequency.value)) Hz a part of the fixture rings near "
        + "\(text(other.frequency.value)) Hz, with a Q of \(text(other.q.value)), or it is another mode of the "
        + "actuator. The profile holds both as they are mounted here; clamp what is not the actuator's."
    )
  }

  var afterIdentification: any CalibrationStage {
    if let amplifier = AmplifierStage(self) { return amplifier }
    return CeilingStage(round: 0)
  }

  /// How much higher than the first a sweep is that may be compressed, and the share of it up to which weaker
  /// ones are compared.
  private static let compressed = (higher: 2.0, weaker: 0.6)
  /// Where the actuator hardly moves, over its resonance.
  private static let aside = [0.6, 1.6, 2, 2.5]
  /// The relative uncertainty at which a response stands clear of the noise.
  private static let clear = 0.03
  /// The share of the response that is left where the amplifier clips.
  private static let left = 0.93

  /// Without a captured drive an amplifier that clips shows away from the resonance, where the
  /// actuator hardly moves: there the response falls at the highest level.
  private func checkCompression() throws(CalibrationRefusal) {
    guard !subject.hasReference, let first = sweeps.all.first,
      let high = sweeps.all.max(by: { $0.level < $1.level }),
      high.level > Self.compressed.higher * first.level
    else { return }
    let f0 = first.mode.frequency.value
    let ratios = Self.aside.map { $0 * f0 }.compactMap { place -> Double? in
      // The weakest sweep that stands clear of the noise there.
      let clear = sweeps.all.lazy.filter { $0.level < Self.compressed.weaker * high.level }
        .compactMap { $0.response.linear.magnitude(at: place) }
        .first { $0.relativeUncertainty < Self.clear }
      guard let clear, let loud = high.response.linear.magnitude(at: place) else { return nil }
      return loud.value / clear.value
    }
    guard ratios.count >= 2, let best = ratios.max(), best < Self.left else { return }
    throw CalibrationRefusal(
      .amplifierClipping,
      "at \(text(high.level)) V the response falls to \(text(100 * best)) % at all frequencies: the "
        + "amplifier clips; lower the limits in the rig file or use a stronger amplifier")
  }

  /// The fewest sweeps below an end stop of which a calibration can be made.
  private static let fewestBelowStop = 4
  /// The share of the way to the stop that is used where no sweep went further without it.
  private static let shareOfWay = 0.75

  /// Ends the identification below an end stop: nothing is asked any more that moves the mass as far.
  mutating func keepClear(
    of stop: EndStop, level: Double
  ) throws(CalibrationRefusal) -> any CalibrationStage {
    guard sweeps.all.count >= Self.fewestBelowStop else {
      throw CalibrationRefusal(
        .actuatorEndstop,
        "the moving mass strikes its end stop already at \(text(level)) V, "
          + "\(text(100 * level / sweepVolts)) % of what may last: look for what blocks its way, or lower "
          + "the limits to what it bears")
    }
    let target = stop.motion.resonance
    func isNearer(_ a: Double, _ b: Double) -> Bool { abs(a - target) < abs(b - target) }
    let unhindered = sweeps.all.compactMap { $0.motion(near: target)?.displacement }.max() ?? 0
    let allowed = max(unhindered, Self.shareOfWay * stop.motion.displacement)
    try identify()
    // The modes have their final order now.
    let modes = sweeps.all[0].model.modes
    let place =
      modes.indices.min { isNearer(modes[$0].frequency.value, modes[$1].frequency.value) } ?? 0
    bounds.travel = (place, allowed)
    let w = 2 * Double.pi * modes[place].frequency.value
    let volts = allowed * w * w / abs(modes[place].gain.value)
    notes.append(
      "Above \(text(volts)) V at \(text(modes[place].frequency.value)) Hz the moving mass strikes its end "
        + "stop; the ceiling ends below.")
    // Where the amplifier is tried depends on how far the mass may move.
    return afterIdentification
  }

  /// The share of a level that stands for the highest that is held, where no sweep held any.
  private static let heldOtherwise = 0.5

  /// Nothing above a level is asked of the actuator any more: there it is no resonance.
  mutating func cap(below level: Double) {
    let held =
      sweeps.all.map(\.level).filter { $0 < level }.max() ?? Self.heldOtherwise * level
    bounds.level = held
    notes.append(
      "Above \(text(held)) V at resonance the actuator does not follow as a resonance does; the ceiling "
        + "ends below.")
  }

  /// Where a piezo's gain is read, in hertz: higher up its resonance already lifts it.
  private static let piezoBand = 20.0...600
  /// How many times what is asked of it a piezo's sweeps may shake, and what that is in m/s2 where nothing is
  /// asked.
  private static let sweepMotion = (times: 20.0, otherwise: 10.0)
  /// The share of the sensor's range that its sweeps use.
  private static let rangeShare = 0.5
  /// What a piezo's law may leave over of a sweep.
  private static let misfit = 0.35

  /// The sweeps of a piezo whose resonance is in reach go no higher than what is ever asked of it, times
  /// some, nor than half of what the sensor bears: at its resonance it shakes a hundred times as hard as
  /// where it is used.
  func piezoSweepVolts(for reading: SweepReading) -> Double {
    let ends = [subject.sharpness.frequency(of: 0), subject.sharpness.frequency(of: 1)]
    let asked =
      ends.map { subject.target.acceleration(intensity: 1, frequency: $0) }.max()
      ?? Self.sweepMotion.otherwise
    let most = min(
      Self.sweepMotion.times * asked,
      sweeps.sensorRange.map { Self.rangeShare * $0 } ?? .infinity)
    return min(subject.steadyVolts, most / max(1e-9, abs(reading.mode.gain.value)))
  }

  /// A piezo below its resonance: acceleration grows with the square of frequency, whatever Q is.
  mutating func identifyPiezo(
    _ capture: Capture, _ plan: SweepPlan, output: [Float]
  ) throws(CalibrationRefusal) {
    guard let model = piezoModel(capture, plan, output: output), model.misfit < Self.misfit else {
      throw CalibrationRefusal(
        .sensorLoose,
        "the response is neither a resonance's nor a piezo's below its own: check that sensor and "
          + "actuator are fixed to the same mass")
    }
    let gain = model.gain.widened(byShare: model.misfit / 2)
    try checkReferenceWire(following: model.response(at:), band: Self.piezoBand)
    // A profile counts gains as resonators do: (g/Q) s^2, which turns the sign at s = j w.
    piezo = PiezoFindings(
      gain: Estimate(-gain.value, uncertainty: gain.uncertainty), delay: model.delay,
      level: plan.sweep.amplitude)
    let identified = self.model
    try checkEarlier(identified)
    levels = LevelModel(identified)
  }

  func piezoModel(
    _ capture: Capture, _ plan: SweepPlan, output: [Float]
  ) -> DifferentiatorModel? {
    capture.response(to: plan, output: output)?.linear.limited(to: Self.piezoBand).flatMap {
      DifferentiatorFit(knownFilter: subject.filter).fit($0)
    }
  }
}

/// What the profile of an earlier calibration says of the sensor's units.
///
/// A sensor that does not show gravity does not show its units either. Where the gain has changed by just
/// the factor between m/s2 and g, and the resonance has not, units are what changed.
extension Findings {
  /// Resonances closer than this are one actuator's, as a share.
  private static let sameResonance = 0.1
  /// How close to the factor a change must be, as a share.
  private static let sameFactor = 0.06

  func checkEarlier(_ model: ActuatorModel) throws(CalibrationRefusal) {
    guard let earlier = subject.earlier?.model,
      let before = earlier.modes.first?.gain ?? earlier.piezoGain,
      let now = model.modes.first?.gain ?? model.piezoGain
    else { return }
    if let old = earlier.modes.first?.f0.value, let new = model.modes.first?.f0.value {
      guard abs(new / old - 1) < Self.sameResonance else { return }
    }
    try checkUnits(ratio: abs(now.value / before.value), what: "its gain")
  }

  func checkEarlier(_ curve: MotorCurve) throws(CalibrationRefusal) {
    func force(_ point: MotorCurve.Point?) -> Double? {
      point.map { $0.acceleration / ($0.frequency * $0.frequency) }
    }
    guard let now = force(curve.points.last),
      let before = force(subject.earlier?.motorCurve?.points.last)
    else { return }
    try checkUnits(ratio: now / before, what: "its force")
  }

  private func checkUnits(ratio: Double, what: String) throws(CalibrationRefusal) {
    guard let earlier = subject.earlier, rest?.check.gravity.deviation == nil else { return }
    for (factor, times, remedy) in [
      (
        SensorFlip.standardGravity, "9.81 times",
        "m/s2 may be taken for g: divide the sensor's scale by 9.80665"
      ),
      (
        1 / SensorFlip.standardGravity, "1 / 9.81 of",
        "g may be taken for m/s2: multiply the sensor's scale by 9.80665"
      ),
    ] where abs(ratio / factor - 1) < Self.sameFactor {
      throw CalibrationRefusal(
        .sensorUnits,
        "\(what) is \(times) what the profile of \(earlier.source.date) says, and the sensor shows no "
          + "gravity to tell which is right: units mixed up, \(remedy), or remove the profile if it is "
          + "the one that is wrong")
    }
  }
}
