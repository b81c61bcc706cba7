private import Glibc

extension ModalFit {
  /// Parameters from which the fit goes down.
  struct Trial {
    var delay: Double
    var modes: [(frequency: Double, q: Double, gain: Double)]

    init(delay: Double, modes: [(frequency: Double, q: Double, gain: Double)]) {
      self.delay = delay
      self.modes = modes
    }

    /// Begins where a fit ended before, with its strongest modes.
    init(_ model: ModalModel, modes count: Int) {
      delay = model.delay.value
      modes = model.modes.prefix(count).map { ($0.frequency.value, $0.q.value, $0.gain.value) }
    }
  }

  /// A minimum: delay in ms, then ln f0, ln Q and gain over its scale for each mode.
  struct Fitted {
    let parameters: [Double]
    let scales: [Double]
    let sum: Double
    /// The inverse of J^T J, row by row.
    let covariance: [Double]

    var modes: [(frequency: Double, q: Double, gain: Double)] {
      scales.indices.map { index in
        let first = 1 + 3 * index
        return (
          exp(parameters[first]), exp(parameters[first + 1]),
          scales[index] * parameters[first + 2]
        )
      }
    }

    func variance(ofGain index: Int) -> Double {
      let place = 3 + 3 * index
      return scales[index] * scales[index] * max(0, covariance[place * (parameters.count + 1)])
    }

    func reduced(_ spectra: ResonatorSpectra) -> Double {
      sum / max(1, spectra.freedom - Double(parameters.count))
    }

    /// The rms of what is left over beyond the noise, over that of the response beyond the noise.
    func misfit(_ spectra: ResonatorSpectra) -> Double {
      let freedom = max(1, spectra.freedom - Double(parameters.count))
      return (max(0, sum - freedom) / max(spectra.energy - freedom, 1)).squareRoot()
    }

    func model(_ quality: ResonatorModel.Quality, filter: KnownFilter) -> ModalModel {
      let size = parameters.count
      let growth = max(1, quality.reducedChiSquare)
      // From the fit's parameters to s, ln f0, ln Q and gain, the largest gain first.
      let modes = self.modes
      let order = scales.indices.sorted { abs(modes[$0].gain) > abs(modes[$1].gain) }
      var places: [Int] = [0]
      var units: [Double] = [1e-3]
      for index in order {
        places += [1 + 3 * index, 2 + 3 * index, 3 + 3 * index]
        units += [1, 1, scales[index]]
      }
      var turned = [Double](repeating: 0, count: size * size)
      for row in 0..<size {
        for column in 0..<size {
          let known = covariance[places[row] * size + places[column]]
          turned[row * size + column] = growth * units[row] * units[column] * known
        }
      }
      func sigma(_ place: Int) -> Double { max(0, turned[place * (size + 1)]).squareRoot() }
      let found = order.enumerated().map { rank, index in
        let (frequency, q, gain) = modes[index]
        return ModalModel.Mode(
          frequency: Estimate(frequency, uncertainty: frequency * sigma(1 + 3 * rank)),
          q: Estimate(q, uncertainty: q * sigma(2 + 3 * rank)),
          gain: Estimate(gain, uncertainty: sigma(3 + 3 * rank)))
      }
      return ModalModel(
        delay: Estimate(1e-3 * parameters[0], uncertainty: sigma(0)), modes: found,
        knownFilter: filter, covariance: turned, quality: quality)
    }
  }

  /// The lowest minimum: all starts walk most of the way, the best of them the rest.
  func descend(_ starts: [Trial], _ spectra: ResonatorSpectra) -> Fitted? {
    var best: Fitted?
    for start in starts {
      let scales = start.modes.map { max(abs($0.gain), 1e-300) }
      let parameters =
        [1e3 * start.delay]
        + zip(start.modes, scales).flatMap { mode, scale in
          [log(mode.frequency), log(mode.q), mode.gain / scale]
        }
      let found = minimum(from: parameters, scales: scales, spectra, tolerance: 1e-3)
      if let found, found.sum < best?.sum ?? .infinity { best = found }
    }
    return best.flatMap {
      minimum(from: $0.parameters, scales: $0.scales, spectra, tolerance: 1e-10)
    }
  }

  private func minimum(
    from parameters: [Double], scales: [Double], _ spectra: ResonatorSpectra, tolerance: Double
  ) -> Fitted? {
    leastSquares(spectra, scales: scales).minimum(from: parameters, tolerance: tolerance).map {
      Fitted(
        parameters: $0.parameters, scales: scales, sum: $0.sumOfSquares, covariance: $0.covariance)
    }
  }

  /// The residuals as real and imaginary parts, with the derivatives of `ResonatorFit+LeastSquares`.
  private func leastSquares(_ spectra: ResonatorSpectra, scales: [Double]) -> LevenbergMarquardt {
    let count = spectra.angular.count
    let rows = 2 * count
    return LevenbergMarquardt(residualCount: rows) { request in
      switch request {
      case .residuals(let parameters, let target):
        let delay = 1e-3 * parameters[0]
        let modes = scales.indices.map { ModeTrial(parameters + 1 + 3 * $0, scale: scales[$0]) }
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
        let modes = scales.indices.map { ModeTrial(parameters + 1 + 3 * $0, scale: scales[$0]) }
        var turn = spectra.firstTurn(delay)
        let step = spectra.turnStep(delay)
        for index in 0..<count {
          let angular = spectra.angular[index]
          let common = turn * spectra.drive[index]
          turn = turn * step
          var sum = Complex(0)
          for (number, mode) in modes.enumerated() {
            let (unit, damping, divisor) = mode.value(angular)
            let own = common * unit
            sum = sum + own
            // The residual is measured less model, hence the turned signs.
            store(own * (damping + Complex(2)) / divisor, 1 + 3 * number, index)
            store(own * (Complex(1) - damping / divisor), 2 + 3 * number, index)
            store((-1 / mode.share) * own, 3 + 3 * number, index)
          }
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

    init(_ parameters: UnsafePointer<Double>, scale: Double) {
      angular = 2 * .pi * exp(parameters[0])
      q = exp(parameters[1])
      share = parameters[2] == 0 ? 1e-12 : parameters[2]
      gain = scale * share
    }

    /// The mode's response, with s w0/Q and D, both over w0^2.
    func value(_ angular: Double) -> (response: Complex, damping: Complex, divisor: Complex) {
      let ratio = angular / self.angular
      let damping = Complex(0, ratio / q)
      let divisor = Complex(1 - ratio * ratio, ratio / q)
      return (Complex(-gain * ratio * ratio / q) / divisor, damping, divisor)
    }
  }
}
