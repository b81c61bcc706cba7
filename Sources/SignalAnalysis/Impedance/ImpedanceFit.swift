private import Glibc

/// Fits coil and motional branch to a measured impedance.
///
/// Minimises the sum of |Z measured - Z model|^2 / u^2. For every f0 and Qm of a grid the best R, L and Zm
/// solve linear equations; the best few go down by Levenberg and Marquardt. Deterministic.
public struct ImpedanceFit: Sendable {
  /// The relative rms from which a fit counts as none.
  public var maximumMisfit: Double

  /// Makes a fit.
  public init(maximumMisfit: Double = 0.1) {
    self.maximumMisfit = maximumMisfit
  }

  /// Fits the model to voltage over current, in ohms.
  ///
  /// The response to a sweep with the current as input and the voltage as output is one; from a source
  /// of voltage the other way round and inverted is less exact where the current is small. Gives nil for
  /// fewer than 12 frequencies, numbers that are not finite, and where the model leaves more over
  /// than `maximumMisfit` of the impedance or the motional peak is not 5 times its uncertainty: a
  /// coil that does not move.
  public func fit(_ measured: TransferFunction) -> ImpedanceModel? {
    guard measured.frequencies.count >= 12,
      measured.response.allSatisfy({ $0.power.isFinite })
    else { return nil }
    let problem = ImpedanceProblem(measured)
    var best: LevenbergMarquardt.Minimum?
    for start in problem.starts.prefix(4) {
      if let found = problem.leastSquares.minimum(from: start, tolerance: 1e-10),
        found.sumOfSquares < best?.sumOfSquares ?? .infinity
      {
        best = found
      }
    }
    guard let best else { return nil }
    return model(best, problem, measured)
  }

  private func model(
    _ best: LevenbergMarquardt.Minimum, _ problem: ImpedanceProblem, _ measured: TransferFunction
  ) -> ImpedanceModel? {
    let p = best.parameters
    let freedom = Double(2 * measured.frequencies.count - 5)
    let growth = max(1, best.sumOfSquares / freedom).squareRoot()
    func sigma(_ index: Int) -> Double { growth * max(0, best.covariance[6 * index]).squareRoot() }
    let model = ImpedanceModel(
      resistance: Estimate(p[0], uncertainty: sigma(0)),
      inductance: Estimate(1e-3 * p[1], uncertainty: 1e-3 * sigma(1)),
      frequency: Estimate(exp(p[3]), uncertainty: exp(p[3]) * sigma(3)),
      q: Estimate(exp(p[4]), uncertainty: exp(p[4]) * sigma(4)),
      motional: Estimate(p[2], uncertainty: sigma(2)), misfit: problem.misfit(p, measured))
    guard model.misfit <= maximumMisfit, model.motional.value > 5 * model.motional.uncertainty,
      measured.band.contains(model.frequency.value)
    else { return nil }
    return model
  }
}
