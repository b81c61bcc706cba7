extension JointFit {
  /// The normal equations at a state, factored, with what the shared resonance adds.
  struct Equations {
    let factor: BandedMatrix.Factor
    /// How the whole response changes with ln f0 and ln Q, frame by frame.
    let shared: [[Double]]
    /// What gains and delays do to make up for a change of each.
    let answers: [[Double]]
    /// The inverse normal matrix of ln f0 and ln Q once gains and delays have answered.
    let sharedInverse: [[Double]]
  }

  /// A stretch against how the response changes with each gain and delay.
  func projected(_ values: [Double]) -> [Double] {
    var right = [Double](repeating: 0, count: 2 * pieces.count)
    for (index, piece) in pieces.enumerated() {
      right[2 * index] = InnerProduct.of(piece.values, from: piece.first, values, from: 0)
      right[2 * index + 1] =
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
    for index in pieces.indices {
      right[2 * index] -= (gains[index] - 1) * variance / (Self.gainPrior * Self.gainPrior)
      right[2 * index + 1] -= pieces[index].delay * variance / (delayPrior * delayPrior)
    }
    for places in piecesOfEvent {
      for (one, other) in zip(places, places.dropFirst()) {
        let gain = (gains[one] - gains[other]) * variance / (hold * hold)
        right[2 * one] -= gain
        right[2 * other] += gain
        let delay =
          (pieces[one].delay - pieces[other].delay) * variance / (delayHold * delayHold)
        right[2 * one + 1] -= delay
        right[2 * other + 1] += delay
      }
    }
  }

  /// The normal equations where gains and delays stand, for noise of a variance a frame.
  mutating func equations(_ step: Step, variance: Double) -> Equations? {
    var normal = BandedMatrix(size: 2 * pieces.count, bandwidth: 2 * span + 1)
    for index in pieces.indices { addProducts(of: index, to: &normal) }
    for index in pieces.indices {
      normal[2 * index, 2 * index] += variance / (Self.gainPrior * Self.gainPrior)
      normal[2 * index + 1, 2 * index + 1] += variance / (delayPrior * delayPrior)
    }
    for places in piecesOfEvent {
      for (one, other) in zip(places, places.dropFirst()) {
        for (offset, weight) in [
          (0, variance / (hold * hold)), (1, variance / (delayHold * delayHold)),
        ] {
          normal[2 * one + offset, 2 * one + offset] += weight
          normal[2 * other + offset, 2 * other + offset] += weight
          normal[2 * other + offset, 2 * one + offset] -= weight
        }
      }
    }
    guard let factor = normal.factored() else { return nil }
    let shared = sharedSlopes(step.model)
    let projections = shared.map { projected($0) }
    let answers = projections.map { factor.solve($0) }
    let priors = [resonance.prior.lnF0, resonance.prior.lnQ]
    func element(_ row: Int, _ column: Int) -> Double {
      InnerProduct.of(shared[row], shared[column])
        - InnerProduct.of(projections[row], answers[column])
        + (row == column ? variance / (priors[row] * priors[row]) : 0)
    }
    let (a, b, c) = (element(0, 0), element(0, 1), element(1, 1))
    let determinant = a * c - b * b
    guard determinant > 0 else { return nil }
    return Equations(
      factor: factor, shared: shared, answers: answers,
      sharedInverse: [[c / determinant, -b / determinant], [-b / determinant, a / determinant]])
  }

  private func addProducts(of index: Int, to normal: inout BandedMatrix) {
    let piece = pieces[index]
    let gain = gains[index]
    for other in index...min(pieces.count - 1, index + span) {
      let second = pieces[other]
      guard second.first < piece.end, piece.first < second.end else { continue }
      let products = InnerProduct.pairs(piece, second)
      let (row, column) = (2 * other, 2 * index)
      normal[row, column] += products.valueValue
      normal[row + 1, column] += -gains[other] * products.valueSlope
      normal[row + 1, column + 1] += gain * gains[other] * products.slopeSlope
      if other > index { normal[row, column + 1] += -gain * products.slopeValue }
    }
  }
}
