import Actuators
private import Glibc
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
  /// How many places are looked at between the ends of the band.
  private static let places = 16
  /// How far above each resonance it is tried, and the share of the motion that was seen that it may make.
  private static let aside = (frequency: 1.8, motion: 0.1)
  /// How long a tone is measured, in seconds.
  private static let window = 0.04
  /// How much of what was asked for may be missing: an amplifier that clips at 0.97 of it.
  private static let allowedLoss = 0.005
  /// What of an amplifier's end is used.
  private static let margin = 0.985
  /// The share of what may last that an amplifier must give.
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
