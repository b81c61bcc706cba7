private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// How long a tone is given to become steady: some decay times of the resonance, up to a bound.
  func settling(decayTimes: Double, atMost longest: Double) -> Double {
    knowledge.coarse == nil ? 0.03 : max(0.03, min(longest, decayTimes * decay))
  }

  /// How long a tone is measured: some periods of the lowest, and longer where there is noise.
  var window: Double {
    let faintest = subject.target.contour.acceleration(sensationLevel: 10, at: 150)
    return knowledge.noise > 0.05 * faintest ? 0.22 : 0.14
  }

  /// The tones of a round of the ceiling search.
  mutating func ceilingDraft() -> SegmentDraft {
    if knowledge.ceiling.nodes.isEmpty {
      let limit = knowledge.limit
      knowledge.ceiling.nodes = CeilingSearch.frequencies(
        subject.sharpness, resonance: limit?.frequency.value, q: limit?.q.value ?? 0
      ).map(node)
    }
    let inverse = ringsLong ? inverse : nil
    let plan = TonePlan(
      tones: knowledge.ceiling.open.map { index in
        let node = knowledge.ceiling.nodes[index]
        return .init(
          frequency: node.frequency,
          amplitude: node.volts / (inverse?.response(at: node.frequency).magnitude ?? 1))
      }, settling: settling(decayTimes: 5, atMost: 0.2), window: window, inverse: inverse)
    return SegmentDraft(
      purpose: .grid, title: "\(plan.tones.count) tones at the limits",
      volts: plan.volts(at: subject.rate, peak: subject.peakVolts), plan: .tones(plan))
  }

  private func node(_ frequency: Double) -> CeilingSearch.Node {
    var volts = subject.steadyVolts(at: frequency)
    let sustained = subject.limits.continuousVolts * 2.0.squareRoot()
    var binding: ReachableCeiling.Binding = sustained <= subject.peakVolts ? .continuous : .peak
    if let travel = knowledge.travel, let levels = knowledge.levels {
      let allowed =
        travel.metres / levels.displacement(ofMode: travel.mode, at: frequency)
      if allowed < volts { (volts, binding) = (allowed, .endstop) }
    }
    if let cap = knowledge.levelCap, let levels = knowledge.levels, let limit = knowledge.limit {
      // The displacement at the cap, held at every frequency.
      let most = cap * levels.displacement(ofMode: 0, at: limit.frequency.value)
      let allowed = most / levels.displacement(ofMode: 0, at: frequency)
      if allowed < volts { (volts, binding) = (allowed, .thd) }
    }
    return CeilingSearch.Node(frequency: frequency, volts: volts, binding: binding)
  }

  /// A round of the ceiling search.
  mutating func acceptCeiling(
    _ capture: Capture, _ plan: TonePlan, round: Int
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let readings = read(capture, plan)
    let isLast = round + 1 == CeilingSearch.rounds
    // Before its stop a mass may still strike it while a tone rises.
    let striking = knowledge.travel != nil && !isLast ? readings.map(isDisturbed) : []
    if striking.isEmpty, let reason = try disturbed(readings) { return .again(because: reason) }
    let open = knowledge.ceiling.open
    for (place, (index, reading)) in zip(open, readings).enumerated() {
      guard let reading else { continue }
      if !striking.isEmpty, striking[place] {
        knowledge.ceiling.lower(index)
        continue
      }
      knowledge.ceiling.learn(reading, at: index, isLast: isLast)
      if reading.distortion < 0.2 { knowledge.tones.append(LevelModel.Point(reading)) }
    }
    if !knowledge.ceiling.open.isEmpty, round + 1 < CeilingSearch.rounds {
      stage = .ceiling(round + 1)
      return .accepted
    }
    try chooseReference()
    knowledge.levels?.fit(knowledge.tones)
    stage = hasTapsToShape ? .taps(0) : .grid(0)
    return .accepted
  }

  /// The readings of a plan of tones.
  func read(_ capture: Capture, _ plan: TonePlan) -> [ToneReading?] {
    let output = capture.output(along: knowledge.weights)
    let delay = knowledge.limit?.delay.value ?? 0
    guard subject.kind == "piezo" else {
      return plan.read(
        capture, output: output, delay: delay, noise: knowledge.sigma, filter: subject.filter,
        contour: subject.target.contour, ring: ring)
    }
    // The acceleration of a piezo's harmonics grows with their order: what counts of them is what is felt.
    let felt = BandPass(10...min(1_000, 0.4 * capture.rate.hertz)).apply(
      to: output, rate: capture.rate)
    return plan.read(
      capture, output: felt.map(Float.init), delay: delay, noise: knowledge.noise,
      filter: subject.filter, contour: subject.target.contour, harmonics: 12)
  }

  /// The ringing that is taken out of tones which are not waited for.
  private var ring: RingRemoval? {
    guard ringsLong, let limit = knowledge.limit else { return nil }
    return RingRemoval(frequency: limit.frequency.value, decay: decay)
  }

  /// Whether a tone holds more than its own harmonics and noise.
  private func isDisturbed(_ reading: ToneReading?) -> Bool {
    reading.map {
      $0.excess > max(0.08 * $0.acceleration, 2 * knowledge.sigma + 6 * knowledge.noise)
    } ?? false
  }

  /// What a tone holds that is neither its own nor noise: a blow where it is one tone among many, a
  /// loose part where it is most of them.
  mutating func disturbed(_ readings: [ToneReading?]) throws(CalibrationRefusal) -> String? {
    let found = readings.compactMap(\.self)
    let disturbed = found.filter(isDisturbed)
    guard let worst = disturbed.max(by: { $0.excess < $1.excess }) else { return nil }
    if Double(disturbed.count) > 0.5 * Double(found.count), found.count >= 6 {
      throw CalibrationRefusal(
        .sensorLoose,
        "most tones come with \(text(worst.excess)) m/s2 rms that does not follow the drive: the sensor "
          + "or the actuator is loose; fix both to the same mass")
    }
    guard worst.frequency != knowledge.suspect else {
      try checkPeriod(worst)
      return nil
    }
    guard disturbed.count <= 3 else { return nil }
    knowledge.suspect = worst.frequency
    return "something shook the rig during the tone of \(text(worst.frequency)) Hz "
      + "(\(text(worst.excess)) m/s2 rms that is not the tone's)"
  }

  /// A tone that is disturbed each time: a mass that strikes its stop does so in every period.
  private func checkPeriod(_ reading: ToneReading) throws(CalibrationRefusal) {
    guard reading.aperiodic > 0.6 * reading.excess else { return }
    throw CalibrationRefusal(
      .sensorLoose,
      "the tone of \(text(reading.frequency)) Hz at \(text(reading.acceleration)) m/s2 comes each time with "
        + "\(text(reading.aperiodic)) m/s2 rms that does not follow the drive, while fainter ones do: the "
        + "sensor is loose above a level, or the moving mass strikes something; fix the sensor and the "
        + "actuator to the same mass")
  }

  /// Makes sure that tones move what the sweeps moved: an actuator that died in between is not weak.
  private func checkAnswer() throws(CalibrationRefusal) {
    guard let limit = knowledge.limit else { return }
    let shares = knowledge.ceiling.nodes.compactMap { node -> Double? in
      guard let reading = node.reading else { return nil }
      let ratio = node.frequency / limit.frequency.value
      let (x, y) = (1 - ratio * ratio, ratio / limit.q.value)
      let told =
        abs(limit.gain.value) / limit.q.value * ratio * ratio / (x * x + y * y).squareRoot()
        * node.volts
      return reading.acceleration / told
    }
    guard let best = shares.max(), best < Self.leastAnswer else { return }
    throw CalibrationRefusal(
      .actuatorDead,
      "tones at the limits reach at most \(text(100 * best)) % of what the sweeps foretold: the actuator "
        + "has stopped answering since; check it and its wires")
  }

  /// The share of what the sweeps foretell below which an actuator no longer answers.
  private static let leastAnswer = 0.2

  /// A single axis does not tell a weak motion from one across it.
  private var acrossAxis: String {
    guard knowledge.axisNames.count == 1, let axis = knowledge.axisNames.first else { return "" }
    let level = knowledge.rest?.gravity.deviation == nil ? ", which shows no gravity either" : ""
    return
      "it is too weak, or moves across the sensor's only axis, \(axis)\(level): turn the sensor "
      + "along the motion, "
  }

  /// What to say first of an actuator whose resonance lies outside of what is asked for.
  private var distance: String {
    let ends = [subject.sharpness.frequency(of: 0), subject.sharpness.frequency(of: 1)].sorted()
    guard let f0 = knowledge.limit?.frequency.value, f0 < ends[0] / 1.2 || f0 > 1.2 * ends[1]
    else { return "" }
    return
      "its resonance, near \(text(f0)) Hz, lies outside of the \(text(ends[0])) to \(text(ends[1])) "
      + "Hz that sharpness asks for, and there "
  }

  /// The level of intensity 1: as asked for, or 30 dB SL, or what the resonance holds if that is less.
  private mutating func chooseReference() throws(CalibrationRefusal) {
    try checkAnswer()
    let ceiling = knowledge.ceiling.ceiling
    let contour = subject.target.contour
    let levels = ceiling.points.map {
      contour.sensationLevel(acceleration: $0.acceleration, at: $0.frequency)
    }
    let floor = subject.target.floorLevel
    guard let highest = levels.max(), highest > floor + 3 else {
      let strongest = levels.max().map { text($0) } ?? "nothing"
      throw CalibrationRefusal(
        .actuatorLimit,
        "\(distance)the drive is at its limit everywhere: at \(text(subject.steadyVolts)) V the strongest "
          + "vibration is \(strongest) dB above threshold and \(text(floor + 3)) dB are needed; "
          + "\(acrossAxis)take a stronger actuator, or raise the limits if its data sheet allows it"
      )
    }
    if subject.referenceIsGiven {
      try checkReference(against: highest)
      knowledge.referenceLevel = subject.target.referenceLevel
      return
    }
    knowledge.referenceLevel = min(
      subject.target.referenceLevel, (10 * highest).rounded(.down) / 10)
    if knowledge.referenceLevel < subject.target.referenceLevel {
      knowledge.notes.append(
        "The reference level is \(text(knowledge.referenceLevel)) dB, the highest that the actuator "
          + "holds, instead of \(text(subject.target.referenceLevel)) dB.")
    }
  }
}

extension CalibrationProcedure {
  /// A reference level that was asked for and that the actuator holds nowhere is refused, as for a fleet
  /// of it alone.
  func checkReference(against highest: Double) throws(CalibrationRefusal) {
    guard subject.referenceIsGiven, highest < subject.target.referenceLevel - 0.05 else { return }
    throw CalibrationRefusal(
      .referenceUnreached,
      "the reference level of \(text(subject.target.referenceLevel)) dB is reached nowhere: the "
        + "strongest vibration is \(text(highest)) dB above threshold; ask for less, or for none to take "
        + "the most that the actuator holds")
  }
}

extension LevelModel.Point {
  /// A tone's drive and what it did.
  init(_ reading: ToneReading) {
    self.init(
      frequency: reading.frequency, volts: reading.volts, acceleration: reading.acceleration,
      uncertainty: reading.uncertainty)
  }
}
