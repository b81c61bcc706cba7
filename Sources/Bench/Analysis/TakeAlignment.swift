// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import HapticRendering
import Profiles
import SignalAnalysis
import Units

/// Drive and response of one take on one time axis.
///
/// With a reference channel the electrical delay is a straight line through the markers: its height at
/// drive frame 0 is the delay, its slope the drift. Where the stream broke, each stretch has a height of its
/// own. The transport delay is the pure delay of a resonator
/// fitted between reference and response. Without a reference only the sum of both is known, from a fit
/// between what was commanded and the response.
struct TakeAlignment {
  /// Capture frame minus drive frame along the take; `nil` without a reference that was found.
  var electrical: ElectricalDelay?
  /// How many measured delays it goes through.
  var delayCount = 2
  /// By stretch between two starts, why its delay is its neighbours' only.
  var stretchReasons: [Int: String] = [:]
  /// What a drive of 1 comes back as on the reference, in volts, its sign included.
  var referenceGain: Double?
  /// What a drive of 1 is, as it came back, or else by the rig file, in volts.
  var driveVolts: Double { referenceGain ?? rig.drive.fullScaleVolts }
  /// How much faster a capture on a card of its own counts than the drive, in ppm, by the host's clock;
  /// what times are corrected by where there is no reference.
  var clocks: StreamStatistics.ClockRate?
  /// How surely, in seconds, the capture's frame 0 was laid on the drive's where only their start tells it.
  var startUncertainty = 0.0
  var driftReason: String?
  /// Why no event can be timed; `nil` where the capture's frames lie on the drive's in some known way.
  var untimedReason: String?
  var electricalReason: String?
  /// Whether a reference is wired: where the markers are lost in a take, its times would mean something else than those
  /// of other takes.
  var hasReference = false
  /// The resonator between reference, or command, and response, as the take shows it.
  var model: ResonatorModel?
  /// Both resonances of the probe, where it shows two; `model` is then the stronger one, with the delay of both.
  var modes: ModalModel?
  /// Where the take shows no resonator that a reading could rest on, what events are told apart by all the same: the
  /// nearest one, or the profile's.
  var assumed: ResonatorModel?
  var modelSource = ModelSource.probe

  enum ModelSource {
    case probe
    /// The pattern, where no probe was played, or nothing can be read of it.
    case pattern
    /// The profile, at the level of the pattern, where the pattern does not tell it either.
    case profile
  }
  var motor: MotorResponse?
  var tones: ToneResponse?
  /// What the model was fitted to, for whoever draws it; `nil` where nothing was fitted.
  var probe: ProbeWindow?
  var modelReason: String?
  /// Why there is no fit where a probe was played that should have told a model.
  var missingFit: String? {
    guard hasProbe, !makesTones, responder == nil, motor == nil else { return nil }
    return "no fit: \(modelReason ?? "the probe was not found")"
  }
  var responder: ResonatorModel? { model ?? assumed }
  /// Whether the drive makes tones of its own: no probe shows the resonator then.
  var makesTones = false
  /// The delay in frames at which the response follows by its envelope, where nothing better is known.
  var envelopeFrames: Double?
  var hasProbe = false
  /// Why what the sensor's channel holds is no response of this actuator at all; `nil` where it may be one.
  var deadReason: String?
  var sensorDelay = 0.0
  /// What of the model's delay is the coil's, in seconds.
  var coil = Estimate(0, uncertainty: 0)
  var probeFrame = 0.0
  let rig: RigDescription
  let take: TakeDrive
  let recording: Recording
  var rate: SampleRate { take.rate }

  /// What a time says beside its own note: without a reference it holds more than the actuator's delay.
  func noteOfTime(_ own: String?) -> String? {
    let notes = [
      electrical == nil ? "holds the electrical delay: no reference" : nil,
      modelSource == .profile ? "told apart by the profile's model" : nil, own,
    ].compactMap(\.self)
    return notes.isEmpty ? nil : notes.joined(separator: "; ")
  }

  /// Why times at a drive frame are not known well enough: nothing told the delay of its stretch.
  func vagueness(at frame: Double) -> String? {
    guard case .stepped(let line, let stretches) = electrical else { return nil }
    let stretch = stretches.index(at: frame)
    let sigma = line.delay(at: frame, stretch: stretch).uncertainty / rate.hertz
    guard sigma > Self.vaguestDelay else { return nil }
    return "the stream was started anew before it, and its delay since then is known to "
      + "\(EngineeringFormat.text(sigma, .second)) only: "
      + (stretchReasons[stretch] ?? "the reference is too noisy")
  }

  /// A delay less sure than this takes no time off, in seconds.
  private static var vaguestDelay: Double { 50e-6 }

  /// The delay in frames that is taken off onsets at a drive frame: electrical, as far as it is known.
  ///
  /// Where the electrical delay is unknown, what two clocks have drifted apart since drive frame 0.
  func electricalFrames(at frame: Double) -> Double { electricalDelay(at: frame).value }

