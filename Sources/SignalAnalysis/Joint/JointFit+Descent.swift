extension JointFit {
  private static let mostSteps = 16
  /// No delay moves further in one step, as a share of the resonance's period.
  private static let longestStep = 0.12
  /// No step moves the resonance further: ln f0, ln Q.
  private static let largestAdjustment = (lnF0: 0.02, lnQ: 0.2)

  /// Gauss-Newton from where gains and delays stand.
  mutating func descend(_ samples: [Double]) -> Step {
    var step = Step(self, samples)
    for _ in 0..<Self.mostSteps {
      guard let change = change(step, samples) else { break }
      let start = state
      var share = 1.0
      // Made here and not before the equations: of a long take each is tens of megabytes.
      var next = Step()
      repeat {
        apply(change, share: share, from: start)
        next.draw(self, samples)
        if next.restEnergy <= step.restEnergy * (1 + 1e-9) { break }
        share /= 2
      } while share > 0.1
      guard next.restEnergy < step.restEnergy else {
        restore(start)
        break
      }
      let gained = step.restEnergy - next.restEnergy
      step = next
      if gained < 1e-5 * step.restEnergy || gained < 0.1 * noise * noise { break }
    }
    return step
  }

  private struct Change {
    let parameters: [Double]
    let lnF0: Double
    let lnQ: Double
  }

  private mutating func apply(
    _ change: Change, share: Double,
    from start: (gains: [Double], delays: [Double], moved: (lnF0: Double, lnQ: Double))
  ) {
    func limited(_ value: Double, _ limit: Double) -> Double { max(-limit, min(limit, value)) }
    let longest = Self.longestStep * resonance.period
    let most = Self.largestAdjustment
    adjust(
      to: (
        start.moved.lnF0 + share * limited(change.lnF0, most.lnF0),
        start.moved.lnQ + share * limited(change.lnQ, most.lnQ)
      ))
    for index in pieces.indices {
      gains[index] = start.gains[index] + share * change.parameters[2 * index]
      let delay = start.delays[index] + share * limited(change.parameters[2 * index + 1], longest)
      place(index, at: max(-reach, min(reach, delay)))
    }
  }

  /// What gains, delays and resonance predict, and what they leave over.
  struct Step {
    /// The sum of all waveforms.
    private(set) var model: [Double] = []
    /// What is left over.
    private(set) var rest: [Double] = []
    private(set) var restEnergy = 0.0

    /// One that is not drawn.
    init() {}

    init(_ fit: JointFit, _ samples: [Double]) { draw(fit, samples) }

    /// Draws it anew in the same memory.
    mutating func draw(_ fit: JointFit, _ samples: [Double]) {
      if model.count != samples.count {
        model = [Double](repeating: 0, count: samples.count)
        rest = model
      }
      model.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
      for (index, piece) in fit.pieces.enumerated() {
        InnerProduct.add(fit.gains[index], times: piece.values, from: piece.first, to: &model)
      }
      rest.withUnsafeMutableBufferPointer { rest in
        for frame in rest.indices { rest[frame] = samples[frame] - model[frame] }
      }
      restEnergy = InnerProduct.energy(rest)
    }
  }

  private mutating func change(_ step: Step, _ samples: [Double]) -> Change? {
    let variance = max(
      noise * noise, step.restEnergy / Double(max(1, samples.count - 2 * pieces.count)))
    guard let equations = equations(step, variance: variance) else { return nil }
    var right = projected(step.rest)
    addPrior(to: &right, variance: variance)
    let plain = equations.factor.solve(right)
    let priors = [resonance.prior.lnF0, resonance.prior.lnQ]
    let now = [moved.lnF0, moved.lnQ]
    let forces = equations.shared.indices.map { place in
      InnerProduct.of(equations.shared[place], step.rest)
        - InnerProduct.of(equations.answers[place], right)
        - now[place] * variance / (priors[place] * priors[place])
    }
    let shifts = equations.shared.indices.map { row in
      InnerProduct.of(equations.sharedInverse[row], forces)
    }
    var parameters = plain
    for (place, shift) in shifts.enumerated() {
      for index in parameters.indices {
        parameters[index] -= shift * equations.answers[place][index]
      }
    }
    guard parameters.allSatisfy(\.isFinite), shifts.allSatisfy(\.isFinite) else { return nil }
    return Change(parameters: parameters, lnF0: shifts[0], lnQ: shifts[1])
  }
}
