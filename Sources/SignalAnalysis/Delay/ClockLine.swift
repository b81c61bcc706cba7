// SPDX-License-Identifier: Apache-2.0

import Units

/// The straight line of delay over time between two clocks: an offset and a drift.
///
/// Weighted least squares of delay = offset + drift frame through points with known uncertainties.
public struct ClockLine: Sendable, Equatable {
  /// One delay, measured at a frame of the clock that counts as true.
  public struct Point: Sendable, Equatable {
    /// The number of the stretch of a `SteppedClockLine`, from 0.
    public var stretch: Int
    /// The frame at which it was measured.
    public var frame: Double
    /// The delay there, in frames.
    public var delay: Double
    /// One standard deviation of the delay, in frames.
    public var uncertainty: Double

    /// Makes a point.
    public init(stretch: Int = 0, frame: Double, delay: Double, uncertainty: Double) {
      self.stretch = stretch
      self.frame = frame
      self.delay = delay
      self.uncertainty = uncertainty
    }
  }

  /// Why no line goes through the points.
  public enum FitError: Error, Equatable, CustomStringConvertible {
    /// Fewer than two points stand at different frames.
    case tooFewPoints(count: Int)
    /// A point is not finite or its uncertainty is not above zero.
    case unusablePoint(index: Int)

    /// One sentence.
    public var description: String {
      switch self {
      case .tooFewPoints(let count):
        "a clock line needs delays at two frames or more, and there are \(count)"
      case .unusablePoint(let index):
        "point \(index) of the clock line is not finite or has no uncertainty above zero"
      }
    }
  }

  /// The delay at frame 0, in frames.
  public let offset: Estimate
  /// How much the delay grows, in parts per million of a frame a frame.
  public let drift: Estimate

  private let centre: Double
  private let middle: Estimate

  /// Fits a line to two points or more.
  ///
  /// With more than two, uncertainties grow by sqrt(chi-square / degrees of freedom) where that is
  /// above 1, so that points that do not lie on a line are not believed too much.
  public init(through points: [Point]) throws(FitError) {
    let weights = try Self.weights(of: points, fewest: 2)
    let total = weights.reduce(0, +)
    // About the weighted centre, offset and slope are independent and nothing cancels.
    let centre = zip(weights, points).reduce(0) { $0 + $1.0 * $1.1.frame } / total
    let middle = zip(weights, points).reduce(0) { $0 + $1.0 * $1.1.delay } / total
    let spread = zip(weights, points).reduce(0) {
      $0 + $1.0 * ($1.1.frame - centre) * ($1.1.frame - centre)
    }
    let slope =
      zip(weights, points).reduce(0) { $0 + $1.0 * ($1.1.frame - centre) * ($1.1.delay - middle) }
      / spread
    let chiSquare = zip(weights, points).reduce(0) {
      let distance = $1.1.delay - middle - slope * ($1.1.frame - centre)
      return $0 + $1.0 * distance * distance
    }
    let freedom = points.count - 2
    let growth = freedom > 0 ? max(1, (chiSquare / Double(freedom)).squareRoot()) : 1
    self.centre = centre
    self.middle = Estimate(middle, uncertainty: growth / total.squareRoot())
    drift = Estimate(1e6 * slope, uncertainty: 1e6 * growth / spread.squareRoot())
    offset = Estimate(
      middle - slope * centre,
      uncertainty: growth * (1 / total + centre * centre / spread).squareRoot())
  }

  /// One over the square of each uncertainty; throws for points at fewer frames than that, or not usable.
  fileprivate static func weights(of points: [Point], fewest: Int) throws(FitError) -> [Double] {
    let unusable = points.firstIndex { point in
      !point.frame.isFinite || !point.delay.isFinite || !point.uncertainty.isFinite
        || point.uncertainty <= 0
    }
    if let unusable { throw .unusablePoint(index: unusable) }
    let frames = Set(points.map(\.frame)).count
    guard frames >= fewest else { throw .tooFewPoints(count: frames) }
    return points.map { 1 / ($0.uncertainty * $0.uncertainty) }
  }

  /// The delay of the line at a frame, in frames.
  public func delay(at frame: Double) -> Estimate {
    let distance = frame - centre
    let side = 1e-6 * drift.uncertainty * distance
    var delay = middle.widened(by: side)
    delay.value += 1e-6 * drift.value * distance
    return delay
  }
}

/// The delay between two clocks that were stopped and started again: one slope, a height for each stretch.
///
/// Weighted least squares of delay = height(stretch) + drift frame, where each start moves the height by an
/// unknown step of a known standard deviation. So a stretch without a point has its neighbours' height, as
/// surely as the steps between are small.
public struct SteppedClockLine: Sendable, Equatable {
  /// One delay, measured in a stretch.
  public typealias Point = ClockLine.Point

  /// How much the delay grows along a stretch, in parts per million of a frame a frame.
  public let drift: Estimate

  private let centre: Double
  private let heights: [Height]

  /// A stretch's delay at the centre, its variance, and its covariance with the slope.
  private struct Height: Sendable, Equatable {
    var value = 0.0
    var variance = 0.0
    var withSlope = 0.0
  }