  func electricalDelay(at frame: Double) -> Estimate {
    if let electrical { return electrical.delay(at: frame) }
    guard let clocks else { return Estimate(0, uncertainty: 0) }
    return Estimate(1e-6 * clocks.ppm * frame, uncertainty: 1e-6 * clocks.uncertainty * abs(frame))
  }

  var knownDrift: Double { electrical?.drift.value ?? clocks?.ppm ?? 0 }

  /// Transport latency in seconds: the model's delay less the sensor's and the coil's.
  ///
  /// `nil` where the model's delay holds the electrical one too.
  var transport: Estimate? {
    guard electrical != nil, let delay = modelDelay else { return nil }
    // What the line is wrong by at the probe the fit takes for transport.
    let line = electricalDelay(at: probeFrame).uncertainty / rate.hertz
    return Estimate(delay.value - sensorDelay - coil.value, uncertainty: delay.uncertainty)
      .widened(by: line, coil.uncertainty)
  }

  /// The least standard uncertainty of any delay, in seconds: 0.1 us, some thousandths of a frame, for what
  /// float32 samples, filters of finite length and the clocks' line leave open.
  private static var finest: Double { 1e-7 }

  /// The model's delay in seconds, as the take shows it; its uncertainty holds what the model does not explain.
  var modelDelay: Estimate? { model.map(Self.delay) ?? motor?.delay ?? tones?.delay }

  /// The same, or where the take shows none that of what events are told apart by.
  var chainDelay: Estimate? { responder.map(Self.delay) ?? motor?.delay ?? tones?.delay }

  /// A residual of r beyond the noise is a phase of up to r at the resonance: r / (2 pi f0) of delay.
  private static func delay(of model: ResonatorModel) -> Estimate {
    let phase = (model.quality?.misfit ?? 0) / (2 * .pi * model.frequency.value)
    return model.delay.widened(by: phase, finest)
  }

  /// The 10-90 % rise in seconds; `nil` where a single resonance explains too little to have one.
  ///
  /// A residual of r beyond the noise moves Q, hence the rise, by up to about twice r of itself.
  var rise: Estimate? {
    guard let model else { return motor?.rise ?? tones?.rise }
    let misfit = model.quality?.misfit ?? 0
    guard misfit <= Self.largestMisfit, modes == nil else { return nil }
    let own = model.riseTime
    // A fifth more than the fit says: its misfit is not known better than by chance either.
    return Estimate(own.value, uncertainty: 1.2 * own.uncertainty)
      .widened(by: 2 * misfit * own.value)
  }

  /// The relative residual beyond the noise above which one resonance is no description.
  static var largestMisfit: Double { 0.05 }

  /// From command to response in frames, rise and resonance apart; `nil` where nothing is known.
  func responseFrames(at frame: Double) -> Double? {
    guard let delay = responder?.delay ?? motor?.delay ?? tones?.delay else {
      return electrical.map { $0.delay(at: frame).value } ?? envelopeFrames
    }
    return electricalFrames(at: frame) + delay.value * rate.hertz
  }

  /// The time constant of the actuator's decay, in seconds; of a motor that of its speed.
  var decayTime: Double? {
    responder?.decayTime.value ?? motor?.spinUp.value ?? tones?.resonance?.decayTime
  }

  /// How strong some samples are on the drive's clock, over drive frames; with a resonance, of what drives it.
  func strength(
    of samples: Samples, offset: Double, over frames: Range<Int>,
    band: ClosedRange<Double> = StrengthCourse.felt, undoing resonance: Resonance? = nil
  ) -> StrengthCourse {
    StrengthCourse(
      samples, offset: offset, over: frames, rate: rate, quiet: take.quietFrames, band: band,
      undoing: resonance, delay: electricalFrames)
  }
}

struct NotMeasured: Error {
  let reason: String
  var isDead = false
  /// The best resonator there is, where one alone is no description.
  var nearest: ResonatorModel?
}

/// How much later than its voltage the current in an actuator's coil comes, and with it the force: L / R.
///
/// Up to some hundred hertz a lag of tens of microseconds cannot be told from a pure delay: the phase that
/// differs is (2 pi f L/R)^3 / 3, 1e-4 at 500 Hz. A profile that was made with the current known has L and R;
/// otherwise the lag is part of what is read as delay, and of its uncertainty.
enum CoilLag {
  /// What coils of a few ohms to some tens, with 0.05 to 0.5 mH, have at most, in seconds.
  private static let usual = 20e-6

  /// The lag in seconds; 0 and its usual size as uncertainty where no profile tells it.
  static func of(_ rig: RigDescription, _ profile: ProfileRendering?) -> Estimate {
    if let model = profile?.profile.model, let inductance = model.inductance,
      let resistance = model.resistance, resistance.value > 0
    {
      let lag = inductance.value / resistance.value
      let (own, other) = (
        inductance.uncertainty / max(inductance.value, 1e-30),
        resistance.uncertainty / resistance.value
      )
      return Estimate(lag, uncertainty: lag * (own * own + other * other).squareRoot())
    }
    switch rig.actuators[0].kind {
    case .lra, .vcm: return Estimate(0, uncertainty: usual)
    case .erm, .piezo: return Estimate(0, uncertainty: 0)
    }
  }
}
