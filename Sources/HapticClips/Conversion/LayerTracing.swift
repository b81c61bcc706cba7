import HapticRendering

/// One event with the intent that it belongs to.
struct ContinuousVoice {
  var event: TimelineEvent
  var intent: Intent
}

/// The drawing of one line of a layer; at each instant the strongest event speaks.
struct LayerTracing {
  /// What a line shows.
  enum Quantity {
    /// The square of the intensity.
    case amplitude
    /// The square of the sharpness.
    case frequency
  }

  /// The events by rising start.
  let voices: [ContinuousVoice]
  let quantity: Quantity
  private var playing: [ContinuousVoice] = []
  private var points: [LinePoint] = []

  init(_ voices: [ContinuousVoice], _ quantity: Quantity) {
    self.voices = voices
    self.quantity = quantity
  }

  /// Draws the line through its corners, and as much between as lines ask for.
  ///
  /// - Parameters:
  ///   - times: The corners in the order of time.
  ///   - silence: The value where no event plays; nil to leave that out.
  /// - Returns: The points in the order of time, two at one time for a jump.
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
    var strongest: ContinuousVoice?
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
