// SPDX-License-Identifier: Apache-2.0

/// Keeps what a method saw at a bounded number of points, whatever the length of the sound.
///
/// Where there would be too many, two neighbours become one, the larger, and points stand twice as far apart.
struct TraceRecorder {
  private(set) var trace: CompositionTrace
  private let mostPoints: Int

  /// Makes a recorder; the points are an even number, so that they fall into pairs.
  init(mostPoints: Int, hop: Double) {
    self.mostPoints = max(2, mostPoints / 2 * 2)
    trace = CompositionTrace(step: hop)
  }

  /// Notes the value of a line at a time in seconds.
  mutating func note(
    _ value: Float, at time: Double, of line: WritableKeyPath<CompositionTrace, [Float]>
  ) {
    guard let place = place(time) else { return }
    trace[keyPath: line].raise(place, to: value, from: 0)
  }

  /// Notes the level of a sound and of its octaves, in dB, in place of nothing the quietest that is drawn.
  mutating func note(_ hop: Hop, at time: Double) {
    guard let place = place(time) else { return }
    let floor = CompositionTrace.quietest
    trace.level.raise(place, to: Float(decibels(ofPower: hop.power)), from: floor)
    for octave in trace.octaves.indices {
      let level = Float(decibels(ofPower: Double(hop.octaves[octave])))
      trace.octaves[octave].raise(place, to: level, from: floor)
    }
  }

  private mutating func place(_ time: Double) -> Int? {
    guard time >= 0 else { return nil }
    // A time that is a hop's but for its rounding is that hop's.
    while time / trace.step + 1e-3 >= Double(mostPoints) { trace.halve() }
    return Int(time / trace.step + 1e-3)
  }
}

extension [Float] {
  fileprivate mutating func raise(_ place: Int, to value: Float, from floor: Float) {
    while count <= place { append(floor) }
    self[place] = Swift.max(self[place], value)
  }

  fileprivate mutating func halve() {
    self = stride(from: 0, to: count, by: 2).map {
      $0 + 1 < count ? Swift.max(self[$0], self[$0 + 1]) : self[$0]
    }
  }
}

extension CompositionTrace {
  fileprivate mutating func halve() {
    step *= 2
    level.halve()
    rise.halve()
    intensity.halve()
    sharpness.halve()
    for octave in octaves.indices { octaves[octave].halve() }
  }
}
