import Profiles
import SignalAnalysis

/// What all sweeps together say.
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
    let model = model
    try checkEarlier(model)
    levels = LevelModel(model)
    taps = TapRefinement(frequency: limit.frequency.value, q: limit.q.value)
    if limit.gain.value < 0 {
      notes.append(
        "A positive voltage begins with a negative acceleration: the actuator's wires or the sensor "
          + "are the other way round; the profile carries the sign.")
    }
  }

  /// The stage after the sweeps.
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
}

/// Where the identification ends below what may last.
extension Findings {
  /// The fewest sweeps below an end stop of which a calibration can be made.
  private static let fewestBelowStop = 4
  /// The share of the way to the stop that is used where no sweep went further without it.
  private static let shareOfWay = 0.75

  /// Ends the identification below an end stop: nothing is asked any more that moves the mass as far.
  ///
  /// - Returns: The stage that follows.
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
}
