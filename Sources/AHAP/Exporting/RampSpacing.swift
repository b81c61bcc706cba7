// SPDX-License-Identifier: Apache-2.0

/// Replaces the control points of a curve by others at least 1 ms apart that draw the same line as
/// nearly as that allows.
///
/// The new points are chosen among candidates: the old points, times 1 ms before and behind each fast
/// change, and those of events near one, all on the old line. Of the chains of candidates that keep
/// the distance, the one that strays least is taken (dynamic programming over time). How far a line
/// strays within 1 ms of a fast change, which no ramp of 1 ms can follow, counts little; but at the
/// start or the end of an event it counts most. Where ramps have no room a chain is broken, and a new
/// run begins with the value that the old line has there.
struct RampSpacing {
  typealias Point = ParameterCurve.Point

  /// An instant at which an event takes the value of the curve.
  struct Event {
    /// In seconds of the pattern.
    var time: Double
    /// In seconds of the curve.
    var offset: Double
  }

  private struct Step {
    var cost = Double.infinity
    var origin = 0
    var isBreak = false
  }

  static let shortest = AppleExport.shortestRamp
  /// What times may differ by from rounding, in seconds.
  static let slack = 1e-9
  /// How far back a line may begin behind the nearest possible point, in seconds.
  private static let reach = 4e-3
  /// How far the line may stray at an event.
  private static let eventTolerance = 5e-4
  /// What it costs to stray by 1 at an event.
  private static let eventCost = 1000.0
  /// What it costs to break a chain: to stray by as much, or to miss an event, is worse.
  private static let breakCost = 0.3
  /// What it costs to stray by 1 at an old point near a fast change.
  private static let excusedCost = 2e-3

  /// Whether two points are less than 1 ms apart.
  static func isNeeded(for points: [Point]) -> Bool {
    zip(points, points.dropFirst()).contains { $1.time - $0.time < shortest - 3 * slack }
  }

  private let curve: ParameterCurve
  private let candidates: [Candidate]
  let line: ControlLine
  /// The events while the curve may be in force, in the order of time.
  let events: [Event]

  /// Prepares a curve with at least one point, the points in the order of time; all times are in seconds
  /// of the pattern.
  init(_ curve: ParameterCurve, until takeover: Double, sampledAt times: [Double]) {
    self.curve = curve
    let line = ControlLine(Self.withoutHiddenPoints(curve.points))
    let points = line.points
    self.line = line
    events = times.drop { $0 <= curve.time + (points.first?.time ?? 0) }.prefix { $0 < takeover }
      .map { time in
        // On which side of a point it lies is told by times of the pattern: a difference is rounded.
        let count = line.count { curve.time + $0 <= time }
        let (low, offset) = (points[max(count - 1, 0)].time, max(time - curve.time, 0))
        let high = count < points.count ? max(points[count].time.nextDown, low) : .infinity
        return Event(time: time, offset: min(max(offset, low), high))
      }
    candidates = Self.candidates(of: curve, line: line, events: events)
  }

  /// Of more than two points at one time only the first and the last show; at the start only the last.
  private static func withoutHiddenPoints(_ all: [Point]) -> [Point] {
    var points: [Point] = []
    for point in all {
      let count = points.count
      if let last = points.last, last.time == point.time,
        count == 1 || points[count - 2].time == point.time
      {
        points.removeLast()
      }
      points.append(point)
    }
    return points
  }

  /// Gives points that are 1 ms apart, at least one in each run.
  func runs() -> [CurveRun] {
    var steps = [Step](repeating: Step(), count: candidates.count)
    guard let last = line.points.last, !steps.isEmpty else { return [] }
    steps[0].cost = 0
    for index in candidates.indices.dropFirst() { steps[index] = best(to: index, steps) }
    let goals = candidates.indices.filter {
      candidates[$0].point.time >= last.time && candidates[$0].point.value == last.value
    }
    guard var index = goals.min(by: { steps[$0].cost < steps[$1].cost }) else { return [] }
    var chain = [index]
    // Times so large that they have no room for 1 ms between them leave the last value.
    while index > 0, steps[index].cost < .infinity {
      index = steps[index].origin
      chain.append(index)
    }
    return runs(along: chain.reversed(), steps)
  }

