/// A dynamic parameter over time: straight lines between control points.
///
/// After the last point its value holds.
public struct ParameterCurve: Sendable, Hashable {
  /// A control point.
  public struct Point: Sendable, Hashable {
    /// The time in seconds from the curve's own ``ParameterCurve/time``.
    public var time: Double
    /// The value within the range of the curve's ID.
    public var value: Double

    /// Creates a control point.
    public init(time: Double, value: Double) {
      self.time = time
      self.value = value
    }
  }

  /// The most points that are known to be safe on a phone.
  public static let safePointCount = 16

  /// What is changed.
  public var id: DynamicParameterID
  /// The time in seconds from the start of the pattern.
  public var time: Double
  /// The control points in rising order of time.
  public var points: [Point]
  /// The rank among the entries of the pattern: of two at one time the higher one wins.
  public var order: Int
  /// Where the curve stands in its file.
  public var source: SourceMark

  /// Creates a curve.
  public init(
    id: DynamicParameterID, time: Double, points: [Point], order: Int = 0,
    source: SourceMark = SourceMark()
  ) {
    self.id = id
    self.time = time
    self.points = points
    self.order = order
    self.source = source
  }

  /// The time of the last point in seconds from the start of the pattern.
  public var end: Double { time + (points.last?.time ?? 0) }

  /// Tells whether the points look as if counted from the start of the pattern.
  ///
  /// That is so if the first point equals the curve's time, which is not 0, and the last point lies
  /// beyond the end of the pattern by more than a millisecond. A sign, not a proof: Apple's Jump
  /// meets the first half and is right.
  ///
  /// - Parameter patternEnd: The pattern's duration in seconds.
  /// - Returns: Whether both signs are there.
  public func looksAbsolute(patternEnd: Double) -> Bool {
    guard let first = points.first, time != 0, first.time == time else { return false }
    return end > patternEnd + 0.001
  }

  /// Gives the curve whose points, counted from the start of the pattern so far, are counted from
  /// the curve's time.
  public func rebased() -> Self {
    var curve = self
    curve.points = points.map { Point(time: max($0.time - time, 0), value: $0.value) }
    return curve
  }
}
