extension JointFit {
  private static let mostSteps = 16
  /// No delay moves further in one step, as a share of the resonance's period.
  private static let longestStep = 0.12
  /// No step moves the resonance further: ln f0, ln Q.
  private static let largestAdjustment = (lnF0: 0.02, lnQ: 0.2)

  /// Gauss-Newton from where gains and delays stand, which `step` has drawn.
  mutating func descend(_ step: inout Step, _ samples: [Double]) {
    var next = Step()
    for _ in 0..<Self.mostSteps {
      guard let change = change(step, samples) else { break }
      let start = state
      var share = 1.0
      // Made here and not before the equations: of a long take each is tens of megabytes.
      if !isWhole, next.rest.isEmpty { next = step }
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
      swap(&step, &next)
      if isWhole { next = Step() }
      if gained < 1e-5 * step.restEnergy || gained < 0.1 * noise * noise { break }
    }
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
    for (row, index) in active.enumerated() {
      gains[index] = start.gains[index] + share * change.parameters[2 * row]
      let delay = start.delays[index] + share * limited(change.parameters[2 * row + 1], longest)
      place(index, at: max(-reach, min(reach, delay)))
    }
  }

  /// What gains, delays and resonance leave over.
  struct Step {
    /// Frame by frame; what is predicted is the samples less this.
    var rest: [Double] = []
    private(set) var restEnergy = 0.0

    /// One that is not drawn.
    init() {}

    init(_ fit: JointFit, _ samples: [Double]) {
      rest = samples
      let all = JointFit.Stretch(frames: samples.indices, pieces: Array(fit.pieces.indices))
      draw(all, fit, samples)
    }

    /// Draws what may have changed anew, in the same memory.
    mutating func draw(_ fit: JointFit, _ samples: [Double]) {
      if rest.isEmpty {
        self = Step(fit, samples)
      } else {
        for stretch in fit.stretches { draw(stretch, fit, samples) }
      }
    }

    private mutating func draw(
      _ stretch: JointFit.Stretch, _ fit: JointFit, _ samples: [Double]
    ) {
      let frames = stretch.frames.clamped(to: samples.indices)
      let before = InnerProduct.energy(rest, in: frames)
      rest.withUnsafeMutableBufferPointer { rest in
        samples.withUnsafeBufferPointer { samples in
          for frame in frames { rest[frame] = samples[frame] }
        }
      }
      for place in stretch.pieces {
        let piece = fit.pieces[place]
        InnerProduct.add(
          -fit.gains[place], times: piece.values, from: piece.first, to: &rest, within: frames)
      }
      let now = InnerProduct.energy(rest, in: frames)
      restEnergy = frames == rest.indices ? now : restEnergy + now - before
    }

    /// What is predicted of some frames of the samples.
    func model(_ samples: [Double], _ frames: Range<Int>) -> [Double] {
      frames.map { samples[$0] - rest[$0] }
    }
  }

  private mutating func change(_ step: Step, _ samples: [Double]) -> Change? {
    let variance = max(
      noise * noise, step.restEnergy / Double(max(1, samples.count - 2 * pieces.count)))
    guard let equations = equations(step, samples, of: active, variance: variance) else {
      return nil
    }
    var right = projected(step.rest, on: active)
    addPrior(to: &right, variance: variance)
    let plain = equations.factor.solve(right)
    let priors = [resonance.prior.lnF0, resonance.prior.lnQ]
    let now = [moved.lnF0, moved.lnQ]
    let forces = equations.forces.indices.map { place in
      equations.forces[place] - InnerProduct.of(equations.answers[place], right)
        - now[place] * variance / (priors[place] * priors[place])
    }
    let shifts = equations.forces.indices.map { row in
      InnerProduct.of(equations.sharedInverse[row], forces)
    }
    var parameters = plain
    for (place, shift) in shifts.enumerated() {
      for index in parameters.indices {
        parameters[index] -= shift * equations.answers[place][index]
      }
    }
    guard parameters.allSatisfy(\.isFinite), shifts.allSatisfy(\.isFinite) else { return nil }
    return Change(parameters: parameters, lnF0: shifts.first ?? 0, lnQ: shifts.last ?? 0)
  }
}
