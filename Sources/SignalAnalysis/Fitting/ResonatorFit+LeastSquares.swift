private import Glibc

extension ResonatorFit {
  /// The residuals Y - H X as real and imaginary parts, over delay in ms and the logarithms of f0, Q, g.
  ///
  /// With D = s^2 + s w0/Q + w0^2: dH/dd = -s H, dH/dln w0 = -H (s w0/Q + 2 w0^2) / D,
  /// dH/dln Q = H (s w0/Q / D - 1), dH/dln g = H.
  func leastSquares(_ spectra: ResonatorSpectra, sign: Double) -> LevenbergMarquardt {
    let count = spectra.angular.count
    return LevenbergMarquardt(residualCount: 2 * count) { request in
      switch request {
      case .residuals(let parameters, let target):
        let trial = Trial(parameters, sign: sign)
        for index in 0..<count {
          let model = trial.model(spectra, index).value
          Self.store(spectra.response[index] - model, target, index)
        }
      case .jacobian(let parameters, let target):
        let trial = Trial(parameters, sign: sign)
        let rows = 2 * count
        for index in 0..<count {
          let (model, damping, divisor) = trial.model(spectra, index)
          // The residual is Y - H X, hence the turned signs.
          let delay = 1e-3 * spectra.angular[index] * (Complex(0, 1) * model)
          Self.store(delay, target, index)
          Self.store(model * (damping + Complex(2)) / divisor, target + rows, index)
          Self.store(model * (Complex(1) - damping / divisor), target + 2 * rows, index)
          Self.store(-1 * model, target + 3 * rows, index)
        }
      }
    }
  }

  private static func store(
    _ value: Complex, _ target: UnsafeMutablePointer<Double>, _ index: Int
  ) {
    target[2 * index] = value.real
    target[2 * index + 1] = value.imaginary
  }

  /// The parameters of one evaluation, out of their logarithms.
  private struct Trial {
    let delay: Double
    let angular: Double
    let q: Double
    let gain: Double

    init(_ parameters: UnsafePointer<Double>, sign: Double) {
      delay = 1e-3 * parameters[0]
      angular = 2 * .pi * exp(parameters[1])
      q = exp(parameters[2])
      gain = sign * exp(parameters[3])
    }

    /// H X in one bin, with s w0/Q and D, both over w0^2.
    func model(
      _ spectra: ResonatorSpectra, _ index: Int
    ) -> (value: Complex, damping: Complex, divisor: Complex) {
      let ratio = spectra.angular[index] / angular
      let damping = Complex(0, ratio / q)
      let divisor = Complex(1 - ratio * ratio, ratio / q)
      let turn = Complex(angle: -delay * spectra.angular[index])
      let scale = -gain * ratio * ratio / q
      return (scale * (turn * spectra.drive[index]) / divisor, damping, divisor)
    }
  }
}
