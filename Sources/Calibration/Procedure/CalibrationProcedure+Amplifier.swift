private import Glibc
import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// How much of what was asked for may be missing: an amplifier that clips at 0.97 of it.
  private static let allowedLoss = 0.005

  /// Short tones up to the peak voltage, far from the resonance, where the actuator hardly moves.
  ///
  /// What lasts was swept; taps go higher. Nil where the limits leave nothing above the sweeps, or no
  /// frequency at which the mass would stay within what was seen.
  var amplifierProbe: TonePlan? {
    let highest = knowledge.sweeps.map(\.level).max() ?? 0
    guard subject.kind != "piezo", let levels = knowledge.levels, highest > 0,
      subject.peakVolts > 1.05 * highest
    else { return nil }
    let top = min(
      1_000, 0.2 * subject.rate.hertz, 0.5 * (subject.sensorBandwidth ?? .infinity))
    func volts(_ frequency: Double) -> Double {
      min(subject.peakVolts, subject.limits.slope.map { $0 / (2 * .pi * frequency) } ?? .infinity)
    }
    let places = (0...16).map { 150 * pow(top / 150, Double($0) / 16) }.filter { frequency in
      volts(frequency) > 1.05 * highest
        && levels.modes.indices.allSatisfy { mode in
          let f0 = levels.modes[mode].f0.value
          guard frequency > 1.8 * f0 else { return false }
          let seen = levels.displacement(ofMode: mode, at: f0) * highest
          let most = knowledge.travel.map { $0.mode == mode ? $0.metres : seen } ?? seen
          return levels.displacement(ofMode: mode, at: frequency) * volts(frequency) < 0.1 * most
        }
    }
    let loudest = places.max {
      levels.magnitude(at: $0, acceleration: 0) < levels.magnitude(at: $1, acceleration: 0)
    }
    guard let loudest else { return nil }
    let peak = volts(loudest)
    return TonePlan(
      tones: [0.4 * highest, 0.5 * (highest + peak), peak, 0.4 * highest].map {
        .init(frequency: loudest, amplitude: $0)
      }, settling: settling(decayTimes: 6, atMost: 0.12), window: 0.04, inverse: nil)
  }

  /// The tones of the probe.
  func amplifierDraft() -> SegmentDraft? {
    amplifierProbe.map { plan in
      SegmentDraft(
        purpose: .level, title: "\(plan.tones.count) tones up to the peak",
        volts: plan.volts(at: subject.rate, peak: subject.peakVolts), plan: .tones(plan))
    }
  }

  /// Whether the peak voltage arrives; where it does not, the limit that is used is what does.
  mutating func acceptAmplifier(
    _ capture: Capture, _ plan: TonePlan
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    // Where volts are measured at the coil they say it themselves.
    let output = capture.voltage ?? capture.output(along: knowledge.weights)
    let delay = capture.voltage == nil ? knowledge.limit?.delay.value ?? 0 : 0
    let sent = protected(plan.volts(at: capture.rate, peak: subject.peakVolts))
    let gains = zip(plan.tones, plan.windows(at: capture.rate)).map { tone, window -> Estimate? in
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
    stage = .ceiling(0)
    guard let first = gains[0], let last = gains[plan.tones.count - 1], first.value > 0,
      first.relativeUncertainty < 0.01
    else { return .accepted }
    guard abs(last.value / first.value - 1) < 0.01 + 6 * first.relativeUncertainty else {
      stage = .amplifier
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
    guard let volts = given.min() else { return .accepted }
    guard volts > 0.9 * subject.steadyVolts else {
      throw CalibrationRefusal(
        .amplifierClipping,
        "the amplifier gives no more than \(text(volts)) V, less than the \(text(subject.steadyVolts)) V "
          + "that may last: it clips; lower the limits in the rig file or use a stronger amplifier")
    }
    let held = Self.margin * volts
    knowledge.notes.append(
      "The amplifier clips at \(text(volts)) V, below the peak of \(text(subject.peakVolts)) V that the "
        + "rig file allows; the profile keeps to \(text(held)) V.")
    subject.limits = DriveLimits(
      continuousVolts: subject.limits.continuousVolts, peakVolts: held, slope: subject.limits.slope,
      thermalTime: subject.limits.thermalTime)
    return .accepted
  }

  /// What of an amplifier's end is used.
  private static let margin = 0.985
}
