// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering

/// The continuous haptic events of patterns that play together, as an amplitude and a frequency over
/// time.
///
/// At each instant the strongest event speaks: the amplitude is the square of its intensity, the
/// frequency that of its sharpness. Lines join as few instants as keep both roots within
/// ``tolerance``.
struct ContinuousLayer {
  /// How far an intensity or a sharpness may lie from the root of its line.
  static let tolerance = 1e-2
  /// The shortest line that is looked into, in seconds.
  static let shortest = 2e-3

  /// The amplitude from the first event's start to the last one's end, 0 in between where none plays.
  var amplitude: [LinePoint] = []
  /// The frequency where an event plays.
  private(set) var frequency: [LinePoint] = []

  init(_ intents: [Intent]) {
    var voices: [LayerTracing.Voice] = []
    var corners: Set<Double> = []
    for intent in intents {
      for event in Self.joined(intent.timeline.events) {
        voices.append((event, intent))
        let shape = event.envelope
        for corner in [0, shape.attack, shape.isSustained ? shape.duration : 0, shape.end] {
          corners.insert(event.start + min(corner, shape.end))
        }
      }
    }
    voices.sort { $0.event.start < $1.event.start }
    guard let start = voices.first?.event.start, let end = voices.map(\.event.end).max() else {
      return
    }
    // Each line bends where its own controls do; the other's corners would draw it off its root.
    func times(_ track: KeyPath<Controls, ControlTrack>) -> [Double] {
      let bends = intents.flatMap { $0.timeline.controls[keyPath: track].pieces.map(\.start) }
      return corners.union(bends).filter { start <= $0 && $0 <= end }.sorted()
    }
    amplitude = LayerTracing(voices, .amplitude).line(over: times(\.intensity), silence: 0)
    frequency = LayerTracing(voices, .frequency).line(over: times(\.sharpness), silence: nil)
  }

  /// The continuous events with those that follow each other without a gap, and are alike, as one.
  private static func joined(_ events: [TimelineEvent]) -> [TimelineEvent] {
    var joined: [TimelineEvent] = []
    for event in events where event.kind == .continuous && event.end > event.start {
      guard let last = joined.last, last.envelope.isSustained, event.envelope.isSustained,
        last.envelope.release == 0, event.envelope.attack == 0,
        abs(last.end - event.start) <= 1e-6, last.intensity == event.intensity,
        last.sharpness == event.sharpness
      else {
        joined.append(event)
        continue
      }
      joined[joined.count - 1].envelope = Envelope(
        attack: last.envelope.attack, decay: 0, release: event.envelope.release, isSustained: true,
        duration: event.start + event.envelope.duration - last.start)
    }
    return joined
  }

  /// What two times that are meant to be one may differ by, in seconds.
  private static let rounding = 1e-6

  /// Makes the layer begin at 0 and last to the last tap's end, if that is not over before it.
  mutating func lengthen(by taps: [ClipTap], length: Double) {
    if let last = taps.last, last.time > amplitude.last?.time ?? -1 {
      if let end = amplitude.last, end.value > 0 {
        amplitude.append(LinePoint(time: end.time, value: 0))
      }
      amplitude.append(LinePoint(time: last.time + length, value: 0))
    }
    guard let first = amplitude.first, first.time > 0 || amplitude.count == 1 else { return }
    var silence = [LinePoint(time: 0, value: 0)]
    if first.time > 0, first.value > 0 { silence.append(LinePoint(time: first.time, value: 0)) }
    amplitude = silence + amplitude
  }

  /// The amplitude with a point that stays at each tap.
  ///
  /// `undoesDucking` raises it at each tap to what it was before a conversion lowered it there, and
  /// with it the lines to the points beside.
  func amplitudePoints(for taps: [ClipTap], undoesDucking: Bool) -> [LinePoint] {
    // A ducked line must be raised along its whole length, so its inner points go first.
    var line = undoesDucking ? LineReduction.reduced(amplitude, tolerance: 1e-6) : amplitude
    line = Self.withPoints(at: taps, in: line)
    guard undoesDucking else { return line }
    let share = PatternsFromClip.ducking * PatternsFromClip.ducking
    for index in line.indices where line[index].isFixed {
      line[index].value = min(1, line[index].value / share)
    }
    return line
  }

