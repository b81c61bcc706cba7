import Units

/// The straight line of delay over time between two clocks: an offset and a drift.
///
/// Weighted least squares of delay = offset + drift frame through points with known uncertainties.
public struct ClockLine: Sendable, Equatable {
  /// One delay, measured at a frame of the clock that counts as true.
  public struct Point: Sendable, Equatable {
    /// The frame at which it was measured.
    public var frame: Double
    /// The delay there, in frames.
    public var delay: Double
    /// One standard deviation of the delay, in frames.
    public var uncertainty: Double

    /// Makes a point.
    public init(frame: Double, delay: Double, uncertainty: Double) {
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
  /// The sum of squared, weighted distances from the line.
  public let chiSquare: Double
  /// How many points there are beyond the two that a line takes.
  public let degreesOfFreedom: Int
  /// The chance that points on a line scatter this much or more; 1 for two points.
  public let probability: Double

  private let centre: Double
  private let middle: Estimate

  /// Fits a line to two points or more.
  ///
  /// With more than two, uncertainties grow by sqrt(chi-square / degrees of freedom) where that is
  /// above 1, so that points that do not lie on a line are not believed too much.
  public init(through points: [Point]) throws(FitError) {
    for (index, point) in points.enumerated() {
      guard point.frame.isFinite, point.delay.isFinite, point.uncertainty.isFinite,
        point.uncertainty > 0
      else { throw .unusablePoint(index: index) }
    }
    guard Set(points.map(\.frame)).count > 1 else {
      throw .tooFewPoints(count: Set(points.map(\.frame)).count)
    }
    let weights = points.map { 1 / ($0.uncertainty * $0.uncertainty) }
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
    self.chiSquare = freedom > 0 ? chiSquare : 0
    degreesOfFreedom = freedom
    probability = Statistics.chiSquareTail(chiSquare, degreesOfFreedom: freedom)
    drift = Estimate(1e6 * slope, uncertainty: 1e6 * growth / spread.squareRoot())
    offset = Estimate(
      middle - slope * centre,
      uncertainty: growth * (1 / total + centre * centre / spread).squareRoot())
  }

  /// The delay of the line at a frame, in frames.
  public func delay(at frame: Double) -> Estimate {
    let distance = frame - centre
    let side = 1e-6 * drift.uncertainty * distance
    return Estimate(
      middle.value + 1e-6 * drift.value * distance,
      uncertainty: (middle.uncertainty * middle.uncertainty + side * side).squareRoot())
  }
}
