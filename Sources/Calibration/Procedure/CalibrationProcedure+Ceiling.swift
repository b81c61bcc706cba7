private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// How long a tone is given to become steady: some decay times of the resonance.
  func settling(decayTimes: Double) -> Double {
    guard let limit = knowledge.limit else { return 0.03 }
    let decay = limit.q.value / (.pi * limit.frequency.value)
    return max(0.03, min(0.5, decayTimes * decay))
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
    let plan = TonePlan(
      tones: knowledge.ceiling.open.map { index in
        let node = knowledge.ceiling.nodes[index]
        return .init(frequency: node.frequency, amplitude: node.volts)
      }, settling: settling(decayTimes: 5), window: window, inverse: nil)
    return SegmentDraft(
      purpose: .grid, title: "\(plan.tones.count) tones at the limits",
      volts: plan.volts(at: subject.rate, peak: subject.peakVolts), plan: .tones(plan))
  }

  private func node(_ frequency: Double) -> CeilingSearch.Node {
    var volts = subject.steadyVolts(at: frequency)
    let sustained = subject.limits.continuousVolts * 2.0.squareRoot()
    var binding: ReachableCeiling.Binding = sustained <= subject.peakVolts ? .continuous : .peak
    if let cap = knowledge.levelCap, let limit = knowledge.limit {
      let f0 = limit.frequency.value
      // Displacement at the cap, held over the neighbourhood of the resonance.
      let detune = 2 * limit.q.value * abs(frequency / f0 - 1)
      let allowed = cap.volts * (1 + detune * detune).squareRoot()
      if allowed < volts { (volts, binding) = (allowed, cap.binding) }
    }
    return CeilingSearch.Node(frequency: frequency, volts: volts, binding: binding)
  }

  /// A round of the ceiling search.
  mutating func acceptCeiling(
    _ capture: Capture, _ plan: TonePlan, round: Int
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let readings = read(capture, plan)
    if let reason = try disturbed(readings) { return .again(because: reason) }
    let open = knowledge.ceiling.open
    for (index, reading) in zip(open, readings) {
      guard let reading else { continue }
      knowledge.ceiling.learn(reading, at: index, isLast: round + 1 == CeilingSearch.rounds)
      if reading.distortion < 0.2 { knowledge.tones.append(LevelModel.Point(reading)) }
    }
    if !knowledge.ceiling.open.isEmpty, round + 1 < CeilingSearch.rounds {
      stage = .ceiling(round + 1)
      return .accepted
    }
    try chooseReference()
    knowledge.levels?.fit(knowledge.tones)
    stage = .taps(0)
    if knowledge.piezo != nil { stage = .grid(0) }
    return .accepted
  }

  /// The readings of a plan of tones.
  func read(_ capture: Capture, _ plan: TonePlan) -> [ToneReading?] {
    plan.read(
      capture, output: capture.output(along: knowledge.weights),
      delay: knowledge.limit?.delay.value ?? 0, noise: knowledge.sigma, filter: subject.filter,
      contour: subject.target.contour)
  }

  /// What a tone holds that is neither its own nor noise: a blow where it is one tone among many, a
  /// loose part where it is most of them.
  mutating func disturbed(_ readings: [ToneReading?]) throws(CalibrationRefusal) -> String? {
    let found = readings.compactMap(\.self)
    let disturbed = found.filter {
      $0.excess > max(0.08 * $0.acceleration, 2 * knowledge.sigma + 6 * knowledge.noise)
    }
    guard let worst = disturbed.max(by: { $0.excess < $1.excess }) else { return nil }
    if Double(disturbed.count) > 0.5 * Double(found.count), found.count >= 6 {
      throw CalibrationRefusal(
        "sensor.loose",
        "most tones come with \(text(worst.excess)) m/s2 rms that does not follow the drive: the sensor "
          + "or the actuator is loose; fix both to the same mass")
    }
    guard disturbed.count <= 3, worst.frequency != knowledge.suspect else { return nil }
    knowledge.suspect = worst.frequency
    return "something shook the rig during the tone of \(text(worst.frequency)) Hz "
      + "(\(text(worst.excess)) m/s2 rms that is not the tone's)"
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
      "actuator.dead",
      "tones at the limits reach at most \(text(100 * best)) % of what the sweeps foretold: the actuator "
        + "has stopped answering since; check it and its wires")
  }

  /// The share of what the sweeps foretell below which an actuator no longer answers.
  private static let leastAnswer = 0.2

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
        "actuator.limit",
        "the drive is at its limit everywhere: at \(text(subject.steadyVolts)) V the strongest vibration "
          + "is \(strongest) dB above threshold and \(text(floor + 3)) dB are needed; take a stronger "
          + "actuator, or raise the limits if its data sheet allows it")
    }
    if subject.referenceIsGiven {
      knowledge.referenceLevel = subject.target.referenceLevel
      if highest < subject.target.referenceLevel {
        knowledge.notes.append(
          "The reference level of \(text(subject.target.referenceLevel)) dB is reached nowhere; the "
            + "strongest vibration is \(text(highest)) dB.")
      }
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

extension LevelModel.Point {
  /// A tone's drive and what it did.
  init(_ reading: ToneReading) {
    self.init(
      frequency: reading.frequency, volts: reading.volts, acceleration: reading.acceleration,
      uncertainty: reading.uncertainty)
  }
}
