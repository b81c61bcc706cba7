// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// One dynamic parameter over the whole pattern: linear pieces, each holding until the next begins.
///
/// Built from steps and curves by one rule: the newest wins. A step begins at its time, a curve at its
/// first control point; what begins takes over from whatever was in force, and of two that begin
/// together the later in the file. Before the first the parameter is neutral; after a curve's last
/// point it holds.
public struct ControlTrack: Sendable, Equatable {
  /// One piece, in force from its start to the next piece's.
  public struct Piece: Sendable, Equatable {
    /// When it begins, in seconds of the pattern.
    public let start: Double
    /// The value at its start.
    public let value: Double
    /// How the value grows, per second.
    public let slope: Double
  }

  /// A step or a curve before they are put together.
  public struct Source: Sendable {
    /// Times in seconds of the pattern and values, by rising time; one point for a step.
    public let points: [(time: Double, value: Double)]
    /// The place in the file: of two that begin together the higher wins.
    public let order: Int

    /// Makes a source; a source needs a point.
    public init(points: [(time: Double, value: Double)], order: Int) {
      precondition(!points.isEmpty, "a control source needs a point")
      self.points = points
      self.order = order
    }
  }

  /// The value before the first piece.
  public let neutral: Double
  /// The pieces by rising start.
  public let pieces: [Piece]

  /// Puts sources together, their values limited to a range, in n log n of their points.
  public init(neutral: Double, range: ClosedRange<Double>, sources: [Source]) {
    self.neutral = neutral
    let ordered = sources.sorted {
      $0.points[0].time != $1.points[0].time
        ? $0.points[0].time < $1.points[0].time : $0.order < $1.order
    }
    var pieces: [Piece] = []
    for (index, source) in ordered.enumerated() {
      let end = index + 1 < ordered.count ? ordered[index + 1].points[0].time : .infinity
      Self.append(source, until: end, range: range, to: &pieces)
    }
    self.pieces = pieces
  }

  private static func append(
    _ source: Source, until end: Double, range: ClosedRange<Double>, to pieces: inout [Piece]
  ) {
    let points = source.points
    for index in points.indices {
      let (time, raw) = points[index]
      guard time < end else { return }
      let value = min(max(raw, range.lowerBound), range.upperBound)
      var slope = 0.0
      if index + 1 < points.count, points[index + 1].time > time {
        let next = min(max(points[index + 1].value, range.lowerBound), range.upperBound)
        // A ramp of less than a nanosecond is a jump: its slope would be beyond what can be held.
        let length = points[index + 1].time - time
        slope = length >= 1e-9 ? (next - value) / length : 0
      }
      // A later point at the same time is a jump: it replaces the piece that had no length.
      if let last = pieces.last, last.start >= time { pieces.removeLast() }
      pieces.append(Piece(start: time, value: value, slope: slope))
    }
  }

  /// The value at a time in seconds of the pattern; logarithmic in the number of pieces.
  public func value(at time: Double) -> Double {
    let place = place(at: time)
    guard place > 0 else { return neutral }
    let piece = pieces[place - 1]
    return piece.value + piece.slope * (time - piece.start)
  }

  /// How many pieces have begun at a time.
  func place(at time: Double) -> Int { pieces.leadingCount { $0.start <= time } }

  /// Whether the parameter is neutral throughout.
  public var isNeutral: Bool { pieces.allSatisfy { $0.value == neutral && $0.slope == 0 } }
}

extension ControlTrack {
  /// How many seconds a sound file of some seconds plays that begins at a time of the pattern at the speed
  /// 2^pitch, its pitch in octaves moved by this control.
  ///
  /// The file is over when the integral of 2^p reaches its length, p the sum of both held to -1...1:
  /// over a line p = a + b t that integral is (2^(a + b t) - 2^a) / (b ln 2).
  func time(toPlay length: Double, from start: Double, pitch: Double) -> Double {
    guard length > 0 else { return 0 }
    guard !isNeutral else { return length / exp2(min(1, max(-1, pitch))) }
    var left = length
    // At the lowest pitch a file takes twice its length, never more.
    for line in lines(from: start, to: start + 2 * length) {
      let sum = Line(
        start: line.start, end: line.end, value: pitch + line.value, slope: line.slope)
      for part in sum.limited(to: -1...1) {
        let speed = exp2(part.value)
        let rate = part.slope * M_LN2
        let seconds = part.end - part.start
        let played = rate == 0 ? speed * seconds : speed * expm1(rate * seconds) / rate
        if played >= left {
          let rest = rate == 0 ? left / speed : log1p(left * rate / speed) / rate
          return part.start - start + rest
        }
        left -= played
      }
    }
    return 2 * length
  }
}

/// The dynamic parameters of a pattern, each over the whole of it.
public struct Controls: Sendable, Equatable {
  /// Multiplies the intensity of haptic events.
  public var intensity = ControlTrack.unity
  /// Adds to the sharpness of haptic events.
  public var sharpness = ControlTrack.zero
  /// Multiplies the volume of sounds.
  public var volume = ControlTrack.unity
  /// Adds to the pan of sounds.
  public var pan = ControlTrack.zero
  /// Adds to the pitch of sounds.
  public var pitch = ControlTrack.zero
  /// Adds to the brightness of sounds.
  public var brightness = ControlTrack.zero
}

extension ControlTrack {
  /// 1 throughout: neutral for what multiplies.
  public static var unity: ControlTrack { ControlTrack(neutral: 1, range: 0...1, sources: []) }
  /// 0 throughout: neutral for what adds.
  public static var zero: ControlTrack { ControlTrack(neutral: 0, range: -1...1, sources: []) }
}

/// A straight line over a stretch of time, in seconds of the pattern; it holds from start to before end.
struct Line {
  let start: Double
  /// Infinite for what holds for ever.
  let end: Double
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
