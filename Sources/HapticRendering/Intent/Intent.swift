// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Perception

/// What a timeline asks for at each instant, exactly, apart from how it is drawn as a waveform.
///
/// Intensity and sharpness are 0...1 before any law; times are seconds of the pattern. At single
/// instants: the functions here, logarithmic in the pattern's control points. As formulas over
/// stretches of time: `segments(of:)`. What a renderer leaves out for want of voices is in the intent
/// all the same.
public struct Intent: Sendable, Equatable {
  /// The pattern.
  public let timeline: Timeline
  /// Sharpness to frequency.
  public let sharpnessLaw: SharpnessLaw
  /// How a transient is drawn: decides how its intensity falls.
  public let transientShape: TransientShape
  /// Where a tap's carrier starts, in turns: 0, or with a profile where its shape says.
  public let tapPhase: Double
  /// How events that sound together mix: decides what taps leave of vibrations.
  public let mixingLaw: MixingLaw
  /// Whether the sharpness control moves transients too.
  public let sharpnessControlMovesTransients: Bool
  /// The starts of the taps that duck, rising; empty where the law ducks nothing.
  let duckingStarts: [Double]

  /// Makes the intent of a timeline under a configuration's laws.
  ///
  /// Cost: where the mixing law ducks, linear in the events; else none.
  public init(timeline: Timeline, configuration: RenderConfiguration) {
    self.timeline = timeline
    sharpnessLaw = configuration.sharpnessLaw
    transientShape = configuration.transientShape
    tapPhase = configuration.tapPhase
    mixingLaw = configuration.mixingLaw
    sharpnessControlMovesTransients = configuration.sharpnessControlMovesTransients
    duckingStarts =
      configuration.mixingLaw.ducking < 1
      ? timeline.events.filter { $0.kind == .transient && Self.level(of: $0, in: timeline) > 0 }
        .map(\.start)
      : []
  }

  /// The intensity that one haptic event asks for at a time in seconds of the pattern, 0...1.
  ///
  /// A transient takes the intensity control at its start; its intensity here is that of its first
  /// moment, held for its length: how the burst falls is `weight(of:at:)`.
  public func intensity(of event: TimelineEvent, at time: Double) -> Double {
    guard event.kind.isHaptic, time >= event.start, time < event.end else { return 0 }
    if event.kind == .transient { return Self.level(of: event, in: timeline) }
    let level = min(1, max(0, event.intensity * timeline.controls.intensity.value(at: time)))
    return level * event.envelope.gain(at: time - event.start)
  }

  /// The sharpness that one haptic event asks for at a time in seconds of the pattern, 0...1.
  public func sharpness(of event: TimelineEvent, at time: Double) -> Double {
    let control = timeline.controls.sharpness
    let offset =
      switch event.kind {
      case .transient: sharpnessControlMovesTransients ? control.value(at: event.start) : 0
      default: control.value(at: time)
      }
    return min(1, max(0, event.sharpness + offset))
  }

  /// The share 0...1 of its amplitude that an event has at a time in seconds of the pattern.
  ///
  /// That of the shape for a transient; for a vibration 1, or what a ducking tap leaves.
  public func weight(of event: TimelineEvent, at time: Double) -> Double {
    switch event.kind {
    case .transient: return transientShape.weight(at: time - event.start)
    case .continuous:
      let begun = duckingTaps(begunAt: time)
      guard begun > 0 else { return 1 }
      let weight = transientShape.weight(at: time - duckingStarts[begun - 1])
      return 1 - (1 - mixingLaw.ducking) * weight
    case .tone, .sound: return 1
    }
  }

  /// The frequency in hertz that one haptic event asks for at a time.
  public func frequency(of event: TimelineEvent, at time: Double) -> Double {
    sharpnessLaw.frequency(of: sharpness(of: event, at: time))
  }

  private static func level(of tap: TimelineEvent, in timeline: Timeline) -> Double {
    min(1, max(0, tap.intensity * timeline.controls.intensity.value(at: tap.start)))
  }

  /// How many of the taps that duck have begun at a time.
  func duckingTaps(begunAt time: Double) -> Int { duckingStarts.leadingCount { $0 <= time } }
}

extension Intent {
  /// One instant of the intent over all events.
  public struct Moment: Sendable, Equatable {
    /// The strongest intensity of any event in force, transients' fall included, 0...1.
    public var intensity: Double
    /// The sharpness of that event, 0...1.
    public var sharpness: Double
  }

  /// The intent at evenly spaced times, for pictures and correlation.
  ///
  /// Times are seconds of the pattern. One moment a column, zero where no event is in force; cost: linear
  /// in columns plus the columns that each event touches.
  public func moments(from start: Double, step: Double, count: Int) -> [Moment] {
    var moments = [Moment](repeating: Moment(intensity: 0, sharpness: 0), count: count)
    for event in timeline.events where event.kind.isHaptic {
      for column in columns(of: event, from: start, step: step, count: count) {
        let time = start + Double(column) * step
        // A short tap that falls between two columns still shows, at its first moment.
        let sampled = max(time, event.start)
        let level = intensity(of: event, at: sampled) * weight(of: event, at: sampled).squareRoot()
        guard level > moments[column].intensity else { continue }
        moments[column] = Moment(
          intensity: level, sharpness: sharpness(of: event, at: sampled))
      }
    }
    return moments
  }

  /// The peak acceleration in m/s2 that the intent asks for at evenly spaced times.
  ///
  /// Times are seconds of the pattern. Events in force together add as the energies of unlike tones do.
  public func acceleration(
    _ target: IntensityTarget, from start: Double, step: Double, count: Int
  ) -> [Double] {
    var squares = [Double](repeating: 0, count: count)
    for event in timeline.events where event.kind.isHaptic {
      for column in columns(of: event, from: start, step: step, count: count) {
        let time = start + Double(column) * step
        guard time >= event.start else { continue }
        let level = target.acceleration(
          intensity: intensity(of: event, at: time), frequency: frequency(of: event, at: time))
        let value = level * weight(of: event, at: time)
        squares[column] += value * value
      }
    }
    return squares.map { $0.squareRoot() }
  }

  private func columns(
    of event: TimelineEvent, from start: Double, step: Double, count: Int
  ) -> Range<Int> {
    // Limited before they become whole: a time in a file may be beyond what an integer holds.
    let columns = Double(count)
    let first = Int(min(columns, max(0, ((event.start - start) / step).rounded(.down))))
    let last = Int(min(columns, max(0, ((event.end - start) / step).rounded(.up))))
    return first..<max(first, last)
  }
}

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
