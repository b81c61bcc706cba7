// SPDX-License-Identifier: Apache-2.0

private import Glibc
import SignalAnalysis
import Units

/// Resonance, Q, gain and delay as they are when the actuator hardly moves.
///
/// Each number is regressed on the square of the drive level, which the square of the response follows,
/// and read at zero: what springs and magnets do is even in the displacement. The levels above half of
/// the highest are left out of the straight line; how far a parabola through all of them differs at
/// zero is a contribution to the uncertainty, as is what the model leaves over at the smallest level.
struct SmallSignalLimit: Sendable {
  let frequency: Estimate
  let q: Estimate
  /// The gain at resonance, in m/s2 per volt; negative for turned polarity.
  let gain: Estimate
  let delay: Estimate
  /// What the model leaves over beyond noise, as a share, at the weakest levels.
  let misfit: Double
  /// The segment whose sweep stands furthest from the line, and by how many standard deviations.
  let outlier: (segment: Int, sigmas: Double)?

  /// How much two modes damp each other, 0 for one: the mean of the weakest sweeps.
  let coupling: Estimate

  /// From how many times the Q of the other mode on a mode is the fixture's.
  private static let ringing = 2.0

  /// Whether a mode rings so much longer than another that it is a part of the fixture: actuators do not.
  func isFixture(beside other: SmallSignalLimit) -> Bool {
    q.value > Self.ringing * other.q.value
  }

  /// Whether it is the actuator's own rather than another mode: the one that is not the fixture's, or else the
  /// one with the greater gain.
  func isOwn(beside other: SmallSignalLimit) -> Bool {
    if isFixture(beside: other) { return false }
    return other.isFixture(beside: self) || abs(gain.value) > abs(other.gain.value)
  }

  init?(_ sweeps: [SweepReading], mode: Int = 0) {
    guard let highest = sweeps.map(\.level).max(),
      sweeps.allSatisfy({ $0.model.modes.count > mode })
    else { return nil }
    let weak = sweeps.sorted { $0.level < $1.level }
    let smallest = weak.prefix(max(1, weak.count / 2))
    let misfit = Statistics.median(smallest.map { $0.model.quality?.misfit ?? 0 })
    self.misfit = misfit
    let f0 = Regression(sweeps, highest) { $0.model.modes[mode].frequency }
    let q = Regression(sweeps, highest) { $0.model.modes[mode].q }
    let gain = Regression(sweeps, highest) { $0.model.modes[mode].gain }
    let delay = Regression(sweeps, highest) { $0.model.delay }
    let crowding = Self.crowding(smallest[smallest.startIndex].model)
    self.frequency = f0.limit(
      with: misfit / (4 * q.value) * crowding.frequency, relative: true)
    self.q = q.limit(with: misfit * crowding.others, relative: true)
    self.gain = gain.limit(with: misfit / 2 * crowding.others, relative: true)
    coupling = Self.mean(smallest.map(\.model.coupling))
    let own = delay.limit(with: misfit / (8 * .pi * f0.value), relative: false)
    self.delay = Estimate(
      own.value, uncertainty: hypot(own.uncertainty, Self.directionShare(of: weak)))
    outlier = [f0, q, gain].compactMap(\.outlier).max { $0.sigmas < $1.sigmas }
  }

  /// How much more what a model leaves over may move the numbers of a mode that has another beside it.
  ///
  /// Fits of systems whose modes damp each other by models whose modes do not, from half a mean width of
  /// the resonances apart to six: f0 was off by 5 to 30 times misfit / 4 Q, and below two widths f0, Q and
  /// gain by as much as the modes overlap more.
  private static func crowding(_ model: ModalModel) -> (frequency: Double, others: Double) {
    guard model.modes.count == 2 else { return (1, 1) }
    let (a, b) = (model.modes[0], model.modes[1])
    let width = 0.5 * (1 / a.q.value + 1 / b.q.value)
    let apart = abs(log(a.frequency.value / b.frequency.value))
    let overlap = max(1, 2 * width / max(apart, 1e-6))
    return (5 * overlap, overlap * overlap)
  }

