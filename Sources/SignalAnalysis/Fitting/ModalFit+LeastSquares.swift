private import Glibc

extension ModalFit {
  /// The lowest minimum: all starts walk most of the way, the best of them the rest.
  ///
  /// Modes are taken to be uncoupled unless it is said that they are not. A start that is a minimum
  /// nearly need not be walked from twice.
  func descend(
    _ starts: [Trial], _ spectra: ResonatorSpectra, isCoupled: Bool = false, isNear: Bool = false
  ) -> Fitted? {
    var best: Fitted?
    let tolerance = isNear ? 1e-10 : 1e-3
    for start in starts {
      let scales = start.modes.map { max(abs($0.gain), 1e-300) }
      let slopes = zip(start.modes, scales).map { $1 / $0.q / (2 * .pi * $0.frequency) }
      let couplingScale = isCoupled ? slopes.max() : nil
      let parameters =
        [1e3 * start.delay]
        + zip(start.modes, scales).flatMap { mode, scale in
          [log(mode.frequency), log(mode.q), mode.gain / scale]
        } + (couplingScale.map { [start.coupling / $0] } ?? [])
      let found = minimum(
        from: parameters, scales: scales, couplingScale, spectra, tolerance: tolerance)
      if let found, found.sum < best?.sum ?? .infinity { best = found }
    }
    if isNear { return best }
    return best.flatMap {
      minimum(
        from: $0.parameters, scales: $0.scales, $0.couplingScale, spectra, tolerance: 1e-10)
    }
  }

  private func minimum(
    from parameters: [Double], scales: [Double], _ couplingScale: Double?,
    _ spectra: ResonatorSpectra, tolerance: Double
  ) -> Fitted? {
    leastSquares(spectra, scales: scales, couplingScale)
      .minimum(from: parameters, tolerance: tolerance).map {
        Fitted(
          parameters: $0.parameters, scales: scales, couplingScale: couplingScale,
          sum: $0.sumOfSquares, covariance: $0.covariance)
      }
  }

  /// The residuals as real and imaginary parts, with the derivatives of `ResonatorFit+LeastSquares`.
  private func leastSquares(
    _ spectra: ResonatorSpectra, scales: [Double], _ couplingScale: Double?
  ) -> LevenbergMarquardt {
    let count = spectra.angular.count
    let rows = 2 * count
    let last = 1 + 3 * scales.count
    return LevenbergMarquardt(residualCount: rows) { request in
      switch request {
      case .residuals(let parameters, let target):
        let delay = 1e-3 * parameters[0]
        let slope = couplingScale.map { $0 * parameters[last] } ?? 0
        let modes = scales.indices.map {
          ModeTrial(parameters + 1 + 3 * $0, scale: scales[$0], slope: $0 == 0 ? slope : -slope)
        }
        var turn = spectra.firstTurn(delay)
        let step = spectra.turnStep(delay)
        for index in 0..<count {
          let angular = spectra.angular[index]
          var sum = Complex(0)
          for mode in modes { sum = sum + mode.value(angular).response }
          let model = turn * spectra.drive[index] * sum
          turn = turn * step
          let rest = spectra.response[index] - model
          target[2 * index] = rest.real
          target[2 * index + 1] = rest.imaginary
        }
      case .jacobian(let parameters, let target):
        func store(_ value: Complex, _ column: Int, _ index: Int) {
          target[column * rows + 2 * index] = value.real
          target[column * rows + 2 * index + 1] = value.imaginary
        }
        let delay = 1e-3 * parameters[0]
        let slope = couplingScale.map { $0 * parameters[last] } ?? 0
        let modes = scales.indices.map {
          ModeTrial(parameters + 1 + 3 * $0, scale: scales[$0], slope: $0 == 0 ? slope : -slope)
        }
        var turn = spectra.firstTurn(delay)
        let step = spectra.turnStep(delay)
        for index in 0..<count {
          let angular = spectra.angular[index]
          let common = turn * spectra.drive[index]
          turn = turn * step
          var (sum, coupled) = (Complex(0), Complex(0))
          for (number, mode) in modes.enumerated() {
            let (unit, damping, divisor) = mode.value(angular)
            let own = common * unit
            sum = sum + own
            // The residual is measured less model, hence the turned signs. Of the gain the constant
            // part of the numerator goes with 1 / Q, the other does not.
            let constant = common * mode.constant(divisor: divisor, angular)
            store(own * (damping + Complex(2)) / divisor, 1 + 3 * number, index)
            store(constant - own * damping / divisor, 2 + 3 * number, index)
            store((-1 / mode.share) * constant, 3 + 3 * number, index)
            if let couplingScale {
              let bend = Complex(0, (number == 0 ? -1 : 1) * couplingScale * angular)
              coupled = coupled + bend * (common * mode.shape(divisor: divisor, angular))
            }
          }
          if couplingScale != nil { store(coupled, last, index) }
          store(1e-3 * angular * (Complex(0, 1) * sum), 0, index)
        }
      }
    }
  }

  /// The parameters of one mode in one evaluation, out of their logarithms.
  private struct ModeTrial {
    let angular: Double
    let q: Double
    /// The gain over its scale; never zero, so that the derivative can be had by division.
    let share: Double
    let gain: Double

    /// b of this mode's side.
    let slope: Double

    init(_ parameters: UnsafePointer<Double>, scale: Double, slope: Double) {
      angular = 2 * .pi * exp(parameters[0])
      q = exp(parameters[1])
      share = parameters[2] == 0 ? 1e-12 : parameters[2]
      gain = scale * share
      self.slope = slope
    }

    /// The mode's response, with s w0/Q and D, both over w0^2.
    func value(_ angular: Double) -> (response: Complex, damping: Complex, divisor: Complex) {
      let ratio = angular / self.angular
      let damping = Complex(0, ratio / q)
      let divisor = Complex(1 - ratio * ratio, ratio / q)
      let numerator = Complex(gain / q, slope * angular)
      return (numerator * shape(divisor: divisor, angular), damping, divisor)
    }

    /// s^2 / (s^2 + s w0/Q + w0^2).
    func shape(divisor: Complex, _ angular: Double) -> Complex {
      let ratio = angular / self.angular
      return Complex(-ratio * ratio) / divisor
    }

    /// The part of the response that the gain makes.
    func constant(divisor: Complex, _ angular: Double) -> Complex {
      (gain / q) * shape(divisor: divisor, angular)
    }
  }
}
