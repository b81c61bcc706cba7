// SPDX-License-Identifier: Apache-2.0

public import Devices

/// A device's counter against the host's clock: offset and drift, with bounds that hold.
///
/// Each observation says that an instant lies between two host times, whatever the bus's delays are
/// distributed like; every straight line `host = offset + ticks * slope` that goes through all of them is possible,
/// none other. A slope s is possible exactly if s <= (latest_j - earliest_i) / (x_j - x_i) for all i before j,
/// and >= with the parts changed; offsets follow. The estimate is the middle of what is possible, its
/// standard uncertainty half of the range over sqrt(3). Delays that come near to nothing both ways shrink the
/// range as 1/n; one that always waits for the next frame leaves that frame unknown, divided by the time, in the
/// drift. Saw-tooths do no harm. (Feasible lines: Duda et al. 1987,
/// "Estimating global time in distributed systems".)
///
/// Only the corners of the two hulls are kept, so memory and time stay small over hours. Real oscillators wander:
/// every bound is widened by `slack`, and observations that no line fits begin the model anew.
public struct DeviceClockModel: Sendable {
  /// Nominal ticks a second.
  public let tickRate: Double
  /// Seconds that every bound is widened by, for the wander of both clocks.
  public let slack: Double
  /// Observations since the last break.
  public private(set) var observationCount = 0
  /// How often no line fitted: a device's reset, or a wander above the slack.
  public private(set) var breakCount = 0

  private struct Point: Hashable {
    var x: Double
    var y: Double
  }
  private var origin: (ticks: Int64, time: Double)?
  private var last = -Double.infinity
  /// Corners that lines pass below: the lower hull of the latest times.
  private var upper: [Point] = []
  /// Corners that lines pass above: the upper hull of the earliest times.
  private var lower: [Point] = []

  /// Makes a model without observations; a slack of 5 us is 0.1 ppm of wander over 50 s.
  public init(tickRate: Double, slack: Double = 5e-6) {
    precondition(tickRate > 0 && tickRate.isFinite, "a tick rate of \(tickRate) Hz")
    precondition(slack >= 0 && slack.isFinite, "a slack of \(slack) s")
    self.tickRate = tickRate
    self.slack = slack
  }

  /// Takes an observation; false where the model began anew with it.
  ///
  /// Observations come in the order of their ticks; one before the latest is passed over.
  @discardableResult
  public mutating func note(_ observation: ClockObservation) -> Bool {
    guard observation.earliest.isFinite, observation.latest >= observation.earliest else {
      return true
    }
    if origin == nil { origin = (observation.ticks, observation.earliest) }
    let x = nominal(observation.ticks)
    guard x >= last else { return true }
    last = x
    let time = origin?.time ?? 0
    // The instant is up to `resolution` ticks after the counter's value: that much later on the line, so
    // that much earlier as a bound for the value itself.
    let step = Double(observation.resolution) / tickRate * 1.001
    insert(Point(x: x, y: observation.latest - time + slack), into: &upper, sign: 1)
    insert(Point(x: x, y: observation.earliest - time - step - slack), into: &lower, sign: -1)
    observationCount += 1
    guard slopes != nil, isPossibleAtOnce else {
      restart(with: observation)
      return false
    }
    return true
  }

  /// The device's rate against nominal, with its standard uncertainty; `nil` before two instants.
  ///
  /// The bound that holds for certain is sqrt(3) of the uncertainty to either side.
  public var rate: StreamStatistics.ClockRate? {
    guard let slopes, slopes.upperBound.isFinite, slopes.lowerBound > 0 else { return nil }
    let fastest = (1 / slopes.lowerBound - 1) * 1e6
    let slowest = (1 / slopes.upperBound - 1) * 1e6
    return StreamStatistics.ClockRate(
      ppm: (fastest + slowest) / 2, uncertainty: (fastest - slowest) / 2 / 3.squareRoot(),
      pairCount: observationCount)
  }

  /// The host's time of a counter's value, without wraps, and its standard uncertainty in seconds.
  ///
  /// Good between the observations, and beyond them as far as the drift is known. `nil` before two instants.
  public func hostTime(ofTicks ticks: Int64) -> (time: Double, uncertainty: Double)? {
    guard let slopes, let origin, slopes.upperBound.isFinite, slopes.lowerBound.isFinite else {
      return nil
    }
    let x = nominal(ticks)
    let highest = Self.maximum(slopes) { slope in
      upper.reduce(.infinity) { min($0, $1.y + slope * (x - $1.x)) }
    }
    let lowest = -Self.maximum(slopes) { slope in
      -lower.reduce(-.infinity) { max($0, $1.y + slope * (x - $1.x)) }
    }
    let half = max(0, highest - lowest) / 2
    return (origin.time + (highest + lowest) / 2, half / 3.squareRoot())
  }

  private func nominal(_ ticks: Int64) -> Double {
    guard let origin else { return 0 }
    return Double(ticks - origin.ticks) / tickRate
  }

  /// The slopes that are possible, host seconds a nominal second.
  private var slopes: ClosedRange<Double>? {
    var least = -Double.infinity
    var most = Double.infinity
    for above in upper {
      for below in lower {
        if above.x > below.x { most = min(most, (above.y - below.y) / (above.x - below.x)) }
        if above.x < below.x { least = max(least, (below.y - above.y) / (below.x - above.x)) }
      }
    }
    return least <= most ? least...most : nil
  }

  private var isPossibleAtOnce: Bool {
    guard let above = upper.last, let below = lower.last, above.x == below.x else { return true }
    return above.y >= below.y
  }

  private mutating func restart(with observation: ClockObservation) {
    breakCount += 1
    observationCount = 0
    origin = nil
    last = -.infinity
    upper = []
    lower = []
    note(observation)
  }

  /// Adds a point on the right of a hull: convex from below for `sign` 1, from above for -1.
  private func insert(_ point: Point, into hull: inout [Point], sign: Double) {
    if let end = hull.last, end.x == point.x {
      guard sign * point.y < sign * end.y else { return }
      hull.removeLast()
    }
    while hull.count > 1 {
      let first = hull[hull.count - 2]
      let second = hull[hull.count - 1]
      let turn =
        (second.x - first.x) * (point.y - first.y) - (second.y - first.y) * (point.x - first.x)
      guard sign * turn <= 0 else { break }
      hull.removeLast()
    }
    hull.append(point)
  }

  /// The maximum of a concave function over a range, by golden section to 1e-15 of it.
  private static func maximum(
    _ range: ClosedRange<Double>, of function: (Double) -> Double
  ) -> Double {
    let golden = (5.squareRoot() - 1) / 2
    var low = range.lowerBound
    var high = range.upperBound
    for _ in 0..<80 where high > low {
      let left = high - golden * (high - low)
      let right = low + golden * (high - low)
      if function(left) < function(right) { low = left } else { high = right }
    }
    return max(function(low), function(high))
  }
}