  /// Adds a point for each tap, or takes the line's own that stands there but for rounding.
  private static func withPoints(at taps: [ClipTap], in line: [LinePoint]) -> [LinePoint] {
    var result: [LinePoint] = []
    result.reserveCapacity(line.count + taps.count)
    var remaining = taps[...]
    for (index, point) in line.enumerated() {
      while let tap = remaining.first, tap.time < point.time - rounding, let last = result.last {
        let share = (tap.time - last.time) / (point.time - last.time)
        result.append(
          LinePoint(
            time: tap.time, value: last.value + share * (point.value - last.value), isFixed: true))
        remaining.removeFirst()
      }
      var point = point
      let next = index + 1 < line.count ? line[index + 1].time : .infinity
      let last = result.last?.time ?? 0
      if let tap = remaining.first, abs(tap.time - point.time) <= rounding, next > point.time,
        last <= tap.time, tap.time < next
      {
        point.time = tap.time
        point.isFixed = true
        remaining.removeFirst()
      }
      result.append(point)
    }
    return result
  }
}

/// The drawing of one line of a layer; at each instant the strongest event speaks.
struct LayerTracing {
  /// One event with the intent that it belongs to.
  typealias Voice = (event: TimelineEvent, intent: Intent)

  /// What a line shows: the square of the intensity, or that of the sharpness.
  enum Quantity {
    case amplitude
    case frequency
  }

  /// The events by rising start.
  let voices: [Voice]
  let quantity: Quantity
  private var playing: [Voice] = []
  private var points: [LinePoint] = []

  init(_ voices: [Voice], _ quantity: Quantity) {
    self.voices = voices
    self.quantity = quantity
  }

  /// Draws the line through its corners, and as much between as lines ask for.
  ///
  /// Where no event plays it has the value of `silence`, or no points. A jump is two points at one
  /// time.
  consuming func line(over times: [Double], silence: Double?) -> [LinePoint] {
    var waiting = voices[...]
    for (from, to) in zip(times, times.dropFirst()) {
      playing.removeAll { $0.event.end <= from }
      while let next = waiting.first, next.event.start <= from {
        if next.event.end > from { playing.append(next) }
        waiting.removeFirst()
      }
      guard !playing.isEmpty else {
        if let silence {
          append(silence, at: from)
          append(silence, at: to)
        }
        continue
      }
      let first = value(at: from)
      // What holds at the next corner may be a jump away from what holds up to it.
      let last = value(at: to.nextDown)
      append(first, at: from)
      divide(from, first, to, last)
      append(last, at: to)
    }
    return points
  }

  /// Adds points between two until straight lines serve.
  private mutating func divide(_ from: Double, _ first: Double, _ to: Double, _ last: Double) {
    guard to - from > ContinuousLayer.shortest else { return }
    let isServed = [0.25, 0.5, 0.75].allSatisfy { (share: Double) in
      let line = first + share * (last - first)
      let error = value(at: from + share * (to - from)).squareRoot() - line.squareRoot()
      return abs(error) <= ContinuousLayer.tolerance
    }
    guard !isServed else { return }
    let middle = (from + to) / 2
    let bend = value(at: middle)
    divide(from, first, middle, bend)
    append(bend, at: middle)
    divide(middle, bend, to, last)
  }

  private func value(at time: Double) -> Double {
    var level = -1.0
    var strongest: Voice?
    for voice in playing {
      let intensity = voice.intent.intensity(of: voice.event, at: time)
      if intensity > level { (level, strongest) = (intensity, voice) }
    }
    guard let strongest else { return 0 }
    if case .amplitude = quantity { return level * level }
    let sharpness = strongest.intent.sharpness(of: strongest.event, at: time)
    return sharpness * sharpness
  }

  /// Adds a point unless the line stands there already; of three at one time the middle one goes.
  private mutating func append(_ value: Double, at time: Double) {
    if let last = points.last, last.time == time {
      if abs(last.value - value) < 1e-6 { return }
      if points.count > 1, points[points.count - 2].time == time { points.removeLast() }
    }
    points.append(LinePoint(time: time, value: value))
  }
}
