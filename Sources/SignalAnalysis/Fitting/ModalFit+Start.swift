// SPDX-License-Identifier: Apache-2.0

private import Glibc

extension ModalFit {
  /// The highest peak with the Q of its half-power width, at the two delays that suit it best.
  func peakStarts(
    _ measured: TransferFunction, _ spectra: ResonatorSpectra, _ believed: ClosedRange<Double>
  ) -> [Trial] {
    let powers = measured.response.map(\.power)
    let inside = powers.indices.filter { believed.contains(measured.frequencies[$0]) }
    guard let top = inside.max(by: { powers[$0] < powers[$1] }) else { return [] }
    let half = powers[top] / 2
    let above = powers[top...].firstIndex { $0 < half } ?? powers.count - 1
    let below = powers[...top].lastIndex { $0 < half } ?? 0
    let frequency = measured.frequencies[top]
    let width = measured.frequencies[above] - measured.frequencies[below] - measured.spacing
    let q = max(1, min(40, frequency / max(width, measured.spacing)))
    let search = search(believed, measured)
    let length = FourierTransform.fastLength(
      atLeast: max(8 * Int((measured.band.upperBound / measured.spacing).rounded(.up)), 64))
    var transform = FourierTransform(length: length)
    return search.hills(spectra, frequency: frequency, q: q, &transform).map {
      Trial(delay: $0.delay, modes: [($0.frequency, $0.q, $0.gain)])
    }
  }

  /// Pairs of modes beside each other where one mode was fitted: what it takes for one may be two.
  func closeStarts(_ spectra: ResonatorSpectra, _ single: Fitted?) -> [Trial] {
    guard let single, let mode = single.modes.first else { return [] }
    let grid = (-6...6).flatMap { step in
      [1, 1.5, 2.5].map { (mode.frequency * exp(0.03 * Double(step)), mode.q * $0) }
    }
    return pairs(of: grid, spectra, delays: [single.delay], leastDistance: 0.05, limit: 3)
  }

  /// Pairs of modes worth trying, the best first.
  ///
  /// On a grid of frequencies, a third of an octave apart, and two Qs, each pair's best real gains for a
  /// delay solve two linear equations; they explain b^T A^-1 b of chi-square. With a single mode at hand,
  /// its own place is a point of the grid too. The inner products are taken over at most 160 frequencies.
  func pairStarts(_ spectra: ResonatorSpectra, around delays: [Double], _ single: Fitted?)
    -> [Trial]
  {
    let singleDelay = single.map { [$0.delay] } ?? []
    return pairs(
      of: grid(spectra, single), spectra, delays: Self.distinct(singleDelay + delays),
      leastDistance: 0.1, limit: 4)
  }

  /// The pairs of a grid that explain most, further apart than a distance in nepers.
  private func pairs(
    of grid: [(frequency: Double, q: Double)], _ spectra: ResonatorSpectra, delays: [Double],
    leastDistance: Double, limit: Int
  ) -> [Trial] {
    let stride = max(1, spectra.angular.count / 160)
    let bins = Array(Swift.stride(from: 0, to: spectra.angular.count, by: stride))
    let columns = grid.map { place in
      bins.map {
        spectra.drive[$0]
          * spectra.resonator(at: spectra.angular[$0], frequency: place.frequency, q: place.q)
      }
    }
    // A common delay turns all columns alike: it leaves their products with each other as they are.
    let products = columns.indices.map { row in
      columns.indices.map { column in
        column <= row ? Self.product(columns[row], columns[column]) : 0
      }
    }
    var found: [(trial: Trial, explained: Double)] = []
    for delay in delays {
      let turned = bins.map {
        spectra.response[$0] * Complex(angle: delay * spectra.angular[$0])
      }
      let right = columns.map { Self.product(turned, $0) }
      var best: [(row: Int, column: Int, gains: (Double, Double), explained: Double)] = []
      for row in grid.indices {
        for column in 0..<row
        where abs(log(grid[row].frequency / grid[column].frequency)) > leastDistance {
          let (a, b, c) = (products[row][row], products[row][column], products[column][column])
          let determinant = a * c - b * b
          guard determinant > 1e-9 * a * c else { continue }
          let (u, v) = (right[row], right[column])
          let gains = ((c * u - b * v) / determinant, (a * v - b * u) / determinant)
          let explained = (c * u * u - 2 * b * u * v + a * v * v) / determinant
          best.append((row, column, gains, explained))
        }
      }
      found += best.sorted { $0.explained > $1.explained }.prefix(3).map { pair in
        let (one, other) = (grid[pair.row], grid[pair.column])
        let trial = Trial(
          delay: delay,
          modes: [
            (one.frequency, one.q, pair.gains.0), (other.frequency, other.q, pair.gains.1),
          ])
        return (trial, pair.explained)
      }
    }
    return found.sorted { $0.explained > $1.explained }.prefix(limit).map(\.trial)
  }

  /// How coupled pairs are looked for: one of them near the single mode or what it was taken for, by factors
  /// of its frequency and Q, the other anywhere, in steps of its logarithm; and delays in seconds, for a single
  /// mode that is none has a wrong one.
  private static let coupledGrid = (
    near: 0.03, steps: 4, qs: [0.5, 0.7, 1, 1.5], anywhere: 0.02, others: [10.0, 20, 50, 120],
    delay: 0.2e-3, delays: 8, kept: 4
  )

