// SPDX-License-Identifier: Apache-2.0

import Devices
import SignalAnalysis
import Units

/// Capture frame minus drive frame along a take: a line, or one for each stretch between starts.
enum ElectricalDelay {
  case line(ClockLine)
  case stepped(SteppedClockLine, TakeStretches)

  /// The delay at drive frame 0, in frames.
  var offset: Estimate {
    switch self {
    case .line(let line): line.offset
    case .stepped(let line, _): line.delay(at: 0, stretch: 0)
    }
  }

  /// How much faster the capture counts than the drive, in parts per million.
  var drift: Estimate {
    switch self {
    case .line(let line): line.drift
    case .stepped(let line, _): line.drift
    }
  }

  func delay(at frame: Double) -> Estimate {
    switch self {
    case .line(let line): line.delay(at: frame)
    case .stepped(let line, let stretches):
      line.delay(at: frame, stretch: stretches.index(at: frame))
    }
  }
}

struct MarkerSearch {
  private(set) var points: [ClockLine.Point] = []
  /// What a drive of 1 came back as: the mean of the markers found, `nil` where none was.
  var gain: Double? { gains.isEmpty ? nil : gains.reduce(0, +) / Double(gains.count) }
  private(set) var reasons: [String] = []
  private var gains: [Double] = []
  /// The least standard uncertainty of a marker's delay, in frames.
  private static let finest = 0.003

  /// Looks for a marker behind each of the drive frames at which one was sent.
  ///
  /// Markers stand in silence but for the haptic copy: a window about them holds nothing else. With a known
  /// drift in ppm they are looked for as a clock sees them that runs so much faster, and their delay is
  /// that of their first frame; else that of the frame where the energy of their slope is centred.
  init(
    starts: [Int], in samples: Samples, of recording: Recording, rate: SampleRate,
    longestDelay: Double = TakeLayout.longestDelay, drift: Double? = nil
  ) {
    let marker = Sweep.marker.samples(
      at: drift.map { SampleRate(hertz: rate.hertz * (1 + 1e-6 * $0)) } ?? rate)
    let estimator = DelayEstimator(template: marker)
    let longest = rate.wholeFrames(longestDelay)
    for start in starts {
      let first = max(0, start - rate.wholeFrames(0.01))
      let last = min(samples.count, start + marker.count + longest)
      guard last - first >= marker.count else {
        reasons.append("the recording ends before the marker at \(start)")
        continue
      }
      do throws(DelayError) {
        let found = try estimator.estimate(in: samples[first..<last])
        let arrival = Int(Double(first) + found.delay)
        let delay = Double(first) + found.delay - Double(start)
        if recording.touches(arrival..<(arrival + marker.count), delay: delay) {
          reasons.append("a gap lies on the marker at frame \(start)")
          continue
        }
        gains.append(found.gain)
        points.append(
          ClockLine.Point(
            frame: Double(start) + (drift == nil ? estimator.centre : 0), delay: delay,
            uncertainty: Estimate(found.delay, uncertainty: found.uncertainty)
              .widened(by: Self.finest).uncertainty))
      } catch {
        reasons.append("\(error)")
      }
    }
  }
}

/// The stretches of a take between starts of the devices, in drive frames.
///
/// Where the stream broke, drive and capture were started anew: the delay of one stretch says little about
/// that of the next.
struct TakeStretches: Equatable {
  /// What belongs to no stretch, in order: lost on either side, or played before a break and recorded after.
  let breaks: [Range<Int>]
  private let end: Int

  init(_ recording: Recording, delay: Double) {
    end = recording.driveFrameCount
    let restarts = recording.moments(of: [.underrun, .overrun])
    let late = max(0, Int(delay.rounded(.up)))
    breaks = restarts.map { max(0, $0.lowerBound - late)..<$0.upperBound }
  }

  var count: Int { breaks.count + 1 }

  func index(at frame: Double) -> Int {
    var (low, high) = (0, breaks.count)
    while low < high {
      let middle = (low + high) / 2
      if Double(breaks[middle].upperBound) <= frame { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The drive frames of a stretch; none where the next break begins before it.
  func frames(of index: Int) -> Range<Int> {
    let first = index > 0 ? breaks[index - 1].upperBound : 0
    let last = index < breaks.count ? breaks[index].lowerBound : end
    return first..<max(first, last)
  }
}

extension Recording {
  /// The stretches of frames in which something happened, in order: what drive and capture report of one
  /// moment counts once.
  ///
  /// Frame k of either side is the same instant, as surely as both were laid on each other: what the sides
  /// report less than 5 ms apart is one.
  func moments(of kinds: Set<StreamEvent.Kind>) -> [Range<Int>] {
    let apart = rate.wholeFrames(0.005)
    let sides = [captureEvents, driveEvents].enumerated().flatMap { side, events in
      events.filter { kinds.contains($0.kind) }.map { (side: side, frames: $0.frames) }
    }.sorted { ($0.frames.lowerBound, $0.side) < ($1.frames.lowerBound, $1.side) }
    var moments: [Range<Int>] = []
    var isOfSide = [false, false]
    for (side, frames) in sides {
      let reach = moments.last.map { $0.upperBound + (isOfSide[side] ? 0 : apart) } ?? Int.min
      if let last = moments.last, frames.lowerBound < reach {
        moments[moments.count - 1] = last.lowerBound..<max(last.upperBound, frames.upperBound)
      } else {
        moments.append(frames)
        isOfSide = [false, false]
      }
      isOfSide[side] = true
    }
    return moments
  }
}

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
  private(set) var reasons: [Int: String] = [:]

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
      signal: Array(take.channels[.reference] ?? []), recording: Array(reference), gain: gain)
    points = markers.map { point in
      SteppedClockLine.Point(
        stretch: stretches.index(at: point.frame), frame: point.frame, delay: point.delay,
        uncertainty: point.uncertainty)
    }
  }

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
    let first = try SteppedClockLine(through: points, stretchCount: stretches.count, step: step)
    // Steps that turn out larger than was said are believed.
    guard let typical = first.typicalStep, typical > step else { return first }
    return try SteppedClockLine(through: points, stretchCount: stretches.count, step: typical)
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

  private static func parts(_ frames: Range<Int>, longest: Int) -> [Range<Int>] {
    let count = max(1, (frames.count + longest - 1) / longest)
    return (0..<count).map { index in
      let first = frames.lowerBound + frames.count * index / count
      return first..<(frames.lowerBound + frames.count * (index + 1) / count)
    }
  }

  /// The capture frames of a part in which nothing but the stretch is recorded, for every delay that is
  /// possible; `nil` where something else is wrong with them.
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
