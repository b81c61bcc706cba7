// SPDX-License-Identifier: Apache-2.0

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

  private mutating func apply(_ change: Change, share: Double, from start: State) {
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

    private mutating func draw(_ stretch: JointFit.Stretch, _ fit: JointFit, _ samples: [Double]) {
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

  /// The normal equations at a state, factored, with what the shared resonance adds.
  struct Equations {
    let factor: BandedMatrix.Factor
    /// How the whole response changes with ln f0 and ln Q, against what is left over; empty where those stand, as
    /// are the next two.
    let forces: [Double]
    /// What gains and delays do to make up for a change of each.
    let answers: [[Double]]
    /// The inverse normal matrix of ln f0 and ln Q once gains and delays have answered.
    let sharedInverse: [[Double]]
  }

  /// A stretch against how the response changes with the gain and the delay of some pieces.
  func projected(_ values: [Double], on places: [Int]) -> [Double] {
    var right = [Double](repeating: 0, count: 2 * places.count)
    for (row, index) in places.enumerated() {
      let piece = pieces[index]
      right[2 * row] = InnerProduct.of(piece.values, from: piece.first, values, from: 0)
      right[2 * row + 1] =
        -gains[index] * InnerProduct.of(piece.slope, from: piece.first, values, from: 0)
    }
    return right
  }

  /// One standard deviation of a delay beforehand: half its reach.
  var delayPrior: Double { reach / 2 }
  /// One standard deviation of a gain beforehand: anything from nothing to ten times as much.
  private static let gainPrior = 10.0

  /// How much neighbouring pieces' delays differ, one standard deviation, in frames.
  private var delayHold: Double { hold * resonance.period / (2 * .pi) }

  func addPrior(to right: inout [Double], variance: Double) {
    for (row, index) in active.enumerated() {
      right[2 * row] -= (gains[index] - 1) * variance / (Self.gainPrior * Self.gainPrior)
      right[2 * row + 1] -= pieces[index].delay * variance / (delayPrior * delayPrior)
    }
    for (row, next) in neighbouringPieces(of: active) {
      let (one, other) = (active[row], active[next])
      let gain = (gains[one] - gains[other]) * variance / (hold * hold)
      right[2 * row] -= gain
      right[2 * next] += gain
      let delay =
        (pieces[one].delay - pieces[other].delay) * variance / (delayHold * delayHold)
      right[2 * row + 1] -= delay
      right[2 * next + 1] += delay
    }
  }

  /// The pieces of one event that follow one another, as places in an order of pieces that holds whole events.
  private func neighbouringPieces(of order: [Int]) -> [(one: Int, next: Int)] {
    var last: [Int: Int] = [:]
    return order.indices.compactMap { place in
      let event = events[order[place]]
      defer { last[event] = place }
      return last[event].map { ($0, place) }
    }
  }

  /// The normal equations of some pieces where gains and delays stand, for noise of a variance a frame.
  func equations(
    _ step: Step, _ samples: [Double], of order: [Int], variance: Double
  ) -> Equations? {
    var normal = BandedMatrix(size: 2 * order.count, bandwidth: 2 * span + 1)
    for row in order.indices { addProducts(of: row, in: order, to: &normal) }
    for row in order.indices {
      normal[2 * row, 2 * row] += variance / (Self.gainPrior * Self.gainPrior)
      normal[2 * row + 1, 2 * row + 1] += variance / (delayPrior * delayPrior)
    }
    for (one, other) in neighbouringPieces(of: order) {
      for (offset, weight) in [
        (0, variance / (hold * hold)), (1, variance / (delayHold * delayHold)),
      ] {
        normal[2 * one + offset, 2 * one + offset] += weight
        normal[2 * other + offset, 2 * other + offset] += weight
        normal[2 * other + offset, 2 * one + offset] -= weight
      }
    }
    guard let factor = normal.factored() else { return nil }
    guard order.count == pieces.count else {
      return Equations(factor: factor, forces: [], answers: [], sharedInverse: [])
    }
    let shared = sharedSlopes(step, samples)
    let answers = shared.projections.map { factor.solve($0) }
    let priors = [resonance.prior.lnF0, resonance.prior.lnQ]
    func element(_ row: Int, _ column: Int) -> Double {
      shared.products[row][column] - InnerProduct.of(shared.projections[row], answers[column])
        + (row == column ? variance / (priors[row] * priors[row]) : 0)
    }
    let (a, b, c) = (element(0, 0), element(0, 1), element(1, 1))
    let determinant = a * c - b * b
    guard determinant > 0 else { return nil }
    return Equations(
      factor: factor, forces: shared.rest, answers: answers,
      sharedInverse: [[c / determinant, -b / determinant], [-b / determinant, a / determinant]])
  }

  private func addProducts(of place: Int, in order: [Int], to normal: inout BandedMatrix) {
    let piece = pieces[order[place]]
    let gain = gains[order[place]]
    for next in place...min(order.count - 1, place + span) {
      let second = pieces[order[next]]
      guard second.first < piece.end, piece.first < second.end else { continue }
      let products = InnerProduct.pairs(piece, second)
      let (row, column) = (2 * next, 2 * place)
      let other = gains[order[next]]
      normal[row, column] += products.valueValue
      normal[row + 1, column] += -other * products.valueSlope
      normal[row + 1, column + 1] += gain * other * products.slopeSlope
      if next > place { normal[row, column + 1] += -gain * products.slopeValue }
    }
  }

  /// Moves the resonance that all waveforms share; they are drawn anew when they are placed.
  mutating func adjust(to target: (lnF0: Double, lnQ: Double)) {
    guard abs(target.lnF0 - moved.lnF0) > 1e-7 || abs(target.lnQ - moved.lnQ) > 1e-6 else { return }
    var factors = ShiftFactors(resonance, from: moved, to: target)
    for index in pieces.indices { pieces[index].filter(factors.of(pieces[index].length)) }
    moved = target
  }

  /// What moves the resonance of a waveform's spectrum, by the lengths of transforms.
  struct ShiftFactors {
    private let ratio: (Double) -> Complex
    private var known: [Int: [Complex]] = [:]

    init(
      _ resonance: Resonance, from old: (lnF0: Double, lnQ: Double),
      to target: (lnF0: Double, lnQ: Double)
    ) {
      let response = resonance.response
      ratio = { frequency in
        let before = response(frequency, old.lnF0, old.lnQ)
        guard before.power > 0 else { return Complex(1) }
        return response(frequency, target.lnF0, target.lnQ) / before
      }
    }

    mutating func of(_ length: Int) -> [Complex] {
      if let factors = known[length] { return factors }
      let factors = (0...(length / 2)).map { ratio(Double($0) / Double(length)) }
      known[length] = factors
      return factors
    }
  }

  struct SharedSlopes {
    /// How the whole response changes with ln f0 and ln Q, against how it does with each gain and delay.
    var projections: [[Double]]
    /// Against each other.
    var products = [[0.0, 0.0], [0.0, 0.0]]
    /// Against what is left over.
    var rest = [0.0, 0.0]
  }

  /// How the whole response changes with ln f0 and ln Q, its spectrum times the slope of ln H, against all else.
  ///
  /// Block by block, each with what rings into it: of a long take the whole would be tens of megabytes.
  func sharedSlopes(_ step: Step, _ samples: [Double]) -> SharedSlopes {
    let (before, after) = (Int(2 * resonance.period), Int(16 * resonance.period))
    let length = FourierTransform.commonLength(atLeast: 8 * (before + after))
    let count = length - before - after
    let tables = resonanceSlopes(length)
    var touching = [[Int]](repeating: [], count: samples.count / count + 1)
    for (index, piece) in pieces.enumerated() {
      let frames = (piece.first..<piece.end).clamped(to: samples.indices)
      guard !frames.isEmpty else { continue }
      for block in (frames.lowerBound / count)...((frames.upperBound - 1) / count) {
        touching[block].append(index)
      }
    }
    var sums = SharedSlopes(
      projections: [[Double]](repeating: [Double](repeating: 0, count: 2 * pieces.count), count: 2))
    plans.with(length) { plan in
      for (block, touching) in touching.enumerated() {
        let frames = (block * count..<(block + 1) * count).clamped(to: samples.indices)
        let seen = (frames.lowerBound - after..<frames.upperBound + before)
        let known = seen.clamped(to: samples.indices)
        let lead = [Double](repeating: 0, count: known.lowerBound - seen.lowerBound)
        let bins = plan.forward((lead + step.model(samples, known)).span)
        let slopes = tables.map { table in
          let change = plan.inverse { product in
            bins.withUnsafeBufferPointer { bins in
              for bin in bins.indices { product[bin] = bins[bin] * table[bin] }
            }
          }
          return (0..<frames.count).map { change[$0 + after] }
        }
        add(slopes, from: frames.lowerBound, touching: touching, rest: step.rest, to: &sums)
      }
    }
    return sums
  }

  private func add(
    _ slopes: [[Double]], from first: Int, touching places: [Int], rest: [Double],
    to sums: inout SharedSlopes
  ) {
    for (row, slope) in slopes.enumerated() {
      for (column, other) in slopes.enumerated() {
        sums.products[row][column] += InnerProduct.of(slope, other)
      }
      sums.rest[row] += InnerProduct.of(slope, from: first, rest, from: 0)
      for index in places {
        let piece = pieces[index]
        sums.projections[row][2 * index] += InnerProduct.of(
          piece.values, from: piece.first, slope, from: first)
        sums.projections[row][2 * index + 1] -=
          gains[index] * InnerProduct.of(piece.slope, from: piece.first, slope, from: first)
      }
    }
  }

  /// How ln H changes with ln f0 and ln Q in each bin of a transform, over its length.
  private func resonanceSlopes(_ length: Int) -> [[Complex]] {
    let (response, now) = (resonance.response, moved)
    let step = 1e-4
    func table(_ lnF0: Double, _ lnQ: Double) -> [Complex] {
      (0...(length / 2)).map { bin in
        let frequency = Double(bin) / Double(length)
        let here = response(frequency, now.lnF0, now.lnQ)
        guard here.power > 0 else { return Complex(0) }
        let up = response(frequency, now.lnF0 + lnF0, now.lnQ + lnQ)
        let down = response(frequency, now.lnF0 - lnF0, now.lnQ - lnQ)
        return 1 / (2 * step * Double(length)) * ((up - down) / here)
      }
    }
    return [table(step, 0), table(0, step)]
  }
}
