extension RampSpacing {
  /// A point that a curve may get.
  struct Candidate {
    /// Where it comes from.
    enum Origin {
      /// It is one of the old points.
      case old
      /// It lies 1 ms before a fast change or its end.
      case before
      /// It lies 1 ms behind one or its start.
      case behind
      /// An event starts or ends there.
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
    list = list.enumerated().sorted {
      ($0.element.point.time, $0.offset) < ($1.element.point.time, $1.offset)
    }.map(\.element)
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
