import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// A sweep of the identification.
  mutating func acceptSweep(
    _ capture: Capture, _ plan: SweepPlan, _ segment: CalibrationSegment, index: Int
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let output = capture.output(along: knowledge.weights)
    let share = plan.sweep.amplitude / sweepVolts
    try checkAmplifier(capture, plan)
    let found = SweepReading.measure(
      plan, capture, output: output, segment: segment.number, filter: subject.filter,
      modes: index == 0 ? 1...2 : 1...1, noise: knowledge.noise,
      known: index == 0 ? nil : knowledge.coarse?.model)
    if try isStrained(capture, plan, output, found) { return .accepted }
    let reading: SweepReading
    switch found {
    case .success(var success):
      success.time = knowledge.elapsed
      reading = success
    case .failure(let failure):
      return try sweepFailed(failure, capture, segment, share: share, index: index)
    }
    if reading.disturbance.share > 0.3 { throw loose(reading) }
    // A blow comes once; what strikes its end stop does so at the same place again.
    if isShaken(reading) {
      try remember(capture, blow: reading.disturbance.time)
      return .again(because: shaken(reading))
    }
    if reading.disturbance.isDisturbed,
      try !answersAlike(capture, at: reading.disturbance.time)
    {
      return .again(because: shaken(reading))
    }
    if let suspicion = suspicion(reading) {
      guard try answersAlike(capture) else { return .again(because: suspicion) }
      stage = .diagnosis(suspicion)
      return .accepted
    }
    if index == 0 { knowledge.coarse = reading }
    knowledge.sweeps.append(reading)
    if let impedance = ImpedanceReading(capture, plan) {
      knowledge.coil = knowledge.coil ?? impedance
    }
    return try afterSweep(index)
  }

  private mutating func afterSweep(_ index: Int) throws(CalibrationRefusal) -> SegmentVerdict {
    let planned = plannedSweeps.count
    guard index + 1 >= planned else {
      stage = .sweep(index + 1)
      return .accepted
    }
    guard let limit = SmallSignalLimit(knowledge.sweeps) else {
      throw CalibrationRefusal(.actuatorDead, "no sweep could be read: check the actuator")
    }
    if let outlier = limit.outlier, outlier.sigmas > 8, knowledge.sweeps.count >= 7 {
      // A blow that hid in the resonance: the sweep is left out and another one played.
      knowledge.sweeps.removeAll { $0.segment == outlier.segment }
      if index + 1 < planned + Self.extraSweeps, hasTimeForSweep {
        stage = .sweep(index + 1)
        return .accepted
      }
    }
    let noisy = limit.gain.relativeUncertainty > 0.004 || limit.q.relativeUncertainty > 0.015
    if noisy, index + 1 < planned + Self.extraSweeps, hasTimeForSweep {
      stage = .sweep(index + 1)
      return .accepted
    }
    try finishIdentification()
    return .accepted
  }

  /// Whether one more sweep leaves time for all that follows; the sweep under way is not counted yet.
  private var hasTimeForSweep: Bool {
    let one = duration(of: .closing)
    return hasTime(for: 2 * one, before: RigTimeStep.from(.ceiling))
  }

  /// A sweep that no resonance explains: shaken, loose, or beyond what the actuator can follow.
  private mutating func sweepFailed(
    _ failure: SweepFailure, _ capture: Capture, _ segment: CalibrationSegment, share: Double,
    index: Int
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    switch failure {
    case .unlike(_, let sentence) where share > 0.4:
      guard try answersAlike(capture) else { return .again(because: sentence) }
      stage = .diagnosis("its response at \(text(share * sweepVolts)) V is no resonance's")
      return .accepted
    case .dead where share < 0.3:
      // Too faint for this sensor: the stronger sweeps tell enough.
      return try afterSweep(index)
    case .dead:
      throw CalibrationRefusal(
        .actuatorDead,
        "the actuator stopped answering during '\(segment.title)': check its wiring and the amplifier"
      )
    case .outside(let sentence):
      guard !knowledge.sweeps.isEmpty else {
        throw CalibrationRefusal(.resonanceOutside, sentence)
      }
      return .again(because: "its response was no resonance's")
    case .unlike(_, let sentence):
      _ = try answersAlike(capture)
      return .again(because: sentence)
    }
  }

  /// Whether the response differs so much from the small signal's that something else is there.
  private func suspicion(_ reading: SweepReading) -> String? {
    guard let first = knowledge.sweeps.first?.mode else { return nil }
    let frequency = reading.mode.frequency.value / first.frequency.value
    let gain = abs(reading.mode.gain.value / first.gain.value)
    if abs(frequency - 1) > 0.12 {
      return "its resonance went from \(text(first.frequency.value)) to "
        + "\(text(reading.mode.frequency.value)) Hz"
    }
    // At small signal the level changes next to nothing.
    if reading.level < 0.3 * sweepVolts {
      let noise = 6 * max(reading.mode.gain.relativeUncertainty, first.gain.relativeUncertainty)
      let blur =
        6
        * max(
          reading.mode.frequency.relativeUncertainty, first.frequency.relativeUncertainty)
      if abs(frequency - 1) > 0.02 + blur || abs(gain - 1) > 0.12 + noise {
        return "at small signal its resonance went from \(text(first.frequency.value)) to "
          + "\(text(reading.mode.frequency.value)) Hz"
      }
    }
    return gain < 0.6 || gain > 1.6 ? "its gain changed by a factor of \(text(gain))" : nil
  }

  /// Nothing above this level is asked of the actuator any more: there it is no resonance.
  mutating func cap(below level: Double) {
    let held = knowledge.sweeps.map(\.level).filter { $0 < level }.max() ?? 0.5 * level
    knowledge.levelCap = held
    knowledge.notes.append(
      "Above \(text(held)) V at resonance the actuator does not follow as a resonance does; the ceiling "
        + "ends below.")
  }

  private func loose(_ reading: SweepReading) -> CalibrationRefusal {
    CalibrationRefusal(
      .sensorLoose,
      "\(Int(100 * reading.disturbance.share)) % of the response at \(text(reading.level)) V does not "
        + "follow the drive: the sensor or the actuator is loose; fix both to the same mass")
  }

  /// An amplifier at its end: the captured drive is lower than its own at small levels, or flat.
  private mutating func checkAmplifier(
    _ capture: Capture, _ plan: SweepPlan
  ) throws(CalibrationRefusal) {
    func clipping(_ volts: Double) -> CalibrationRefusal {
      CalibrationRefusal(
        .amplifierClipping,
        "the amplifier gives \(text(volts)) V where \(text(plan.sweep.amplitude)) V are asked: it clips; "
          + "lower the limits in the rig file or use a stronger amplifier")
    }
    guard let scale = capture.referenceScale else { return }
    let usual = knowledge.referenceScales.first ?? scale
    knowledge.referenceScales.append(scale)
    if scale < 0.985 * usual { throw clipping(plan.sweep.amplitude * scale / usual) }
    if let voltage = capture.voltage {
      let highest = voltage.reduce(0) { max($0, abs(Double($1))) }
      if highest < 0.95 * usual * plan.sweep.amplitude { throw clipping(highest) }
    }
  }

  /// All sweeps are read: the limit of a small signal, and what the ceiling search needs.
  mutating func finishIdentification() throws(CalibrationRefusal) {
    guard let found = knowledge.smallSignalLimits(), let limit = found.first else {
      throw CalibrationRefusal(
        .actuatorDead, "no sweep at small signal could be read: check the actuator and the sensor"
      )
    }
    try checkCompression()
    knowledge.limit = limit
    knowledge.second = found.count > 1 ? found[1] : nil
    let model = ModelAssembly(subject: subject, knowledge: knowledge).model
    try checkEarlier(model)
    knowledge.levels = LevelModel(model)
    knowledge.taps = TapRefinement(
      frequency: limit.frequency.value, q: limit.q.value)
    if limit.gain.value < 0 {
      knowledge.notes.append(
        "A positive voltage begins with a negative acceleration: the actuator's wires or the sensor "
          + "are the other way round; the profile carries the sign.")
    }
    stage = amplifierProbe == nil ? .ceiling(0) : .amplifier
  }

  /// Without a captured drive an amplifier that clips shows away from the resonance, where the
  /// actuator hardly moves: there the response falls at the highest level.
  private func checkCompression() throws(CalibrationRefusal) {
    guard !subject.hasReference, let first = knowledge.sweeps.first,
      let high = knowledge.sweeps.max(by: { $0.level < $1.level }), high.level > 2 * first.level
    else { return }
    let f0 = first.mode.frequency.value
    let ratios = [0.6 * f0, 1.6 * f0, 2 * f0, 2.5 * f0].compactMap { place -> Double? in
      // The weakest sweep that stands clear of the noise there.
      let clear = knowledge.sweeps.lazy.filter { $0.level < 0.6 * high.level }
        .compactMap { $0.response.linear.magnitude(at: place) }
        .first { $0.relativeUncertainty < 0.03 }
      guard let clear, let loud = high.response.linear.magnitude(at: place) else { return nil }
      return loud.value / clear.value
    }
    guard ratios.count >= 2, let best = ratios.max(), best < 0.93 else { return }
    throw CalibrationRefusal(
      .amplifierClipping,
      "at \(text(high.level)) V the response falls to \(text(100 * best)) % at all frequencies: the "
        + "amplifier clips; lower the limits in the rig file or use a stronger amplifier")
  }
}
