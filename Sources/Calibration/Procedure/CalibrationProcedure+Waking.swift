import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// The first look: is the actuator there, along which axis, and where is its resonance.
  mutating func acceptWake(
    _ capture: Capture, _ plan: SweepPlan, _ segment: CalibrationSegment, attempt: Int
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    try findAxis(capture, plan)
    let output = capture.output(along: knowledge.weights)
    let isLast = attempt + 1 == Self.wakeShares.count
    let reading = SweepReading.measure(
      plan, capture, output: output, segment: segment.number, filter: subject.filter, modes: 1...2,
      noise: knowledge.noise)
    switch reading {
    case .success(let reading):
      if reading.disturbance.share < 0.2, isShaken(reading) {
        return .again(because: shaken(reading))
      }
      guard isLast || reading.mode.gain.relativeUncertainty < 0.1 else {
        stage = .wake(attempt + 1)
        return .accepted
      }
      try checkReferenceWire(
        following: reading.model.response(at:),
        band: plan.sweep.band.lowerBound...min(1_000, plan.sweep.band.upperBound))
      try begin(with: reading)
    case .failure(.dead):
      guard isLast else {
        stage = .wake(attempt + 1)
        return .accepted
      }
      try actuatorIsSilent(capture)
    case .failure(.outside(let sentence)):
      guard isLast || isClear(output) else {
        stage = .wake(attempt + 1)
        return .accepted
      }
      if subject.kind == "piezo",
        (try? beginPiezo(capture, plan, output: output, segment: segment)) != nil
      {
        return .accepted
      }
      stage = .turning(CalibrationRefusal(.resonanceOutside, sentence))
    case .failure(.unlike(_, let sentence)):
      guard isLast else {
        stage = .wake(attempt + 1)
        return .accepted
      }
      if subject.kind == "piezo",
        (try? beginPiezo(capture, plan, output: output, segment: segment)) != nil
      {
        return .accepted
      }
      stage = .turning(
        CalibrationRefusal(
          .sensorLoose,
          sentence
            + "; check that sensor and actuator are fixed to the same mass and nothing rattles"))
    }
    return .accepted
  }

  /// Whether the motion stands clear of the noise.
  private func isClear(_ output: [Float]) -> Bool {
    let (rms, sigma, noise) = (Amplitude.rms(output), knowledge.sigma, knowledge.noise)
    return rms * rms > 1.1 * sigma * sigma + 9 * noise * noise
  }

  private mutating func begin(with reading: SweepReading) throws(CalibrationRefusal) {
    knowledge.coarse = reading
    let f0 = reading.mode.frequency.value
    let band = reading.response.sweep.band
    knowledge.sweepVolts = nil
    if subject.kind == "piezo" {
      chooseSweepVolts(for: reading)
    } else if f0 < 1.1 * band.lowerBound || f0 > band.upperBound / 1.1 {
      throw CalibrationRefusal(.resonanceOutside, SweepReading.outside(f0, of: band))
    }
    stage = .sweep(0)
  }

  /// The direction of the motion over the axes, from the strongest part of each one's response.
  private mutating func findAxis(
    _ capture: Capture, _ plan: SweepPlan
  ) throws(CalibrationRefusal) {
    guard let weights = MotionDirection.weights(capture, plan) else { return }
    try checkDirection(weights)
    choose(weights: weights)
    knowledge.offAxis = (1 - weights[0] * weights[0]).squareRoot()
    if knowledge.offAxis > 0.1 {
      knowledge.notes.append(
        "The motion stands \(text(100 * knowledge.offAxis)) % across axis "
          + "\(knowledge.axisNames[0]); its true direction is used.")
    }
  }

  /// Refuses a motion along another axis than the one that the rig file puts first.
  ///
  /// Three axes see the whole motion, so an oblique one is measured along its own direction; of two only
  /// what lies in their plane is known.
  private func checkDirection(_ weights: [Double]) throws(CalibrationRefusal) {
    let place = weights.indices.max { abs(weights[$0]) < abs(weights[$1]) } ?? 0
    let isAlong = weights[0] > 0.7
    let isOblique = abs(weights[place]) < 0.85
    guard !isAlong, weights.count < 3 || !isOblique else { return }
    let names = knowledge.axisNames
    guard isOblique else {
      throw CalibrationRefusal(
        .sensorAxis,
        "the actuator moves along axis \(names[place]) and not along \(names[0]), which the rig file "
          + "names first: turn the sensor, or correct the axes")
    }
    let parts = zip(names, weights).map { "\(Int((100 * abs($1)).rounded())) % along \($0)" }
    throw CalibrationRefusal(
      .sensorAxis,
      "the actuator moves across the sensor's axes, \(parts.joined(separator: " and ")): turn the sensor "
        + "so that \(names[0]), which the rig file names first, lies along the motion, or capture three "
        + "axes")
  }

  /// Nothing moves: does another channel reach the actuator, or is it dead or stuck.
  private mutating func actuatorIsSilent(_ capture: Capture) throws(CalibrationRefusal) {
    if let axis = capture.axes.firstIndex(where: { axis in axis.allSatisfy { $0 == axis[0] } }),
      knowledge.sigma == 0
    {
      throw CalibrationRefusal(
        .sensorDead,
        "axis \(knowledge.axisNames[axis]) of the accelerometer does not change at all, not even by "
          + "noise: check its supply and its cable")
    }
    knowledge.notes.append(Self.silence(capture))
    guard subject.otherChannels.isEmpty else {
      stage = .otherChannel(0)
      return
    }
    try giveUp()
  }

  /// Nothing moves at all: what hardly shakes at a voltage that swings may still be a motor.
  private mutating func giveUp() throws(CalibrationRefusal) {
    guard subject.kind != "piezo" else { throw silent }
    stage = .turning(silent)
  }

  /// What the current says of an actuator that does not move.
  private static func silence(_ capture: Capture) -> String {
    guard let current = capture.current else { return "" }
    let volts = Amplitude.rms(capture.voltage ?? capture.input)
    let isOpen = Amplitude.rms(current) < 1e-3 * volts
    return isOpen ? "open" : "stuck"
  }

  private var silent: CalibrationRefusal {
    switch knowledge.notes.last {
    case "open":
      CalibrationRefusal(
        .actuatorDead,
        "nothing moves and no current flows: the actuator or its wiring is broken; check its "
          + "connections and its coil")
    case "stuck":
      CalibrationRefusal(
        .actuatorStuck,
        "current flows and nothing moves: the actuator is stuck; free its moving mass")
    default:
      CalibrationRefusal(
        .actuatorDead,
        "nothing moves up to \(text(0.3 * subject.steadyVolts)) V: check that the actuator is "
          + "connected, not stuck, and that the amplifier is on")
    }
  }

  /// Another channel's faint drive: whether that moves the actuator.
  mutating func acceptOther(
    _ capture: Capture, _ plan: SweepPlan, _ segment: CalibrationSegment, index: Int
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    // The reference carries the drive of the actuator's channel: here the drive as sent counts.
    let sent = [Float](repeating: 0, count: capture.lead) + segment.volts
    let input = sent + [Float](repeating: 0, count: max(0, capture.input.count - sent.count))
    let output = capture.output(along: knowledge.weights)
    let response = try? SweepResponse.measure(
      plan.sweep, input: Array(input.prefix(output.count)), output: output, rate: capture.rate)
    let fit = ModalFit(delays: -0.05...0.2, maximumMisfit: 0.9)
    if let linear = response?.linear, (try? fit.fit(linear)) != nil {
      throw CalibrationRefusal(
        .channelCrossed,
        "the actuator answers to channel \(subject.otherChannels[index]) and not to its own: the "
          + "drive channels are crossed; swap the wires or correct the channel in the rig file")
    }
    guard index + 1 < subject.otherChannels.count else {
      try giveUp()
      return .accepted
    }
    stage = .otherChannel(index + 1)
    return .accepted
  }

  /// Whether a sweep was disturbed, and not at the same place as before.
  mutating func isShaken(_ reading: SweepReading) -> Bool {
    guard reading.disturbance.isDisturbed else { return false }
    defer { knowledge.suspect = reading.disturbance.time }
    return knowledge.suspect.map { abs($0 - reading.disturbance.time) > 0.03 } ?? true
  }

  /// What a disturbed sweep says to whoever watches.
  func shaken(_ reading: SweepReading) -> String {
    "something shook the rig \(text(max(0, reading.disturbance.time))) s into the sweep "
      + "(\(text(reading.disturbance.strength)) m/s2 rms that the actuator does not explain)"
  }
}
