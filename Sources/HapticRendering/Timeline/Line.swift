/// A straight line over a stretch of time, in seconds of the pattern; it holds from start to before end.
struct Line {
  let start: Double
  /// Infinite for what holds for ever.
  let end: Double
  /// The value at the start.
  let value: Double
  /// The growth per second.
  let slope: Double

  func value(at time: Double) -> Double { value + slope * (time - start) }

  /// The same values over a part of the stretch.
  func part(from: Double, to: Double) -> Line {
    Line(start: from, end: to, value: value(at: from), slope: slope)
  }

  /// The lines, one after the other, whose values are these held to a range.
  func limited(to range: ClosedRange<Double>) -> [Line] {
    guard slope != 0 else {
      let held = min(max(value, range.lowerBound), range.upperBound)
      return [Line(start: start, end: end, value: held, slope: 0)]
    }
    let crossings = [range.lowerBound, range.upperBound].map { start + ($0 - value) / slope }
    let cuts = [start] + crossings.filter { start < $0 && $0 < end }.sorted() + [end]
    return zip(cuts, cuts.dropFirst()).map { from, to in
      let middle = value(at: to.isFinite ? (from + to) / 2 : from + 1)
      if middle < range.lowerBound {
        return Line(start: from, end: to, value: range.lowerBound, slope: 0)
      }
      if middle > range.upperBound {
        return Line(start: from, end: to, value: range.upperBound, slope: 0)
      }
      return part(from: from, to: to)
    }
  }
}

extension ControlTrack {
  /// The track from one time to another as lines without a gap; linear in the pieces between them.
  func lines(from: Double, to: Double) -> [Line] {
    var lines: [Line] = []
    var time = from
    var next = place(at: from)
    while time < to {
      let end = next < pieces.count ? min(to, pieces[next].start) : to
      if next == 0 {
        lines.append(Line(start: time, end: end, value: neutral, slope: 0))
      } else {
        let piece = pieces[next - 1]
        lines.append(
          Line(start: piece.start, end: end, value: piece.value, slope: piece.slope)
            .part(from: time, to: end))
      }
      time = end
      next += 1
    }
    return lines
  }
}

extension Envelope {
  /// The gain as lines without a gap, for an event that starts at a time of the pattern.
  func lines(from start: Double) -> [Line] {
    var lines: [Line] = []
    // Each end is the sum that the event's end is made of, so that the last is that end to the bit.
    func add(to end: Double, _ slope: Double, _ value: (Double) -> Double) {
      let from = lines.last?.end ?? start
      guard start + end > from else { return }
      lines.append(Line(start: from, end: start + end, value: value(from - start), slope: slope))
    }
    let top = isSustained ? min(attack, duration) : attack
    if attack > 0 { add(to: top, 1 / attack) { $0 / attack } }
    guard isSustained else {
      if decay > 0 { add(to: end, -1 / decay) { 1 - ($0 - attack) / decay } }
      return lines
    }
    add(to: duration, 0) { _ in 1 }
    if release > 0 {
      let level = duration < attack ? duration / attack : 1
      add(to: end, -level / release) { level * (1 - ($0 - duration) / release) }
    }
    return lines
  }
}

extension Array {
  /// How many elements at the front fulfil a condition, which none behind them does; by binary search.
  func leadingCount(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
