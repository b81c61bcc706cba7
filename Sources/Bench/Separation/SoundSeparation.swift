import Devices
import HapticRendering
import SignalAnalysis
import Units

/// The delays of sounds that lie over one another, told apart by one joint fit.
///
/// Each sound is rendered alone, under the pattern's controls: sounds add up as they are, so the shares add up to
/// what was sent. The capture is the sum of them, each with a gain and a delay of its own; where they lie together is
/// known from the delay of all as one.
struct SoundSeparation {
  struct Part {
    let event: TimelineEvent
    /// Capture frames after its drive; `nil` where it cannot be told from the others.
    let delay: Estimate?
    /// Why there is no delay, or what a reader must know of it.
    let reason: String?
    var isVague = false
  }

  /// Looked for to either side of the delay of all as one, in seconds: as for haptic events.
  private static let reach = 0.010
  /// A delay less sure than this is none, in seconds.
  private static let vaguest = 0.5e-3
  /// What tells a sound's place is looked at in periods of this, in seconds: its onset, not its pitch.
  private static let period = 1e-3

  private let take: TakeDrive
  /// How many times as long the capture's clock makes a stretch.
  private let stretch: Double

  /// Prepares it; `drift` is the capture's clock against the drive's, in ppm.
  init(_ take: TakeDrive, drift: Double) {
    self.take = take
    stretch = 1 + 1e-6 * drift
  }

  /// A part for each sound; none where one is silent, or two are one and the same.
  ///
  /// `delay`, in capture frames, and `gain`, below zero with turned polarity, are those of all as one.
  func parts(
    of events: [TimelineEvent], in span: Range<Int>, delay: Double, gain: Double,
    recorded: Samples, noise: Double
  ) -> [Part] {
    let pieces = events.enumerated().compactMap { place, event -> JointFit.Piece? in
      guard let share = take.sound(of: event, in: span) else { return nil }
      let lead = stretch * Double(share.first)
      let whole = lead.rounded(.down)
      let samples = TimeStretch.apply(
        share.samples, offset: lead - whole, stretch: stretch,
        count: Int((Double(share.samples.count) * stretch).rounded(.up)) + 2)
      return JointFit.Piece(event: place, first: Int(whole), samples: samples)
    }
    guard pieces.count == events.count, !Self.hasTwins(pieces) else { return [] }
    let near = delay.rounded()
    let first = span.lowerBound + Int(near)
    let room = Int(Self.reach * take.rate.hertz)
    let frames = (first - room)..<(first + span.count + room)
    let samples = recorded.padded(frames).map(Double.init)
    let rate = take.rate.hertz
    // A loudspeaker's colour is no resonance that the fit could adjust.
    let flat = JointFit.Resonance(period: Self.period * rate, prior: (lnF0: 1e-6, lnQ: 1e-6)) {
      _, _, _ in Complex(1)
    }
    var fit = JointFit(
      pieces.map {
        JointFit.Piece(
          event: $0.event, first: $0.first + room, samples: $0.samples.map { gain * $0 })
      }, eventCount: events.count, resonance: flat, reach: Self.reach * rate, noise: noise)
    let result = fit.fit(samples)
    return zip(events, result.parts).enumerated().map { place, found in
      let (event, part) = found
      let found = Estimate(near + part.delay.value, uncertainty: part.delay.uncertainty)
      if SeparatedPart.isDropped(part.gain) {
        return Part(event: event, delay: nil, reason: "dropped: nothing of the sound came")
      }
      let isVague = fit.isAmbiguous(place, in: result) || !(found.uncertainty < Self.vaguest * rate)
      return Part(
        event: event, delay: isVague ? nil : found,
        reason: isVague ? "it cannot be told from the sounds that it lies over" : nil,
        isVague: isVague)
    }
  }
}

extension SoundSeparation {
  /// Of two sounds that are alike to this share of their energy only the sum can be told.
  private static let mostAlike = 0.9

  private static func hasTwins(_ pieces: [JointFit.Piece]) -> Bool {
    func product(_ one: JointFit.Piece, _ other: JointFit.Piece) -> Double {
      let frames = (one.first..<(one.first + one.samples.count)).clamped(
        to: other.first..<(other.first + other.samples.count))
      return frames.reduce(0) {
        $0 + one.samples[$1 - one.first] * other.samples[$1 - other.first]
      }
    }
    return pieces.indices.contains { place in
      pieces[..<place].contains { other in
        let energies = product(pieces[place], pieces[place]) * product(other, other)
        return abs(product(pieces[place], other)) > mostAlike * energies.squareRoot()
      }
    }
  }
}

extension TakeDrive {
  /// The sound of one event alone, as what lies between both loudspeakers hears it, from a frame of a span on; `nil`
  /// where it is silent.
  fileprivate func sound(
    of event: TimelineEvent, in span: Range<Int>
  ) -> (first: Int, samples: [Double])? {
    let timeline = Timeline(events: [event], controls: intent.timeline.controls, duration: 0)
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration, sounds: sounds)
    let count = min(renderer.frameCount, span.upperBound - layout.pattern)
    guard count > 0 else { return nil }
    var values: [Double] = []
    var begin = 0
    for first in stride(from: 0, to: count, by: 1 << 14) {
      var none = [Float](repeating: 0, count: min(1 << 14, count - first))
      var (left, right) = (none, none)
      var noneSpan = none.mutableSpan
      var leftSpan = left.mutableSpan
      var rightSpan = right.mutableSpan
      renderer.render(haptic: &noneSpan, left: &leftSpan, right: &rightSpan)
      let mixed = heard(left, right).map(Double.init)
      if values.isEmpty {
        guard let loud = mixed.firstIndex(where: { $0 != 0 }) else { continue }
        begin = first + loud
        values = Array(mixed[loud...])
      } else {
        values += mixed
      }
    }
    guard let end = values.lastIndex(where: { $0 != 0 }) else { return nil }
    return (layout.pattern + begin - span.lowerBound, Array(values[...end]))
  }
}
