import Actuators
private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

/// A round of the search for the strongest steady vibration at each frequency.
struct CeilingStage: CalibrationStage {
  let round: Int

  /// The harmonics up to which a tone says something of the steady response.
  private static let clean = 0.2

  var outlook: StageOutlook {
    .init("finding its ceiling", segments: 9, seconds: round == 0 ? 34 : 31)
  }

  private var stronger: CeilingStage? {
    round + 1 < CeilingSearch.rounds ? CeilingStage(round: round + 1) : nil
  }

  func draft(_ findings: inout Findings) -> SegmentDraft<TonePlan>? {
    if findings.ceiling.nodes.isEmpty {
      let limit = findings.resonance?.limit
      findings.ceiling.nodes = CeilingSearch.frequencies(
        findings.subject.sharpness, resonance: limit?.frequency.value, q: limit?.q.value ?? 0
      ).map { node(at: $0, findings) }
    }
    let inverse = findings.ringsLong ? findings.inverse : nil
    let plan = TonePlan(
      tones: findings.ceiling.open.map { index in
        let node = findings.ceiling.nodes[index]
        return .init(
          frequency: node.frequency,
          amplitude: node.volts / (inverse?.response(at: node.frequency).magnitude ?? 1))
      }, settling: findings.ceilingSettling, window: findings.window, inverse: inverse)
    return plan.draft("at the limits", purpose: .grid, findings.subject, plan: plan)
  }

  /// The highest voltage to try at a frequency, and what keeps it from being higher.
  private func node(at frequency: Double, _ findings: Findings) -> CeilingSearch.Node {
    let subject = findings.subject
    var volts = subject.steadyVolts(at: frequency)
    let sustained = subject.limits.continuousVolts * 2.0.squareRoot()
    var binding: ReachableCeiling.Binding = sustained <= subject.peakVolts ? .continuous : .peak
    if let travel = findings.bounds.travel, let levels = findings.levels {
      let allowed = travel.metres / levels.displacement(ofMode: travel.mode, at: frequency)
      if allowed < volts { (volts, binding) = (allowed, .endstop) }
    }
    if let cap = findings.bounds.level, let levels = findings.levels,
      let limit = findings.resonance?.limit
    {
      // The displacement at the cap, held at every frequency.
      let most = cap * levels.displacement(ofMode: 0, at: limit.frequency.value)
      let allowed = most / levels.displacement(ofMode: 0, at: frequency)
      if allowed < volts { (volts, binding) = (allowed, .thd) }
    }
    return CeilingSearch.Node(frequency: frequency, volts: volts, binding: binding)
  }

  func lowered(_ findings: inout Findings) -> (any CalibrationStage)? {
    guard findings.subject.isPiezo, let stronger else { return nil }
    for index in findings.ceiling.open { findings.ceiling.halve(index) }
    return stronger
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: TonePlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let readings = findings.read(answer.capture, plan)
    // Before its stop a mass may still strike it while a tone rises.
    let mayStrike = findings.bounds.travel != nil && stronger != nil
    if !mayStrike, let reason = try findings.disturbance(of: readings) {
      return .again(because: reason)
    }
    for (index, reading) in zip(findings.ceiling.open, readings) {
      guard let reading else { continue }
      if mayStrike, findings.isDisturbed(reading) {
        findings.ceiling.lower(index)
        continue
      }
      findings.ceiling.learn(reading, at: index, isLast: stronger == nil)
      if reading.distortion < Self.clean { findings.tones.append(LevelModel.Point(reading)) }
    }
    if let stronger, !findings.ceiling.open.isEmpty { return .next(stronger) }
    try chooseReference(&findings)
    findings.levels?.fit(findings.tones)
    return .next(findings.hasTapsToShape ? TapStage(round: 0) : GridStage(findings))
  }
}

