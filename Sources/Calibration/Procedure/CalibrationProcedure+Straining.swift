private import Glibc
import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// What a sweep shows that is not the actuator's resonance: an amplifier that clips, an end stop.
  ///
  /// - Returns: Whether an end stop was met, and the identification ended below it.
  mutating func isStrained(
    _ capture: Capture, _ plan: SweepPlan, _ output: [Float],
    _ found: Result<SweepReading, SweepFailure>
  ) throws(CalibrationRefusal) -> Bool {
    let reading = try? found.get()
    guard subject.kind != "piezo", let coarse = knowledge.coarse,
      let response = reading?.response
        ?? (try? SweepResponse.measure(
          plan.sweep, input: capture.input, output: output, rate: capture.rate))
    else { return false }
    let level = plan.sweep.amplitude
    let clipping = AmplifierClipping(
      response, resonances: coarse.model.modes.map(\.frequency.value))
    if let clipping {
      throw CalibrationRefusal(
        .amplifierClipping,
        "of \(text(level)) V the amplifier gives \(text(clipping.volts)) V: at every frequency a third "
          + "harmonic of \(text(100 * clipping.thirdHarmonic)) % is in the drive; lower the limits in the "
          + "rig file or use a stronger amplifier")
    }
    guard plan.sweep.direction == .up else { return false }
    let weaker = (knowledge.sweeps.isEmpty ? [coarse] : knowledge.sweeps).filter {
      $0.level < 0.7 * level && $0.direction == .up
    }.sorted { $0.level < $1.level }
    let motions = SweepReading.motions(output, capture, plan, coarse.model)
    guard let stop = EndStop(response, motions, weaker: weaker) else { return false }
    try keepClear(of: stop, level: level)
    return true
  }

  /// Nothing is asked any more that moves the mass as far as its stop.
  private mutating func keepClear(
    of stop: EndStop, level: Double
  ) throws(CalibrationRefusal) {
    guard knowledge.sweeps.count >= 4 else {
      throw CalibrationRefusal(
        .actuatorEndstop,
        "the moving mass strikes its end stop already at \(text(level)) V, "
          + "\(text(100 * level / sweepVolts)) % of what may last: look for what blocks its way, or lower "
          + "the limits to what it bears")
    }
    let resonance = stop.motion.resonance
    func isNearer(_ a: Double, _ b: Double) -> Bool { abs(a - resonance) < abs(b - resonance) }
    let unhindered =
      knowledge.sweeps.compactMap { $0.motion(near: resonance)?.displacement }.max() ?? 0
    let allowed = max(unhindered, 0.75 * stop.motion.displacement)
    try finishIdentification()
    // The modes have their final order now.
    let modes = knowledge.sweeps[0].model.modes
    let place =
      modes.indices.min {
        isNearer(modes[$0].frequency.value, modes[$1].frequency.value)
      } ?? 0
    knowledge.travel = (place, allowed)
    let w = 2 * Double.pi * modes[place].frequency.value
    let volts = allowed * w * w / abs(modes[place].gain.value)
    knowledge.notes.append(
      "Above \(text(volts)) V at \(text(modes[place].frequency.value)) Hz the moving mass strikes its end "
        + "stop; the ceiling ends below.")
    // Where the amplifier is tried depends on how far the mass may move.
    stage = amplifierProbe == nil ? .ceiling(0) : .amplifier
  }
}
