private import Glibc

/// A stretch of one event's intent in exact form: what it asks for as polynomials of time.
///
/// Times are seconds of the pattern. At a time t of start..<end the event asks for the intensity
/// `intensity.value(at: t - start)`, for the sharpness `sharpness.value(at: t - start)`, both 0...1 up
/// to rounding, and for the share `weight.value(at: t)` of the amplitude. So any integral over the
/// stretch can be worked out without sampling.
public struct IntentSegment: Sendable, Equatable {
  /// constant + linear x + square x^2.
  public struct Polynomial: Sendable, Equatable {
    /// The value at 0.
    public let constant: Double
    /// The slope at 0, per second.
    public let linear: Double
    /// Half the curvature, per second squared.
    public let square: Double

    /// The value at an age in seconds from the segment's start.
    public func value(at age: Double) -> Double { constant + age * (linear + age * square) }
  }

  /// The shape of a tap, or what it leaves of a vibration: base + swing (1 + cos(pi (t - origin) / length)) / 2.
  ///
  /// A tap has base 0 and swing 1, a vibration base 1 and swing 0, one under a tap that ducks it to d
  /// base 1 and swing d - 1.
  public struct Weight: Sendable, Equatable {
    /// The share where the cosine is at its lowest.
    public let base: Double
    /// What the raised cosine adds at its highest.
    public let swing: Double
    /// Where the cosine begins, in seconds of the pattern.
    public let origin: Double
    /// Half a period of the cosine, in seconds.
    public let length: Double

    /// The share of the amplitude at a time in seconds of the pattern.
    public func value(at time: Double) -> Double {
      swing == 0 ? base : base + swing * (0.5 * (1 + cos(.pi * (time - origin) / length)))
    }
  }

  /// Where it begins, in seconds of the pattern.
  public let start: Double
  /// Where the next begins, or the event ends, in seconds of the pattern.
  public let end: Double
  /// The intensity: of degree 2 at most, a line of the control times a line of the envelope.
  public let intensity: Polynomial
  /// The sharpness: of degree 1 at most.
  public let sharpness: Polynomial
  /// The share of the amplitude that the tap's shape, or ducking, leaves.
  public let weight: Weight
}

extension Intent {
  /// What one haptic event asks for, in exact form: segments in order, without a gap, from the event's
  /// start to before its end.
  ///
  /// A segment ends wherever a control, the envelope, a limit at 0 or 1 or a ducking tap makes a bend.
  /// Agrees with `intensity(of:at:)`, `sharpness(of:at:)` and `weight(of:at:)`. Sounds, and events
  /// without a length, have none. Cost: n log n in the bends inside the event.
  public func segments(of event: TimelineEvent) -> [IntentSegment] {
    guard event.kind.isHaptic, event.end > event.start else { return [] }
    return event.kind == .transient ? [tap(event)] : vibration(event)
  }

  private func tap(_ event: TimelineEvent) -> IntentSegment {
    func steady(_ value: Double) -> IntentSegment.Polynomial {
      IntentSegment.Polynomial(constant: value, linear: 0, square: 0)
    }
    return IntentSegment(
      start: event.start, end: event.end,
      intensity: steady(intensity(of: event, at: event.start)),
      sharpness: steady(sharpness(of: event, at: event.start)),
      weight: IntentSegment.Weight(
        base: 0, swing: 1, origin: event.start, length: transientShape.length))
  }

  private func vibration(_ event: TimelineEvent) -> [IntentSegment] {
    let (start, end) = (event.start, event.end)
    let levels = timeline.controls.intensity.lines(from: start, to: end).flatMap { line in
      Line(
        start: line.start, end: line.end, value: event.intensity * line.value,
        slope: event.intensity * line.slope
      ).limited(to: 0...1)
    }
    let sharpnesses = timeline.controls.sharpness.lines(from: start, to: end).flatMap { line in
      Line(
        start: line.start, end: line.end, value: event.sharpness + line.value, slope: line.slope
      ).limited(to: 0...1)
    }
    let gains = event.envelope.lines(from: start)
    let weights = weights(from: start, to: end)
    var cuts = levels.map(\.start) + sharpnesses.map(\.start)
    cuts += gains.map(\.start)
    cuts += weights.map(\.start)
    cuts.sort()
    var segments: [IntentSegment] = []
    var (level, sharpness, gain, weight) = (0, 0, 0, 0)
    for (index, from) in cuts.enumerated() {
      let to = index + 1 < cuts.count ? cuts[index + 1] : end
      guard to > from else { continue }
      while level + 1 < levels.count, levels[level].end <= from { level += 1 }
      while sharpness + 1 < sharpnesses.count, sharpnesses[sharpness].end <= from { sharpness += 1 }
      while gain + 1 < gains.count, gains[gain].end <= from { gain += 1 }
      while weight + 1 < weights.count, weights[weight + 1].start <= from { weight += 1 }
      let (own, share) = (levels[level], gains[gain])
      let (a, b) = (own.value(at: from), share.value(at: from))
      segments.append(
        IntentSegment(
          start: from, end: to,
          intensity: IntentSegment.Polynomial(
            constant: a * b, linear: a * share.slope + b * own.slope,
            square: own.slope * share.slope),
          sharpness: IntentSegment.Polynomial(
            constant: sharpnesses[sharpness].value(at: from), linear: sharpnesses[sharpness].slope,
            square: 0),
          weight: weights[weight].weight))
    }
    return segments
  }

  /// What ducking leaves of a vibration, from each start to the next.
  private func weights(
    from start: Double, to end: Double
  ) -> [(start: Double, weight: IntentSegment.Weight)] {
    let length = transientShape.length
    let whole = IntentSegment.Weight(base: 1, swing: 0, origin: start, length: length)
    var weights = [(start, whole)]
    // The tap that may sound already, and then each that begins.
    var place = max(0, duckingTaps(begunAt: start) - 1)
    while place < duckingStarts.count, duckingStarts[place] < end {
      let tap = duckingStarts[place]
      let next = place + 1 < duckingStarts.count ? duckingStarts[place + 1] : .infinity
      place += 1
      guard tap + length > start, next > start else { continue }
      let ducked = IntentSegment.Weight(
        base: 1, swing: mixingLaw.ducking - 1, origin: tap, length: length)
      weights.append((max(start, tap), ducked))
      if tap + length < min(next, end) { weights.append((tap + length, whole)) }
    }
    return weights
  }
}