  /// A mode that may be one of a coupled pair: its response, and that times j w.
  private struct Candidate {
    let frequency: Double
    let q: Double
    let response: [Complex]
    let slope: [Complex]

    init(_ frequency: Double, _ q: Double, _ spectra: ResonatorSpectra, _ bins: [Int]) {
      (self.frequency, self.q) = (frequency, q)
      response = bins.map {
        spectra.drive[$0] * spectra.resonator(at: spectra.angular[$0], frequency: frequency, q: q)
      }
      // The resonator has 1 / Q in it, the slope has not.
      slope = zip(bins, response).map { Complex(0, q * spectra.angular[$0]) * $1 }
    }
  }

  /// Pairs of modes that damp each other, those first that explain most.
  ///
  /// The best two gains and the coupling of a pair for a delay solve three linear equations. The inner
  /// products are taken over at most 160 frequencies.
  func coupledStarts(
    _ spectra: ResonatorSpectra, around delays: [Double], _ single: Fitted
  ) -> [Trial] {
    guard let mode = single.modes.first else { return [] }
    let grid = Self.coupledGrid
    let stride = max(1, spectra.angular.count / 160)
    let bins = Array(Swift.stride(from: 0, to: spectra.angular.count, by: stride))
    let near = (-grid.steps...grid.steps).flatMap { step in
      grid.qs.map {
        Candidate(mode.frequency * exp(grid.near * Double(step)), mode.q * $0, spectra, bins)
      }
    }
    let first = spectra.angular[0] / (2 * .pi)
    let last = spectra.angular[spectra.angular.count - 1] / (2 * .pi)
    let others = (0...Int(log(last / first) / grid.anywhere)).flatMap { step in
      grid.others.map { Candidate(first * exp(grid.anywhere * Double(step)), $0, spectra, bins) }
    }
    let around = (-grid.delays...grid.delays).map { (delays.first ?? 0) + grid.delay * Double($0) }
    let tried = Self.distinct([single.delay] + delays + around).filter(self.delays.contains)
    let turned = tried.map { delay in
      bins.map { spectra.response[$0] * Complex(angle: delay * spectra.angular[$0]) }
    }
    func right(_ candidates: [Candidate]) -> [[(Double, Double)]] {
      candidates.map { one in
        turned.map { (Self.product($0, one.response), Self.product($0, one.slope)) }
      }
    }
    func own(_ candidates: [Candidate]) -> [(Double, Double, Double)] {
      candidates.map { one in
        (
          Self.product(one.response, one.response), Self.product(one.response, one.slope),
          Self.product(one.slope, one.slope)
        )
      }
    }
    let (rightOfNear, rightOfOthers) = (right(near), right(others))
    let (ownOfNear, ownOfOthers) = (own(near), own(others))
    var found: [(trial: Trial, explained: Double)] = []
    for (row, one) in near.enumerated() {
      for (column, other) in others.enumerated() {
        let (p, q) = (ownOfNear[row], ownOfOthers[column])
        let cross = Self.product(one.response, other.response)
        let slopes = Self.product(one.slope, other.slope)
        // The third column is the difference of the slopes.
        let normal = SymmetricMatrix(
          p.0, cross, p.1 - Self.product(one.response, other.slope), q.0,
          Self.product(other.response, one.slope) - q.1, p.2 - 2 * slopes + q.2)
        guard let inverse = normal.inverse() else { continue }
        var best: (trial: Trial, explained: Double)?
        for (place, delay) in tried.enumerated() {
          let (u, v) = (rightOfNear[row][place], rightOfOthers[column][place])
          let right = (u.0, v.0, u.1 - v.1)
          let values = inverse.times(right)
          let explained = values.0 * right.0 + values.1 * right.1 + values.2 * right.2
          guard explained > best?.explained ?? 0 else { continue }
          let modes = [(one.frequency, one.q, values.0), (other.frequency, other.q, values.1)]
          best = (Trial(delay: delay, modes: modes, coupling: values.2), explained)
        }
        if let best { found.append(best) }
      }
    }
    return found.sorted { $0.explained > $1.explained }.prefix(grid.kept).map(\.trial)
  }

  private func grid(
    _ spectra: ResonatorSpectra, _ single: Fitted?
  ) -> [(frequency: Double, q: Double)] {
    let first = spectra.angular[0] / (2 * .pi)
    let last = spectra.angular[spectra.angular.count - 1] / (2 * .pi)
    let steps = max(2, Int(3 * log2(last / first)))
    let even = (0...steps).flatMap { step in
      let frequency = first * pow(last / first, Double(step) / Double(steps))
      return [(frequency, 4.0), (frequency, 12.0)]
    }
    return (single?.modes.map { ($0.frequency, $0.q) } ?? []) + even
  }

  /// Delays that are at least 0.2 ms apart, in their order.
  private static func distinct(_ delays: [Double]) -> [Double] {
    var kept: [Double] = []
    for delay in delays where kept.allSatisfy({ abs($0 - delay) > 2e-4 }) { kept.append(delay) }
    return kept
  }

  /// The sum of Re(a b*).
  private static func product(_ left: [Complex], _ right: [Complex]) -> Double {
    var sum = 0.0
    for index in left.indices {
      sum += left[index].real * right[index].real + left[index].imaginary * right[index].imaginary
    }
    return sum
  }
}
