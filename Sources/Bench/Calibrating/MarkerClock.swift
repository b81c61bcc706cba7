import Devices
import SignalAnalysis
import Units

/// The line between the drive's clock and the capture's, from the markers of a segment.
///
/// A marker that was captured by a clock that is off by a share e lasts 1 + e times as many frames, and from
/// some hundred ppm on no longer resembles the one that was sent. Each is looked for by a marker that is
/// stretched alike: by what an earlier segment told, or, where that finds too little, by the best of a
/// grid. How far apart both stand then tells the stretch to a part of a ppm, and by that they are found once
/// more, so that neither place nor height is biased.
struct MarkerClock {
  /// Captured frames minus drive frames over drive frames; `nil` where not both markers were found.
  private(set) var line: ClockLine?
  private(set) var gain: Double?
  /// How much faster the capture counts than the drive, as a share; `nil` where no marker was found.
  private(set) var offset: Estimate?
  var isBroken: Bool {
    line == nil && markers.contains { recording.touches(window(of: $0, stretch), delay: 0) }
  }

  /// How far off a clock is looked for: 44,100 Hz taken for 48,000 Hz and back, and a little more.
  static let reach = 0.12
  /// Steps of the grid: half of one lowers the correlation by 4 %.
  private static let steps = [0.002, 0.0002]
  /// A marker of the right stretch in a quiet reference correlates better than this.
  private static let likeness = 0.97
  /// Stretches closer than this find the same, as a share: the height then errs by less than 4e-5.
  private static let close = 3e-5

  private let markers: [Int]
  private let recording: Recording
  private let samples: Samples
  private var stretch: Double
  private let rate: SampleRate

  /// `known` is the clock's offset as an earlier segment told it, as a share.
  init(markers: [Int], in samples: Samples, of recording: Recording, known: Double?) {
    self.markers = markers
    self.recording = recording
    self.samples = samples
    rate = recording.rate
    stretch = known ?? 0
    guard let first = markers.first else { return }
    // A marker that an earlier segment's stretch finds is unlike only by its noise.
    let sure = known == nil ? Self.likeness : 0
    if abs(place(first, stretch, by: template(stretch))?.correlation ?? 0) <= sure {
      guard let best = search(first) else { return }
      stretch = best
    }
    offset = Estimate(stretch, uncertainty: Self.steps[1])
    guard var found = points() else { return }
    for _ in 0..<3 where abs(1e-6 * found.line.drift.value - stretch) > Self.close {
      stretch = 1e-6 * found.line.drift.value
      guard let next = points() else { break }
      found = next
    }
    line = found.line
    gain = found.gain
    offset = Estimate(
      1e-6 * found.line.drift.value, uncertainty: 1e-6 * found.line.drift.uncertainty)
  }

  private func template(_ stretch: Double) -> DelayEstimator {
    DelayEstimator(
      template: Sweep.marker.samples(at: SampleRate(hertz: rate.hertz * (1 + stretch))))
  }

  /// A marker where a clock would put it; `nil` where none is there, or it is not whole.
  private func place(
    _ start: Int, _ stretch: Double, by estimator: DelayEstimator
  ) -> DelayEstimate? {
    let window = window(of: start, stretch)
    guard window.count >= estimator.template.count,
      let found = try? estimator.estimate(in: samples[window])
    else { return nil }
    let arrival = Int(found.delay) + window.lowerBound
    let late = found.delay + Double(window.lowerBound - start)
    return recording.touches(arrival..<(arrival + estimator.template.count), delay: late)
      ? nil : found.shifted(by: Double(window.lowerBound))
  }

  /// Where a marker may stand: little before a clock would have it, and up to the longest delay after.
  private func window(of start: Int, _ stretch: Double) -> Range<Int> {
    let expected = Int(Double(start) * (1 + stretch))
    let longest = Sweep.marker.duration * (1 + Self.reach) + TakeLayout.longestDelay
    let frames = expected - rate.wholeFrames(0.01)..<expected + rate.wholeFrames(longest)
    return frames.clamped(to: samples.indices)
  }

  private func search(_ start: Int) -> Double? {
    var centre = 0.0
    var reach = Self.reach
    for step in Self.steps {
      let count = Int((reach / step).rounded())
      let found = (-count...count).compactMap { place -> (Double, Double)? in
        let stretch = centre + Double(place) * step
        return self.place(start, stretch, by: template(stretch))
          .map { (stretch, abs($0.correlation)) }
      }
      guard let best = found.max(by: { $0.1 < $1.1 }) else { return nil }
      (centre, reach) = (best.0, step)
    }
    return centre
  }

  private func points() -> (line: ClockLine, gain: Double)? {
    let estimator = template(stretch)
    let found = markers.compactMap { start in
      place(start, stretch, by: estimator).map { (start, $0) }
    }
    guard found.count == markers.count else { return nil }
    let line = try? ClockLine(
      through: found.map { start, marker in
        ClockLine.Point(
          frame: Double(start), delay: marker.delay - Double(start),
          uncertainty: marker.uncertainty)
      })
    let gain = found.reduce(0) { $0 + $1.1.gain } / Double(found.count)
    return line.map { ($0, gain) }
  }
}
