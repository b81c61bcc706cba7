// SPDX-License-Identifier: Apache-2.0

private import Glibc

extension ModalFit {
  /// Parameters from which the fit goes down.
  ///
  /// A mode's gain here is Q times the constant of its numerator, a in a + b s.
  struct Trial {
    var delay: Double
    var modes: [(frequency: Double, q: Double, gain: Double)]
    /// b, in seconds times a gain.
    var coupling = 0.0
  }

  /// The lowest minimum: all starts walk most of the way, the best of them the rest.
  ///
  /// Modes are taken to be uncoupled unless it is said that they are not. A start that is a minimum
  /// nearly need not be walked from twice.
  func descend(
    _ starts: [Trial], _ spectra: ResonatorSpectra, isCoupled: Bool = false, isNear: Bool = false
  ) -> Fitted? {
    let best = starts.compactMap { start in
      let scales = start.modes.map { max(abs($0.gain), 1e-300) }
      let slopes = zip(start.modes, scales).map { $1 / $0.q / (2 * .pi * $0.frequency) }
      let couplingScale = isCoupled ? slopes.max() : nil
      var parameters = [1e3 * start.delay]
      for (mode, scale) in zip(start.modes, scales) {
        parameters += [log(mode.frequency), log(mode.q), mode.gain / scale]
      }
      if let couplingScale { parameters.append(start.coupling / couplingScale) }
      return minimum(
        from: parameters, scales: scales, couplingScale, spectra,
        tolerance: isNear ? 1e-10 : 1e-3)
    }.min { $0.sum < $1.sum }
    if isNear { return best }
    return best.flatMap {
      minimum(from: $0.parameters, scales: $0.scales, $0.couplingScale, spectra, tolerance: 1e-10)
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

  /// The residuals as real and imaginary parts, with the derivatives that `ResonatorFit` has.
  private func leastSquares(
    _ spectra: ResonatorSpectra, scales: [Double], _ couplingScale: Double?
  ) -> LevenbergMarquardt {
    let count = spectra.angular.count
    let rows = 2 * count
    let last = 1 + 3 * scales.count
    func modes(_ parameters: UnsafePointer<Double>) -> [ModeTrial] {
      let slope = couplingScale.map { $0 * parameters[last] } ?? 0
      return scales.indices.map {
        ModeTrial(parameters + 1 + 3 * $0, scale: scales[$0], slope: $0 == 0 ? slope : -slope)
      }
    }
    return LevenbergMarquardt(residualCount: rows) { parameters, target in
      let delay = 1e-3 * parameters[0]
      let modes = modes(parameters)
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
    } jacobian: { parameters, target in
      func store(_ value: Complex, _ column: Int, _ index: Int) {
        target[column * rows + 2 * index] = value.real
        target[column * rows + 2 * index + 1] = value.imaginary
      }
      let delay = 1e-3 * parameters[0]
      let modes = modes(parameters)
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

  /// A minimum: delay in ms, then ln f0, ln Q and gain over its scale for each mode, and of coupled
  /// modes b over its scale.
  struct Fitted {
    let parameters: [Double]
    let scales: [Double]
    /// Nil where b is held at 0.
    let couplingScale: Double?
    let sum: Double
    /// The inverse of J^T J, row by row.
    let covariance: [Double]

    var delay: Double { 1e-3 * parameters[0] }

    var modes: [(frequency: Double, q: Double, gain: Double)] {
      scales.indices.map { index in
        let first = 1 + 3 * index
        return (
          exp(parameters[first]), exp(parameters[first + 1]),
          scales[index] * parameters[first + 2]
        )
      }
    }

    var trial: Trial { Trial(delay: delay, modes: modes, coupling: slope(parameters)) }

    private func slope(_ parameters: [Double]) -> Double {
      couplingScale.map { $0 * parameters[parameters.count - 1] } ?? 0
    }

    func variance(ofGain index: Int) -> Double {
      let place = 3 + 3 * index
      return scales[index] * scales[index] * max(0, covariance[place * (parameters.count + 1)])
    }

    func reduced(_ spectra: ResonatorSpectra) -> Double {
      sum / max(1, spectra.freedom - Double(parameters.count))
    }

    /// The less, the better it is for what it takes: n ln(max(chi-square / n, 1)) + k ln n.
    func evidence(_ spectra: ResonatorSpectra) -> Double {
      let count = spectra.freedom
      return count * log(max(sum / count, 1)) + Double(parameters.count) * log(count)
    }

    func misfit(_ spectra: ResonatorSpectra) -> Double {
      spectra.misfit(leaving: sum, parameters: parameters.count)
    }

    /// Delay in s, then f0, Q and gain of each mode in the fit's order, then the coupling of two.
    private func physical(_ parameters: [Double]) -> [Double] {
      var found = [1e-3 * parameters[0]]
      let b = slope(parameters)
      for index in scales.indices {
        let (frequency, q) = (exp(parameters[1 + 3 * index]), exp(parameters[2 + 3 * index]))
        let constant = scales[index] * parameters[3 + 3 * index] / q
        let side = index == 0 ? b : -b
        found += [
          frequency, q,
          ModalModel.gain(constant: constant, slope: side, frequency: frequency, q: q),
        ]
      }
      if scales.count > 1 { found.append(2 * .pi * (found[1] * found[4]).squareRoot() * b) }
      return found
    }

    func model(_ quality: ResonatorModel.Quality, filter: KnownFilter) -> ModalModel {
      let count = parameters.count
      let growth = max(1, quality.reducedChiSquare)
      let values = physical(parameters)
      let size = values.count
      // The largest gain first.
      let order = scales.indices.sorted { abs(values[3 + 3 * $0]) > abs(values[3 + 3 * $1]) }
      // How delay, ln f0, ln Q, gain and coupling go with the fit's parameters.
      var places: [Int] = [0]
      for index in order { places += [1 + 3 * index, 2 + 3 * index, 3 + 3 * index] }
      if size > places.count { places.append(size - 1) }
      let slopes = (0..<count).map { column -> [Double] in
        let step = 1e-5
        var (above, below) = (parameters, parameters)
        above[column] += step
        below[column] -= step
        let (high, low) = (physical(above), physical(below))
        return places.map { place in
          let slope = (high[place] - low[place]) / (2 * step)
          let isLogarithm = place > 0 && place < 1 + 3 * scales.count && place % 3 != 0
          return isLogarithm ? slope / values[place] : slope
        }
      }
      // The second mode has the other side of the coupling.
      let side: Double = order[0] == 0 ? 1 : -1
      func sigma(_ place: Int) -> Double {
        var sum = 0.0
        for i in 0..<count {
          for j in 0..<count {
            sum += slopes[i][place] * covariance[i * count + j] * slopes[j][place]
          }
        }
        return max(0, growth * sum).squareRoot()
      }
      let found = order.enumerated().map { rank, index in
        let (frequency, q) = (values[1 + 3 * index], values[2 + 3 * index])
        return ModalModel.Mode(
          frequency: Estimate(frequency, uncertainty: frequency * sigma(1 + 3 * rank)),
          q: Estimate(q, uncertainty: q * sigma(2 + 3 * rank)),
          gain: Estimate(values[3 + 3 * index], uncertainty: sigma(3 + 3 * rank)))
      }
      let coupling =
        scales.count > 1
        ? Estimate(side * values[size - 1], uncertainty: sigma(size - 1))
        : Estimate(0, uncertainty: 0)
      return ModalModel(
        delay: Estimate(values[0], uncertainty: sigma(0)), modes: found, coupling: coupling,
        knownFilter: filter, quality: quality)
    }
  }
}
