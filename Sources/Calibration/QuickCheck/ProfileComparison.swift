private import Glibc
import Perception
import Profiles
import SignalAnalysis

struct ProfileComparison: Sendable {
  let subject: CalibrationSubject
  let profile: CalibrationProfile

  /// From how many standard deviations on something has drifted.
  static let threshold = 4.0

  /// The level of the profile that lies nearest to the closing sweep's, in volts.
  var level: Double {
    let wanted = Findings.closingShare * subject.steadyVolts
    let levels = profile.model.levels.map(\.drive).filter { $0 <= subject.steadyVolts }
    return levels.min { abs(log($0 / wanted)) < abs(log($1 / wanted)) } ?? wanted
  }

  /// Resonance, Q, gain and latency of some sweeps.
  ///
  /// What an undisturbed actuator does from day to day counts as an uncertainty of its own: 0.05 % of
  /// resonance, 1 % of Q, 0.5 % of gain.
  func findings(sweeps: [SweepReading]) -> [CalibrationCheck.Finding] {
    let nearest = profile.model.levels.min {
      abs($0.drive - self.level) < abs($1.drive - self.level)
    }
    guard let level = nearest?.mode ?? profile.model.modes.first else { return [] }
    let delay = Estimate.mean(sweeps.map(\.model.delay))
    // What the profile says at this drive: its own f0, Q and gain are those of the limit of none.
    var findings = [
      finding("f0", level.f0, .mean(sweeps.map(\.mode.frequency)), daily: 0.0005),
      finding("q", level.q, .mean(sweeps.map(\.mode.q)), daily: 0.01),
      finding("gain", level.gain, .mean(sweeps.map(\.mode.gain)), daily: 0.005),
    ]
    for index in findings.indices { findings[index].drive = nearest?.drive }
    if let expected = profile.model.delay, subject.hasReference {
      findings.append(
        finding(
          "latency", expected,
          Estimate(delay.value - subject.sensorDelay, uncertainty: delay.uncertainty), daily: 0))
    }
    return findings
  }

  func findings(motor: [MotorReading]) -> [CalibrationCheck.Finding] {
    let points = profile.motorCurve?.points ?? []
    guard let reading = motor.last,
      let point = points.min(by: {
        abs($0.volts - reading.volts) < abs($1.volts - reading.volts)
      })
    else { return [] }
    return [
      finding(
        "speed", MeasuredQuantity(point.frequency, .hertz, uncertainty: 0.005 * point.frequency),
        reading.frequency, daily: 0.005),
      finding(
        "acceleration",
        MeasuredQuantity(
          point.acceleration, .metrePerSecondSquared, uncertainty: 0.01 * point.acceleration),
        reading.acceleration, daily: 0.01),
    ]
  }

  /// The noise in the band, against the profile's.
  ///
  /// Rooms differ from day to day: 15 % of noise count as an uncertainty of their own. Less noise than
  /// before is no fault. A profile without a noise of its own: against 20 dB below the weakest vibration.
  func findings(rest: RestCheck?) -> [CalibrationCheck.Finding] {
    guard let found = rest?.quantity else { return [] }
    guard let expected = profile.noise else { return [finding(noise: found.value)] }
    var finding = finding(
      "noise", expected, Estimate(found.value, uncertainty: found.uncertainty), daily: 0.15)
    if finding.sigmas < 0 { finding.verdict = .same }
    return [finding]
  }

  private func finding(noise: Double) -> CalibrationCheck.Finding {
    let faintest = profile.laws.contour.acceleration(
      sensationLevel: profile.laws.floorLevel, at: 150)
    let allowed = 0.1 * faintest / 2.0.squareRoot()
    let sigmas = max(0, (noise - allowed) / (0.1 * allowed))
    return .init(
      name: "noise", unit: "m/s2", expected: allowed, expectedUncertainty: 0.1 * allowed,
      found: noise, foundUncertainty: 0.01 * noise, sigmas: sigmas,
      verdict: sigmas > Self.threshold ? .drifted : .same)
  }

  private func finding(
    _ name: String, _ expected: MeasuredQuantity, _ found: Estimate, daily: Double
  ) -> CalibrationCheck.Finding {
    let scale = daily * abs(expected.value)
    let spread =
      (expected.uncertainty * expected.uncertainty
      + found.uncertainty * found.uncertainty + scale * scale).squareRoot()
    let sigmas = spread > 0 ? (found.value - expected.value) / spread : 0
    return .init(
      name: name, unit: expected.unit.rawValue, expected: expected.value,
      expectedUncertainty: expected.uncertainty, found: found.value,
      foundUncertainty: found.uncertainty, sigmas: sigmas,
      verdict: abs(sigmas) > Self.threshold ? .drifted : .same, daily: daily)
  }
}

extension ModalModel {
  init?(_ model: ActuatorModel) {
    guard !model.modes.isEmpty else { return nil }
    self.init(
      delay: model.delay.map { Estimate($0) } ?? Estimate(0, uncertainty: 0),
      modes: model.modes.map {
        Mode(frequency: Estimate($0.f0), q: Estimate($0.q), gain: Estimate($0.gain))
      }, coupling: model.coupling.map { Estimate($0) } ?? Estimate(0, uncertainty: 0))
  }
}

extension Estimate {
  fileprivate init(_ quantity: MeasuredQuantity) {
    self.init(quantity.value, uncertainty: quantity.uncertainty)
  }
}
