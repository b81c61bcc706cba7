import SignalAnalysis

/// What voltage and current say of the coil.
struct ImpedanceReading: Sendable, Equatable {
  /// The resistance in ohms.
  let resistance: Estimate
  /// The inductance in henries.
  let inductance: Estimate

  /// Fits the coil to a sweep's voltage and current; nil where they are not measured or do not fit.
  init?(_ capture: Capture, _ plan: SweepPlan) {
    guard let current = capture.current,
      let impedance = try? SweepResponse.measure(
        plan.sweep, input: current, output: capture.voltage ?? capture.input, rate: capture.rate,
        harmonics: 1
      ).linear
    else { return nil }
    if let model = ImpedanceFit().fit(impedance) {
      resistance = model.resistance
      inductance = model.inductance
      return
    }
    // A coil that feels no motion has no motional branch: R + j 2 pi f L, read above the resonance.
    let high = impedance.frequencies.indices.filter {
      impedance.frequencies[$0] > 0.5 * impedance.band.upperBound
    }
    let spread = high.map {
      max(impedance.uncertainty[$0], 1e-6 * impedance.response[$0].magnitude)
    }
    guard
      let real = LinearFit(
        rows: high.map { _ in [1] }, values: high.map { impedance.response[$0].real },
        uncertainties: spread),
      let imaginary = LinearFit(
        rows: high.map { [2 * .pi * impedance.frequencies[$0]] },
        values: high.map { impedance.response[$0].imaginary }, uncertainties: spread)
    else { return nil }
    resistance = Estimate(real.parameters[0], uncertainty: real.uncertainty(of: 0))
    inductance = Estimate(
      max(0, imaginary.parameters[0]), uncertainty: imaginary.uncertainty(of: 0))
  }
}
