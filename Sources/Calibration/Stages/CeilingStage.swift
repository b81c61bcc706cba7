// SPDX-License-Identifier: Apache-2.0

import Actuators
private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

/// Short tones up to the peak voltage, far from the resonance, where the actuator hardly moves: whether the peak
/// arrives.
///
/// What lasts was swept; taps go higher.
struct AmplifierStage: CalibrationStage {
  private let probe: TonePlan

  /// How far above the sweeps the peak must lie to be tried.
  private static let above = 1.05
  /// Where it is tried, in hertz: from here, up to shares of the rate and of the sensor's band.
  private static let band = (low: 150.0, high: 1_000.0, rate: 0.2, sensor: 0.5)
  private static let places = 16
  /// How far above each resonance it is tried, and the share of the motion that was seen that it may make.
  private static let aside = (frequency: 1.8, motion: 0.1)
  private static let window = 0.04
  /// How much of what was asked for may be missing: an amplifier that clips at 0.97 of it.
  private static let allowedLoss = 0.005
  private static let margin = 0.985
  private static let least = 0.9
  /// The uncertainty of the first tone's gain below which the tones say something, and the share by which the
  /// last, of the same level, may differ.
  private static let steady = (uncertainty: 0.01, change: 0.01)

  /// Nil where the limits leave nothing above the sweeps, or no frequency at which the mass would stay within
  /// what was seen.
  init?(_ findings: Findings) {
    let subject = findings.subject
    let highest = findings.sweeps.highest ?? 0
    guard !subject.isPiezo, let levels = findings.levels, highest > 0,
      subject.peakVolts > Self.above * highest
    else { return nil }
    let top = min(
      Self.band.high, Self.band.rate * subject.rate.hertz,
      Self.band.sensor * (subject.sensorBandwidth ?? .infinity))
    func volts(_ frequency: Double) -> Double {
      min(subject.peakVolts, subject.limits.slope.map { $0 / (2 * .pi * frequency) } ?? .infinity)
    }
    let places = (0...Self.places).map {
      Self.band.low * pow(top / Self.band.low, Double($0) / Double(Self.places))
    }.filter { frequency in
      volts(frequency) > Self.above * highest
        && levels.modes.indices.allSatisfy { mode in
          let f0 = levels.modes[mode].f0.value
          guard frequency > Self.aside.frequency * f0 else { return false }
          let seen = levels.displacement(ofMode: mode, at: f0) * highest
          let most = findings.bounds.travel.map { $0.mode == mode ? $0.metres : seen } ?? seen
          return levels.displacement(ofMode: mode, at: frequency) * volts(frequency)
            < Self.aside.motion * most
        }
    }
    let loudest = places.max {
      levels.magnitude(at: $0, acceleration: 0) < levels.magnitude(at: $1, acceleration: 0)
    }
    guard let loudest else { return nil }
    let peak = volts(loudest)
    probe = TonePlan(
      tones: [0.4 * highest, 0.5 * (highest + peak), peak, 0.4 * highest].map {
        .init(frequency: loudest, amplitude: $0)
      }, settling: findings.settling(decayTimes: 6, atMost: 0.12), window: Self.window,
      inverse: nil)
  }

  var outlook: StageOutlook { .init("trying the amplifier", segments: 10, seconds: 36) }

  func draft(_ findings: inout Findings) -> SegmentDraft<TonePlan>? {
    let subject = findings.subject
    return SegmentDraft(
      purpose: .level, title: "\(probe.tones.count) tones up to the peak",
      volts: probe.volts(at: subject.rate, peak: subject.peakVolts), plan: probe)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: TonePlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let ceiling = StageStep.next(CeilingStage(round: 0))
    let gains = gains(answer.capture, plan, findings)
    guard let first = gains[0], let last = gains[plan.tones.count - 1], first.value > 0,
      first.relativeUncertainty < Self.steady.uncertainty
    else { return ceiling }
    let change = Self.steady.change + 6 * first.relativeUncertainty
    guard abs(last.value / first.value - 1) < change else {
      return .again(because: "something shook the rig while the amplifier was tried")
    }
    let usual = (first.value + last.value) / 2
    let given = zip(plan.tones, gains).compactMap { tone, gain -> Double? in
      guard let gain else { return nil }
      let left = gain.value / usual
      let noise = 5 * (gain.relativeUncertainty + first.relativeUncertainty)
      guard left < 1 - max(Self.allowedLoss, noise) else { return nil }
      return ClippedSine.share(ofFundamental: left) * tone.amplitude
    }
    if let volts = given.min() { try narrow(to: volts, &findings) }
    return ceiling
  }

  private func gains(
    _ capture: Capture, _ plan: TonePlan, _ findings: Findings
  ) -> [Estimate?] {
    // Where volts are measured at the coil they say it themselves.
    let output = capture.voltage ?? capture.output(along: findings.motion.weights)
    let delay = capture.voltage == nil ? findings.delay : 0
    let subject = findings.subject
    let sent = subject.protected(plan.volts(at: capture.rate, peak: subject.peakVolts))
    return zip(plan.tones, plan.windows(at: capture.rate)).map { tone, window in
      guard
        let answer = ToneFit.fit(
          output, frames: capture.frames(of: window, after: delay), rate: capture.rate,
          frequency: tone.frequency / (1 + capture.clock)),
        let drive = ToneFit.fit(
          sent, frames: window, rate: capture.rate, frequency: tone.frequency)
      else { return nil }
      let (amplitude, volts) = (answer.fundamental.amplitude, drive.fundamental.amplitude.value)
      return Estimate(amplitude.value / volts, uncertainty: amplitude.uncertainty / volts)
    }
  }

  private func narrow(
    to volts: Double, _ findings: inout Findings
  ) throws(CalibrationRefusal) {
    let subject = findings.subject
    guard volts > Self.least * subject.steadyVolts else {
      throw CalibrationRefusal(
        .amplifierClipping,
        "the amplifier gives no more than \(text(volts)) V, less than the \(text(subject.steadyVolts)) V "
          + "that may last: it clips; lower the limits in the rig file or use a stronger amplifier")
    }
    let held = Self.margin * volts
    findings.notes.append(
      "The amplifier clips at \(text(volts)) V, below the peak of \(text(subject.peakVolts)) V that the "
        + "rig file allows; the profile keeps to \(text(held)) V.")
    findings.subject.actuator.limits.peakVolts = held
  }
}

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
    var inverse = findings.ringsLong ? findings.inverse : nil
    // What is tried is a voltage.
    inverse?.spring = nil
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
    if !mayStrike,
      let reason = try findings.disturbance(of: readings, to: plan, in: answer.capture)
    {
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
