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

    init(delay: Double, modes: [(frequency: Double, q: Double, gain: Double)]) {
      self.delay = delay
      self.modes = modes
    }

    /// Begins where a fit ended before, with its strongest modes.
    init(_ model: ModalModel, modes count: Int) {
      delay = model.delay.value
      modes = model.modes.indices.prefix(count).map { index in
        let mode = model.modes[index]
        let constant = model.numerator(of: index).constant
        return (mode.frequency.value, mode.q.value, mode.q.value * constant)
      }
      coupling = count > 1 ? model.numerator(of: 0).slope : 0
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

    var modes: [(frequency: Double, q: Double, gain: Double)] {
      scales.indices.map { index in
        let first = 1 + 3 * index
        return (
          exp(parameters[first]), exp(parameters[first + 1]),
          scales[index] * parameters[first + 2]
        )
      }
    }

    /// The same parameters as a start.
    var trial: Trial {
      var trial = Trial(delay: 1e-3 * parameters[0], modes: modes)
      trial.coupling = slope(parameters)
      return trial
    }

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

    /// The rms of what is left over beyond the noise, over that of the response beyond the noise.
    func misfit(_ spectra: ResonatorSpectra) -> Double {
      let freedom = max(1, spectra.freedom - Double(parameters.count))
      return (max(0, sum - freedom) / max(spectra.energy - freedom, 1)).squareRoot()
    }

    /// The largest gain first.
    private var order: [Int] {
      let gains = scales.indices.map { abs(physical(parameters)[3 + 3 * $0]) }
      return scales.indices.sorted { gains[$0] > gains[$1] }
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
      let order = order
      let values = physical(parameters)
      let size = values.count
      // From the fit's parameters to delay, ln f0, ln Q, gain and coupling, the largest gain first.
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
      var turned = [Double](repeating: 0, count: size * size)
      for row in 0..<size {
        for column in 0..<size {
          var sum = 0.0
          for i in 0..<count {
            for j in 0..<count {
              sum += slopes[i][row] * covariance[i * count + j] * slopes[j][column]
            }
          }
          let sign = (row == 3 * scales.count + 1) == (column == 3 * scales.count + 1) ? 1 : side
          turned[row * size + column] = growth * sign * sum
        }
      }
      func sigma(_ place: Int) -> Double { max(0, turned[place * (size + 1)]).squareRoot() }
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
        knownFilter: filter, covariance: turned, quality: quality)
    }
  }
}
