private import Glibc
import Profiles
import SignalAnalysis
import Units

/// Makes the profile's model out of what is known.
struct ModelAssembly: Sendable {
  let findings: Findings

  private var subject: CalibrationSubject { findings.subject }

  /// What deconvolution, gate and the sensor's filter leave unknown of a frequency, as a share.
  private static let reading = 3e-5

  /// How unevenly a converter may hold a sample: half a frame to each side, even.
  var holding: Double { 0.5 * subject.rate.period / 3.0.squareRoot() }

  /// How well the sensor's own delay is known, in seconds: as a comparison says, else by its low-pass.
  ///
  /// The corner of its low-pass is known to a tenth, evenly: a Butterworth filter of second order delays
  /// by 0.225 over its corner.
  private var sensorDelayDoubt: Double {
    if let compared = subject.sensorDelayUncertainty { return compared }
    guard let corner = subject.sensorBandwidth else { return subject.filterDoubt.delay }
    return 0.225 * 0.1 / corner / 3.0.squareRoot()
  }

  /// The model at small signal, in true hertz and seconds.
  var model: ActuatorModel {
    if let piezo = findings.piezo {
      return ActuatorModel(
        kind: .piezo,
        piezoGain: quantity(piezo.gain.widened(by: sensorDoubt), .metrePerSecondSquaredPerVolt),
        delay: delay(piezo.delay), misfit: findings.sweeps.coarse?.model.quality?.misfit ?? 0)
    }
    let modes = [findings.resonance?.limit, findings.resonance?.second].compactMap(\.self).map(mode)
    return ActuatorModel(
      kind: subject.isPiezo ? .piezo : modes.count > 1 ? .modes : .resonator,
      modes: modes, coupling: modes.count > 1 ? coupling : nil,
      delay: delay(findings.resonance?.limit.delay ?? Estimate(0, uncertainty: 0)),
      levels: levels, resistance: findings.sweeps.coil.map { quantity($0.resistance, .ohm) },
      inductance: findings.sweeps.coil.map { quantity($0.inductance, .henry) },
      misfit: findings.resonance?.limit.misfit ?? 0)
  }

  private var coupling: MeasuredQuantity? {
    guard let coupling = findings.resonance?.limit.coupling, coupling.value != 0 else { return nil }
    return quantity(coupling.widened(by: sensorDoubt), .metrePerSecondSquaredPerVolt)
  }

  private func mode(_ limit: SmallSignalLimit) -> ActuatorModel.Mode {
    // Warming up between the sweeps and the end moves the numbers by as much as it did.
    let moved = findings.movement
    return mode(
      frequency: limit.frequency.widened(by: moved.frequency / 3.0.squareRoot())
        .widened(by: Self.reading),
      q: limit.q.widened(by: moved.q / 3.0.squareRoot()),
      gain: limit.gain.widened(by: moved.gain / 3.0.squareRoot()).widened(by: sensorDoubt))
  }

  /// How well the sensor's accelerations are known, as a share: its certificate, what gravity says of it,
  /// and its low-pass.
  private var sensorDoubt: Double {
    let budget = BudgetAssembly(findings: findings)
    return budget.sensorLines.reduce(0) { $0 + $1.relative * $1.relative }.squareRoot()
  }

  /// One level each, the mean of its sweeps; those that the amplifier turned out not to give are left out.
  private var levels: [ActuatorModel.Level] {
    let drives = Set(findings.sweeps.all.map(\.level)).filter { $0 <= subject.peakVolts }.sorted()
    return drives.map { drive in
      let sweeps = findings.sweeps.all.filter { $0.level == drive }.map(\.mode)
      func mean(_ part: (ModalModel.Mode) -> Estimate) -> Estimate {
        let values = sweeps.map(part)
        let count = Double(values.count)
        return Estimate(
          values.reduce(0) { $0 + $1.value } / count,
          uncertainty: values.reduce(0) { $0 + $1.uncertainty * $1.uncertainty }.squareRoot()
            / count)
      }
      return ActuatorModel.Level(
        drive: drive, mode: mode(frequency: mean(\.frequency), q: mean(\.q), gain: mean(\.gain)))
    }
  }

  private func mode(frequency: Estimate, q: Estimate, gain: Estimate) -> ActuatorModel.Mode {
    let stretch = 1 + findings.clock.share
    return ActuatorModel.Mode(
      f0: quantity(
        Estimate(stretch * frequency.value, uncertainty: stretch * frequency.uncertainty), .hertz),
      q: quantity(q, .one), gain: quantity(gain, .metrePerSecondSquaredPerVolt))
  }

  /// The delay after the reference; nil without one: nobody knows how much of it is the converters'.
  private func delay(_ fitted: Estimate) -> MeasuredQuantity? {
    guard subject.hasReference else { return nil }
    let value = fitted.value / (1 + findings.clock.share) - subject.sensorDelay
    let (own, spread, filter) = (fitted.uncertainty, findings.clock.delaySpread, sensorDelayDoubt)
    let variance = own * own + holding * holding + spread * spread + filter * filter
    return MeasuredQuantity(value, .second, uncertainty: variance.squareRoot())
  }

  private func quantity(_ estimate: Estimate, _ unit: ProfileUnit) -> MeasuredQuantity {
    MeasuredQuantity(estimate.value, unit, uncertainty: estimate.uncertainty)
  }
}

extension Estimate {
  /// The same number with a relative contribution more.
  func widened(by relative: Double) -> Estimate {
    let own = relative * abs(value)
    return Estimate(value, uncertainty: (uncertainty * uncertainty + own * own).squareRoot())
  }
}

extension ModelAssembly {
  /// The inverse of the model with the resonance and Q that taps asked for.
  var inverse: FeedForward? {
    var shaped = model
    if let taps = findings.taps, !shaped.modes.isEmpty {
      shaped.modes[0].f0.value = taps.frequency * (1 + findings.clock.share)
      // The stiffness of the gain, g / Q, belongs to the magnet and not to the damping.
      shaped.modes[0].gain.value *= taps.q / shaped.modes[0].q.value
      shaped.modes[0].q.value = taps.q
    }
    return FeedForward(inverting: shaped)
  }
}