extension CeilingStage {
  /// The share of what the sweeps foretell below which an actuator no longer answers.
  private static let leastAnswer = 0.2
  /// How far beside the ends of what sharpness asks for a resonance lies outside of it.
  private static let outside = 1.2

  /// As asked for, or 30 dB SL, or what the resonance holds if that is less.
  private func chooseReference(_ findings: inout Findings) throws(CalibrationRefusal) {
    try checkAnswer(findings)
    let subject = findings.subject
    let levels = findings.ceiling.ceiling.points.map {
      subject.target.contour.sensationLevel(acceleration: $0.acceleration, at: $0.frequency)
    }
    let needed = subject.target.floorLevel + CalibrationSubject.leastSpan
    guard let highest = levels.max(), highest > needed else {
      let strongest = levels.max().map { text($0) } ?? "nothing"
      throw CalibrationRefusal(
        .actuatorLimit,
        "\(distance(findings))the drive is at its limit everywhere: at \(text(subject.steadyVolts)) V the "
          + "strongest vibration is \(strongest) dB above threshold and \(text(needed)) dB are needed; "
          + "\(acrossAxis(findings))take a stronger actuator, or raise the limits if its data sheet allows it"
      )
    }
    findings.referenceLevel = try subject.referenceLevel(below: highest)
    if findings.referenceLevel < subject.target.referenceLevel, !subject.referenceIsGiven {
      findings.notes.append(
        "The reference level is \(text(findings.referenceLevel)) dB, the highest that the actuator "
          + "holds, instead of \(text(subject.target.referenceLevel)) dB.")
    }
  }

  /// Makes sure that tones move what the sweeps moved: an actuator that died in between is not weak.
  private func checkAnswer(_ findings: Findings) throws(CalibrationRefusal) {
    guard let limit = findings.resonance?.limit else { return }
    let shares = findings.ceiling.nodes.compactMap { node -> Double? in
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

  /// A single axis does not tell a weak motion from one across it.
  private func acrossAxis(_ findings: Findings) -> String {
    guard findings.axisNames.count == 1, let axis = findings.axisNames.first else { return "" }
    let level =
      findings.rest?.check.gravity.deviation == nil ? ", which shows no gravity either" : ""
    return
      "it is too weak, or moves across the sensor's only axis, \(axis)\(level): turn the sensor "
      + "along the motion, "
  }

  private func distance(_ findings: Findings) -> String {
    let sharpness = findings.subject.sharpness
    let ends = [sharpness.frequency(of: 0), sharpness.frequency(of: 1)].sorted()
    guard let f0 = findings.resonance?.limit.frequency.value,
      f0 < ends[0] / Self.outside || f0 > Self.outside * ends[1]
    else { return "" }
    return
      "its resonance, near \(text(f0)) Hz, lies outside of the \(text(ends[0])) to \(text(ends[1])) "
      + "Hz that sharpness asks for, and there "
  }
}

extension CalibrationSubject {
  /// The dB between the lowest and the highest level that a calibration needs.
  static let leastSpan = 3.0
  /// How far below the asked reference level the actuator may stay, in dB.
  private static let sameLevel = 0.05

  /// The level of intensity 1 for an actuator that holds no more than a level: as asked for, or 30 dB SL, or what
  /// it holds if that is less.
  ///
  /// A level that was asked for and that the actuator holds nowhere is refused, as for a fleet of it alone.
  func referenceLevel(below highest: Double) throws(CalibrationRefusal) -> Double {
    guard referenceIsGiven else {
      return min(target.referenceLevel, (10 * highest).rounded(.down) / 10)
    }
    guard highest >= target.referenceLevel - Self.sameLevel else {
      throw CalibrationRefusal(
        .referenceUnreached,
        "the reference level of \(text(target.referenceLevel)) dB is reached nowhere: the "
          + "strongest vibration is \(text(highest)) dB above threshold; ask for less, or for none to take "
          + "the most that the actuator holds")
    }
    return target.referenceLevel
  }
}
