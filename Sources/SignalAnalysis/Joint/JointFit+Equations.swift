extension JointFit {
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
}