  /// Fits stretches to two points or more.
  ///
  /// With more than two, uncertainties grow by sqrt(chi-square / degrees of freedom) where that is
  /// above 1. `step` is the standard deviation of the step from a stretch to the next, in frames, above 0;
  /// `likelyDrift` that of the drift about zero before anything was measured, in parts per million, with
  /// which one point is enough. Traps where a point is in none of the stretches. Costs O(points + stretches).
  public init(
    through points: [Point], stretchCount: Int, step: Double, likelyDrift: Double? = nil
  ) throws(ClockLine.FitError) {
    precondition(step > 0 && step.isFinite, "a step of \(step) frames")
    for (index, point) in points.enumerated() {
      precondition(
        (0..<stretchCount).contains(point.stretch),
        "point \(index) is in stretch \(point.stretch) of \(stretchCount)")
    }
    let weights = try ClockLine.weights(of: points, fewest: likelyDrift == nil ? 2 : 1)
    let centre =
      zip(weights, points).reduce(0) { $0 + $1.0 * $1.1.frame } / weights.reduce(0, +)
    // In millions of frames, so that the slope is in parts per million.
    let places = points.map { ($0.frame - centre) * 1e-6 }
    let tie = 1 / (step * step)
    var chain = Tridiagonal(count: stretchCount, tie: tie)
    var slopes = [Double](repeating: 0, count: stretchCount)
    var sums = slopes
    var slopeWeight = likelyDrift.map { 1 / ($0 * $0) } ?? 0
    var slopeSum = 0.0
    for (index, point) in points.enumerated() {
      let (weight, place) = (weights[index], places[index])
      chain.diagonal[point.stretch] += weight
      slopes[point.stretch] += weight * place
      sums[point.stretch] += weight * point.delay
      slopeWeight += weight * place * place
      slopeSum += weight * place * point.delay
    }
    // The heights are eliminated first: what is left is one equation for the slope.
    let (bySlope, bySum) = (chain.solve(slopes), chain.solve(sums))
    let rest = slopeWeight - zip(slopes, bySlope).reduce(0) { $0 + $1.0 * $1.1 }
    guard rest > 0 else { throw .tooFewPoints(count: Set(points.map(\.frame)).count) }
    let slope = (slopeSum - zip(slopes, bySum).reduce(0) { $0 + $1.0 * $1.1 }) / rest
    var heights = zip(bySum, bySlope).map { Height(value: $0 - slope * $1) }
    var chiSquare = 0.0
    for (index, point) in points.enumerated() {
      let distance = point.delay - heights[point.stretch].value - slope * places[index]
      chiSquare += weights[index] * distance * distance
    }
    for (first, second) in zip(heights, heights.dropFirst()) {
      chiSquare += tie * (second.value - first.value) * (second.value - first.value)
    }
    let freedom = points.count - 2
    let growth = freedom > 0 ? max(1, chiSquare / Double(freedom)) : 1
    for (index, own) in chain.inverseDiagonal().enumerated() {
      heights[index].variance = growth * (own + bySlope[index] * bySlope[index] / rest)
      heights[index].withSlope = -growth * bySlope[index] / rest
    }
    drift = Estimate(slope, uncertainty: (growth / rest).squareRoot())
    self.centre = centre
    self.heights = heights
  }

  /// How many stretches there are.
  public var stretchCount: Int { heights.count }

  /// The delay of a stretch at a frame, in frames.
  public func delay(at frame: Double, stretch: Int) -> Estimate {
    let place = (frame - centre) * 1e-6
    let height = heights[stretch]
    let side = drift.uncertainty * place
    let variance = height.variance + 2 * place * height.withSlope + side * side
    return Estimate(height.value + place * drift.value, uncertainty: max(0, variance).squareRoot())
  }

  /// The root mean square of the steps from each stretch to the next, in frames; `nil` for one stretch.
  public var typicalStep: Double? {
    guard heights.count > 1 else { return nil }
    let squares = zip(heights, heights.dropFirst()).reduce(0) {
      $0 + ($1.1.value - $1.0.value) * ($1.1.value - $1.0.value)
    }
    return (squares / Double(heights.count - 1)).squareRoot()
  }
}

/// A symmetric matrix in which each row is tied to its neighbours by the same weight.
private struct Tridiagonal {
  var diagonal: [Double]
  private let tie: Double

  init(count: Int, tie: Double) {
    self.tie = tie
    diagonal = (0..<count).map { index in
      (index > 0 ? tie : 0) + (index < count - 1 ? tie : 0)
    }
  }

  /// The pivots of the elimination from the first row on.
  private func pivots(_ diagonal: [Double]) -> [Double] {
    diagonal.reduce(into: []) { pivots, value in
      pivots.append(pivots.last.map { value - tie * tie / $0 } ?? value)
    }
  }

  func solve(_ sums: [Double]) -> [Double] {
    let pivots = pivots(diagonal)
    var solution = sums
    for index in solution.indices.dropFirst() {
      solution[index] += tie / pivots[index - 1] * solution[index - 1]
    }
    for index in solution.indices.reversed() {
      let after = index + 1 < solution.count ? tie * solution[index + 1] : 0
      solution[index] = (solution[index] + after) / pivots[index]
    }
    return solution
  }

  /// The diagonal of the inverse: from the pivots of the elimination from either end.
  func inverseDiagonal() -> [Double] {
    let down = pivots(diagonal)
    let up: [Double] = pivots(diagonal.reversed()).reversed()
    return diagonal.indices.map { 1 / (down[$0] + up[$0] - diagonal[$0]) }
  }
}
