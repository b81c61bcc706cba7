import Devices
import SignalAnalysis
import Units

/// The delay of each stretch of a take whose stream broke, from the drive's copy on the reference.
///
/// From the markers, which are found anywhere, to the stretches beside those that are known: each is looked
/// for only where its neighbours and the size of a step say that it can be, so that no cycle of a tone is
/// taken for the next one.
struct StretchDelays {
  /// The step that is expected at least, in frames: both counts are of whole frames.
  private static let leastStep = 1.0
  /// How far off the drift of a crystal may be before it is measured, in ppm.
  private static let likelyDrift = 300.0
  /// The longest excerpt in seconds; the delay must not grow by more than half a frame along it.
  private static let longestExcerpt = 0.5
  private static let shortestExcerpt = 0.02

  private let rate: SampleRate
  private let recording: Recording
  private let recordedCount: Int
  private let stretches: TakeStretches
  private let excerpts: ExcerptDelay
  private let step: Double
  private(set) var points: [SteppedClockLine.Point]
  /// By stretch, why it has no delay of its own.
  private(set) var reasons: [Int: String] = [:]

  /// Takes the markers, of which there is one at least, and what they come back as.
  init(
    take: TakeDrive, recording: Recording, reference: Samples, markers: [ClockLine.Point],
    gain: Double, stretches: TakeStretches, step: Double
  ) {
    rate = take.rate
    self.recording = recording
    recordedCount = reference.count
    self.stretches = stretches
    self.step = max(step, Self.leastStep)
    excerpts = ExcerptDelay(
      signal: Array(take.channels[.reference] ?? []), recording: Array(reference),
      gain: gain)
    points = markers.map { point in
      SteppedClockLine.Point(
        stretch: stretches.index(at: point.frame), frame: point.frame, delay: point.delay,
        uncertainty: point.uncertainty)
    }
  }

  /// Measures all stretches, and puts a line of one slope through each.
  mutating func line() throws(ClockLine.FitError) -> SteppedClockLine {
    var isKnown = [Bool](repeating: false, count: stretches.count)
    for point in points { isKnown[point.stretch] = true }
    // The stretches with markers first, then those beside known ones.
    var waiting = isKnown.indices.filter { isKnown[$0] }
    var isQueued = isKnown
    var place = 0
    while place < waiting.count {
      let stretch = waiting[place]
      try measure(stretch)
      for next in [stretch - 1, stretch + 1]
      where isKnown.indices.contains(next) && !isQueued[next] {
        isQueued[next] = true
        waiting.append(next)
      }
      place += 1
    }
    let first = try SteppedClockLine(
      through: points, stretchCount: stretches.count, step: step)
    // Steps that turn out larger than was said are believed.
    guard let typical = first.typicalStep, typical > step else { return first }
    return try SteppedClockLine(
      through: points, stretchCount: stretches.count, step: typical)
  }

  private mutating func measure(_ stretch: Int) throws(ClockLine.FitError) {
    let known = try SteppedClockLine(
      through: points, stretchCount: stretches.count, step: step, likelyDrift: Self.likelyDrift)
    let whole = stretches.frames(of: stretch)
    let drift = abs(known.drift.value) + known.drift.uncertainty
    let longest = min(Self.longestExcerpt * rate.hertz, 0.5e6 / max(drift, 1))
    let shortest = rate.wholeFrames(Self.shortestExcerpt)
    var reason = "it is too short"
    var found: [SteppedClockLine.Point] = []
    for drive in Self.parts(whole, longest: max(shortest, Int(longest))) {
      let middle = Double(drive.lowerBound + drive.upperBound) / 2
      let expected = known.delay(at: middle, stretch: stretch)
      guard let frames = excerpt(drive, of: whole, expected: expected), frames.count >= shortest
      else { continue }
      do throws(DelayError) {
        let delay = try excerpts.delay(in: frames, expected: expected)
        found.append(
          SteppedClockLine.Point(
            stretch: stretch, frame: delay.centre, delay: delay.delay,
            uncertainty: delay.uncertainty))
      } catch {
        if case .notFound(let words) = error { reason = words } else { reason = "\(error)" }
      }
    }
    points += found
    if !points.contains(where: { $0.stretch == stretch }) { reasons[stretch] = reason }
  }

  /// Even parts of a stretch, none longer than so many frames.
  private static func parts(_ frames: Range<Int>, longest: Int) -> [Range<Int>] {
    let count = max(1, (frames.count + longest - 1) / longest)
    return (0..<count).map { index in
      let first = frames.lowerBound + frames.count * index / count
      return first..<(frames.lowerBound + frames.count * (index + 1) / count)
    }
  }

  /// The capture frames of a part in which, for every delay that is possible, nothing but the stretch is
  /// recorded; `nil` where something else is wrong with them.
  private func excerpt(
    _ drive: Range<Int>, of whole: Range<Int>, expected: Estimate
  ) -> Range<Int>? {
    let delay = Int(expected.value.rounded())
    let guarded = ExcerptDelay.reach(of: expected) + ExcerptDelay.margin
    let first = max(drive.lowerBound, whole.lowerBound + guarded) + delay
    let last = min(drive.upperBound, whole.upperBound - guarded) + delay
    let frames = max(first, 0)..<max(first, 0, min(last, recordedCount))
    guard !frames.isEmpty, !recording.touches(frames, delay: expected.value) else { return nil }
    return frames
  }
}