  private func best(to index: Int, _ steps: [Step]) -> Step {
    var best = Step()
    let time = candidates[index].point.time
    let farthest = min(time, candidates[index - 1].point.time) - Self.reach
    var hasOldOne = false
    for origin in stride(from: index - 1, through: 0, by: -1) {
      let start = candidates[origin].point.time
      if hasOldOne && start < farthest { break }
      defer { hasOldOne = hasOldOne || candidates[origin].origin == .old && time - start > 0 }
      if steps[origin].cost < best.cost {
        if time - start >= Self.shortest - Self.slack {
          let cost = steps[origin].cost + cost(from: origin, to: index, candidates[index].point)
          if cost < best.cost { best = Step(cost: cost, origin: origin) }
        }
        if candidates[index].start != nil, steps[origin].cost + Self.breakCost < best.cost {
          let cost = Self.breakCost + steps[origin].cost + breakCost(from: origin, to: index, steps)
          if cost < best.cost { best = Step(cost: cost, origin: origin, isBreak: true) }
        }
      }
      if candidates[origin].isFixed { break }
    }
    return best
  }

  private func breakCost(from origin: Int, to index: Int, _ steps: [Step]) -> Double {
    guard let end = end(from: origin, to: index) else {
      // The run ends at the jump; one that had begun there would have no length.
      return origin > 0 && !steps[origin].isBreak ? 0 : .infinity
    }
    return cost(from: origin, to: index, end)
  }

  /// The last point of a run that is over where a new one begins: there, or behind it if that is less
  /// than 1 ms away; nil if both are at one time.
  private func end(from origin: Int, to index: Int) -> Point? {
    let (first, time) = (candidates[origin].point, candidates[index].point.time)
    guard time > first.time else { return nil }
    let value = line.value(before: time)
    guard time - first.time < Self.shortest - Self.slack else {
      return Point(time: time, value: value)
    }
    let far = first.value + (value - first.value) / (time - first.time) * Self.shortest
    let range = curve.id.range
    return Point(
      time: first.time + Self.shortest,
      value: min(max(far, range.lowerBound), range.upperBound))
  }

  /// How far the straight line from a candidate, through a point, strays up to a candidate from the
  /// old line: the most outside fast changes, a little of the sum at old points near them, very much at
  /// events, plus the area between both, in seconds, which with the taste decides between equals.
  private func cost(from origin: Int, to target: Int, _ second: Point) -> Double {
    let first = candidates[origin].point
    let time = candidates[target].point.time
    let slope = (second.value - first.value) / (second.time - first.time)
    var (worst, excused, missed, area) = (0.0, 0.0, 0.0, 0.0)
    var (lastTime, lastError) = (first.time, 0.0)
    for candidate in candidates[(origin + 1)..<target] where candidate.point.time < time {
      let now = candidate.point.time
      let error = abs(candidate.point.value - first.value - slope * (now - first.time))
      if candidate.origin == .event, error > Self.eventTolerance { missed += error }
      if !candidate.isExcused {
        worst = max(worst, error)
      } else if candidate.origin == .old {
        excused += error
      }
      area += (now - lastTime) * (error + lastError) / 2
      (lastTime, lastError) = (now, error)
    }
    area += (time - lastTime) * lastError / 2
    // Of a ramp before and one behind a jump, that before has the value of the file from there on.
    let taste: Double =
      switch candidates[target].origin {
      case .old: 0
      case .before: 1e-6
      case .behind: 1e-4
      case .event: 1e-3
      }
    return worst + Self.excusedCost * excused + Self.eventCost * missed + area + taste
  }

  private func runs(along chain: [Int], _ steps: [Step]) -> [CurveRun] {
    var runs: [CurveRun] = []
    func add(_ point: Point) {
      guard let run = runs.last else { return }
      runs[runs.count - 1].points.append(
        Point(time: ParameterCurve.tidy(point.time - run.offset), value: point.value))
    }
    for (place, index) in chain.enumerated() {
      let candidate = candidates[index]
      let isFirst = place == 0
      guard isFirst || steps[index].isBreak else {
        add(candidate.point)
        continue
      }
      if !isFirst, let end = end(from: chain[place - 1], to: index) { add(end) }
      runs.append(
        CurveRun(
          start: candidate.start ?? curve.time + candidate.point.time,
          offset: candidate.point.time, points: [Point(time: 0, value: candidate.point.value)]))
    }
    return runs
  }
}

extension RampSpacing {
  struct Candidate {
    enum Origin {
      case old
      /// It lies 1 ms before a fast change or its end.
      case before
      /// It lies 1 ms behind one or its start.
      case behind
      case event
    }