  private static func mean(_ values: [Estimate]) -> Estimate {
    let weights = values.map { 1 / max($0.uncertainty * $0.uncertainty, 1e-300) }
    let sum = weights.reduce(0, +)
    guard sum.isFinite, sum < 1e299 else { return Estimate(0, uncertainty: 0) }
    return Estimate(
      zip(values, weights).reduce(0) { $0 + $1.0.value * $1.1 } / sum,
      uncertainty: (1 / sum).squareRoot())
  }

  /// What sweeps up and down disagree by in their delay, beyond noise: an even half width, in seconds.
  private static func directionShare(of sweeps: [SweepReading]) -> Double {
    let pairs = sweeps.compactMap { up -> Estimate? in
      guard up.direction == .up,
        let down = sweeps.first(where: {
          $0.direction == .down && abs($0.level / up.level - 1) < 1e-6
        })
      else { return nil }
      let (a, b) = (up.model.delay, down.model.delay)
      return Estimate(a.value - b.value, uncertainty: hypot(a.uncertainty, b.uncertainty))
    }
    let mean = Estimate.mean(pairs)
    return max(0, abs(mean.value) - mean.uncertainty) / 2 / 3.0.squareRoot()
  }
}

private struct Regression {
  let value: Double
  private let uncertainty: Double
  private let curvature: Double
  let outlier: (segment: Int, sigmas: Double)?

  init(
    _ sweeps: [SweepReading], _ highest: Double, read: (SweepReading) -> Estimate
  ) {
    struct Point {
      let segment: Int
      let x: Double
      let estimate: Estimate
    }
    let points = sweeps.map { sweep in
      let share = sweep.level / highest
      return Point(segment: sweep.segment, x: share * share, estimate: read(sweep))
    }
    // A record cannot be better than single precision and a hundredth of a frame.
    func spread(_ point: Point) -> Double {
      max(point.estimate.uncertainty, 1e-6 * abs(point.estimate.value), 1e-12)
    }
    func fit(_ points: [Point], powers: Int) -> LinearFit? {
      LinearFit(
        rows: points.map { point in (0...powers).map { pow(point.x, Double($0)) } },
        values: points.map(\.estimate.value), uncertainties: points.map(spread))
    }
    let low = points.filter { $0.x <= 0.3 }
    let line = low.count >= 4 ? low : points
    let straight = Set(line.map(\.x)).count >= 2 ? fit(line, powers: 1) : fit(line, powers: 0)
    let bent = Set(points.map(\.x)).count >= 4 ? fit(points, powers: 2) : nil
    let fallback = points.map(\.estimate.value).reduce(0, +) / Double(max(1, points.count))
    let limit = straight?.parameters[0] ?? fallback
    value = limit
    uncertainty = straight?.uncertainty(of: 0) ?? points.map(spread).max() ?? 0
    if straight != nil, let bent {
      let doubt = (uncertainty * uncertainty + bent.covariance[0, 0]).squareRoot()
      curvature = max(0, abs(bent.parameters[0] - value) - doubt) / 3.0.squareRoot()
    } else {
      curvature = 0
    }
    guard let straight, line.count >= 5 else {
      outlier = nil
      return
    }
    // Scatter as the middle of the sweeps has it, so that one bad sweep does not hide itself.
    let slope = straight.parameters.count > 1 ? straight.parameters[1] : 0
    let residuals = line.map { abs($0.estimate.value - limit - slope * $0.x) / spread($0) }
    let usual = max(1, 1.5 * Statistics.median(residuals))
    outlier = zip(line, residuals).map { ($0.segment, $1 / usual) }.max { $0.1 < $1.1 }
      .map { (segment: $0.0, sigmas: $0.1) }
  }

  /// The number at zero with its uncertainty and what the model's misfit may do to it.
  func limit(with misfit: Double, relative: Bool) -> Estimate {
    let own = relative ? misfit * abs(value) : misfit
    return Estimate(
      value,
      uncertainty: (uncertainty * uncertainty + curvature * curvature + own * own).squareRoot())
  }
}
