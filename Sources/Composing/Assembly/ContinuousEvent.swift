// SPDX-License-Identifier: Apache-2.0

import AHAP

/// A continuous event while it grows: its curves so far.
struct ContinuousEvent {
  let start: Double
  private var intensity = LineReducer()
  private var sharpness = LineReducer()
  private var end: Double
  private let tolerances: Tolerances

  struct Tolerances {
    /// In dB of the level that an intensity asks for.
    let level: Double
    let sharpness: Double
  }

  /// The shortest event that is kept, in seconds: two cycles at 200 Hz.
  private static let shortest = 0.01

  init(at start: Double, _ tolerances: Tolerances) {
    self.start = start
    end = start
    self.tolerances = tolerances
  }

  /// Takes the value at a time that lasts to another.
  mutating func add(_ value: LayerValue, at time: Double, until next: Double) {
    let level = Intensity.of(level: value.level)
    intensity.add(
      .init(time: time, value: level),
      tolerance: level * (Intensity.of(level: tolerances.level) - 1))
    sharpness.add(.init(time: time, value: value.sharpness), tolerance: tolerances.sharpness)
    end = next
  }

  /// Adds the event and its curves to a pattern; one that is too short is left out.
  ///
  /// Curves go back to neutral behind the event, so that they do not act on a tap that follows.
  func finish(into pattern: inout HapticPattern) {
    guard end - start >= Self.shortest else { return }
    var event = HapticEvent(
      kind: .hapticContinuous, time: start.tidy, duration: (end.tidy - start.tidy).tidy)
    event.parameters.intensity = draw(
      intensity, .hapticIntensity, base: 1, into: &pattern)
    event.parameters.sharpness = draw(
      sharpness, .hapticSharpness, base: 0, into: &pattern)
    pattern.events.append(event)
  }

  /// Adds the curves that draw a line, and gives the event's own value: `base`, which leaves the curves as they
  /// are, or that of the line where it is level and needs no curve.
  private func draw(
    _ line: LineReducer, _ id: DynamicParameterID, base: Double, into pattern: inout HapticPattern
  ) -> Double {
    var points = line.finished().map {
      ParameterCurve.Point(time: $0.time.tidy, value: min(1, max(0, $0.value)).short)
    }
    guard let first = points.first, let last = points.last else { return base }
    if points.allSatisfy({ $0.value == first.value }) { return first.value }
    if last.time < end.tidy { points.append(.init(time: end.tidy, value: last.value)) }
    points.append(.init(time: (end + 1e-3).tidy, value: id.neutral))
    // 15 new points each and the last one of the curve before.
    let step = ParameterCurve.safePointCount - 1
    for from in stride(from: 0, to: points.count - 1, by: step) {
      let link = points[from...min(from + step, points.count - 1)]
      let time = points[from].time
      pattern.curves.append(
        ParameterCurve(
          id: id, time: time,
          points: link.map { .init(time: ($0.time - time).tidy, value: $0.value) }))
    }
    return base
  }
}

extension Double {
  /// A time in seconds to 10 us, which is what a pattern is written with.
  var tidy: Double { (self * 1e5).rounded() / 1e5 }
  /// A value to four digits behind the point.
  var short: Double { (self * 1e4).rounded() / 1e4 }
}