    var point: Point
    var origin: Origin
    /// Whether the line may stray here.
    var isExcused = false
    /// Whether every curve must go through it.
    var isFixed = false
    /// When a new curve that begins here starts, in seconds of the pattern; nil where none may.
    var start: Double?
  }

  /// How finely time is looked into, in seconds.
  private static let grain = 0.25e-3
  /// The most old points that are looked at in a grain of time.
  private static let grainCount = 4
  /// The most events that are looked at in a grain of time.
  private static let eventCount = 16
  /// How far from points that are less than 1 ms apart events are looked at, in seconds.
  private static let eventReach = 4e-3

  /// All candidates by rising time; at one time the old points come first.
  static func candidates(
    of curve: ParameterCurve, line: ControlLine, events: [Event]
  ) -> [Candidate] {
    let points = thinned(line.points)
    var list = oldOnes(points, of: curve, line)
    let first = points.first?.time ?? 0
    func add(_ time: Double, _ origin: Candidate.Origin) {
      guard time > first else { return }
      list.append(
        Candidate(point: Point(time: time, value: line.value(at: time)), origin: origin))
    }
    let changes = ControlLine(points).fastChanges()
    for change in changes {
      add(change.lowerBound - shortest, .before)
      add(change.lowerBound + shortest, .behind)
      add(change.upperBound - shortest, .before)
      add(change.upperBound + shortest, .behind)
    }
    if let last = points.last { add(last.time + shortest, .behind) }
    for event in near(points, events) {
      list.append(
        Candidate(
          point: Point(time: event.offset, value: line.value(at: event.offset)), origin: .event,
          start: event.time))
    }
    list.sort { $0.point.time < $1.point.time }
    excuse(&list, near: changes)
    return list
  }

  /// Of many points in a grain of time the first, the last, the lowest and the highest.
  private static func thinned(_ points: [Point]) -> [Point] {
    var result: [Point] = []
    var index = 0
    while index < points.count {
      let grain = (points[index].time / Self.grain).rounded(.down)
      var end = index + 1
      while end < points.count, (points[end].time / Self.grain).rounded(.down) == grain { end += 1 }
      let group = index..<end
      if group.count > grainCount {
        var kept: Set<Int> = [index, end - 1]
        if let low = group.min(by: { points[$0].value < points[$1].value }) { kept.insert(low) }
        if let high = group.max(by: { points[$0].value < points[$1].value }) { kept.insert(high) }
        result += kept.sorted().map { points[$0] }
      } else {
        result += points[group]
      }
      index = end
    }
    return result
  }

  /// The old points: fixed where both neighbours are 1 ms away, and fit to begin a new curve where the
  /// one before is not.
  private static func oldOnes(
    _ points: [Point], of curve: ParameterCurve, _ line: ControlLine
  ) -> [Candidate] {
    let least = shortest - slack
    return points.indices.map { index in
      let point = points[index]
      let gap = index > 0 ? point.time - points[index - 1].time : .infinity
      let next = index + 1 < points.count ? points[index + 1].time - point.time : .infinity
      let mayBegin = gap < least && line.value(at: point.time) == point.value
      return Candidate(
        point: point, origin: .old, isFixed: gap >= least && next >= least,
        start: mayBegin ? curve.time + point.time : nil)
    }
  }

  /// The events near points that are less than 1 ms apart, one for each time, and not too many.
  private static func near(_ points: [Point], _ events: [Event]) -> [Event] {
    let dense = zip(points, points.dropFirst()).filter { $1.time - $0.time < shortest - slack }
      .map { ($0.time - eventReach)...($1.time + eventReach) }
    var result: [Event] = []
    var next = 0
    for event in events {
      while next < dense.count, dense[next].upperBound < event.offset { next += 1 }
      guard next < dense.count, dense[next].contains(event.offset) else { continue }
      if let last = result.last, last.offset == event.offset { continue }
      if result.count >= eventCount,
        event.offset - result[result.count - eventCount].offset < grain
      {
        continue
      }
      result.append(event)
    }
    return result
  }

  /// Excuses what lies within 1 ms of fast changes.
  private static func excuse(_ list: inout [Candidate], near changes: [ClosedRange<Double>]) {
    var next = 0
    for index in list.indices {
      let time = list[index].point.time
      while next < changes.count, changes[next].upperBound + shortest <= time + slack { next += 1 }
      list[index].isExcused =
        next < changes.count && changes[next].lowerBound - shortest < time - slack
    }
  }
}
