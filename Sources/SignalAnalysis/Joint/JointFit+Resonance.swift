extension JointFit {
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

  /// What the resonance that all share adds to the normal equations.
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
