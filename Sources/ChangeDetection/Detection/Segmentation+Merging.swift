private import Glibc

extension Segmentation {
  /// The deviations that a step must have beside a straight line: where the line alone explains the nights
  /// better than the step alone, and anywhere.
  private static let besideLine = (better: 3.0, worse: 2.0)
  /// Two points could push each other to and fro for ever.
  private static let mostMoves = 50

  /// Takes points away, the least sure first, until every one that remains holds.
  ///
  /// What is taken away or moved changes the neighbours alone, so only they are tested again.
  func merged(_ proposed: [Int], significance: Double) -> [Split] {
    var points = proposed
    var tests = points.indices.map { tested($0, of: points) }
    func testAnew(_ places: ClosedRange<Int>) {
      for at in places where points.indices.contains(at) {
        tests[at] = tested(at, of: points)
      }
    }
    func remove(_ at: Int) {
      points.remove(at: at)
      tests.remove(at: at)
      testAnew(at - 1...at)
    }
    var moves = 0
    while true {
      if let crowded = points.indices.dropFirst().first(where: {
        points[$0] - points[$0 - 1] < fewestNights
      }) {
        let laterIsWeaker = tests[crowded].split.chance > tests[crowded - 1].split.chance
        remove(laterIsWeaker ? crowded : crowded - 1)
        continue
      }
      let failing = points.indices.filter {
        tests[$0].split.chance > significance || !tests[$0].matters
      }
      if let weakest = failing.max(by: { tests[$0].split.chance < tests[$1].split.chance }) {
        remove(weakest)
        continue
      }
      let splits = tests.map(\.split)
      guard moves < Self.mostMoves, let better = surerPlace(points, splits) else { return splits }
      points[better.at] = better.place
      testAnew(better.at - 1...better.at + 1)
      moves += 1
    }
  }

  /// A point's test, and whether its change matters.
  private func tested(_ at: Int, of points: [Int]) -> (split: Split, matters: Bool) {
    let split = test(points[at], in: range(around: at, of: points))
    return (split, isLargeEnough(split, at, of: points))
  }

  /// The first point that has a surer place, and the place; `nil` where all stand well.
  private func surerPlace(_ points: [Int], _ splits: [Split]) -> (at: Int, place: Int)? {
    for at in points.indices {
      let range = range(around: at, of: points)
      let place = settled(points[at], in: range)
      if place != points[at], test(place, in: range).chance < splits[at].chance {
        return (at, place)
      }
    }
    return nil
  }

  /// The nights between the points before and after one.
  func range(around at: Int, of points: [Int]) -> Range<Int> {
    (at == 0 ? 0 : points[at - 1])..<(at == points.count - 1 ? count : points[at + 1])
  }

  /// The medians of the nights compared at a point.
  func levels(around at: Int, of points: [Int]) -> (before: Double, after: Double) {
    let near = neighbourhood(of: points[at], in: range(around: at, of: points))
    return (
      Robust.median(Array(series.values[near.lowerBound..<points[at]])) ?? 0,
      Robust.median(Array(series.values[points[at]..<near.upperBound])) ?? 0
    )
  }

  /// Whether a step matters, and is a step and no drift.
  private func isLargeEnough(_ split: Split, _ at: Int, of points: [Int]) -> Bool {
    let near = neighbourhood(of: points[at], in: range(around: at, of: points))
    let levels = levels(around: at, of: points)
    let measured = hypot(
      uncertainty(near.lowerBound..<points[at]), uncertainty(points[at]..<near.upperBound))
    let bound = minimum.bound(level: levels.before, uncertainty: measured)
    return abs(levels.after - levels.before) >= bound && !isDrift(split, in: near)
  }

  /// Whether a step adds little to what a straight line explains.
  private func isDrift(_ split: Split, in near: Range<Int>) -> Bool {
    let (gain, lineIsBetter) = series.stepBesideLine(at: split.index, in: near)
    let least = noise.innovation * (lineIsBetter ? Self.besideLine.better : Self.besideLine.worse)
    return gain < least * least
  }

  /// The uncertainty from measurement of the median of some nights.
  private func uncertainty(_ nights: Range<Int>) -> Double {
    let squares = uncertainties[nights].reduce(0) { $0 + $1 * $1 }
    let count = Double(nights.count)
    return (squares / count * Double.pi / (2 * count + Double.pi - 2)).squareRoot()
  }
}
