// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import HapticRendering
import SignalAnalysis
import Units

/// Audio-haptic sync: the haptic chain's delay less the sound's, each against its command.
///
/// Both are pure delays: a pattern that asks for an offset between sound and touch has it in both
/// commands, so that it cancels. The haptic delay is the chain's, from the probe; where the haptic event
/// beside the sound came at another moment by itself, it is that event's.
extension CapturedTake {
  private static let longestSound = 30.0
  /// A haptic event so near to a sound belongs to it, in seconds.
  private static let besideSound = 0.060

  func addSync(to list: inout ReadingList) {
    let sounds = take.intent.timeline.events.filter { !$0.kind.isHaptic }
    guard !sounds.isEmpty, hasHaptics else { return }
    guard let audio = recording.channel(.audio), let sent = soundAsSent else {
      list.addMissing(
        .syncAudioHaptic, because: "the rig has no audio channel on both drive and capture")
      return
    }
    let channel = audio.description.name
    guard let haptic = hapticDelay() else {
      list.addMissing(
        .syncAudioHaptic, channel: channel,
        because: "the haptic delay is not known: "
          + (alignment.modelReason ?? alignment.electricalReason ?? "no fit"))
      return
    }
    for (events, span) in overlapping(sounds) {
      let first = events[0].index
      let middle = Double(span.lowerBound + span.upperBound) / 2
      if let reason = alignment.vagueness(at: middle) {
        list.addMissing(.syncAudioHaptic, event: first, channel: channel, because: reason)
        continue
      }
      do throws(NotFound) {
        let whole = try delay(
          of: sent(span), span: span, in: audio.samples, driveDelay: haptic.frames(middle))
        for part in separated(events, span, whole, audio) {
          guard let delay = part.delay else {
            list.addMissing(
              .syncAudioHaptic, event: part.event.index, channel: channel,
              because: part.reason ?? "")
            continue
          }
          add(delay, of: part.event, haptic, channel, note: part.reason, to: &list)
        }
      } catch {
        list.addMissing(.syncAudioHaptic, event: first, channel: channel, because: error.reason)
      }
    }
  }

  private func add(
    _ delay: Estimate, of sound: TimelineEvent, _ haptic: HapticDelay, _ channel: String,
    note: String?,
    to list: inout ReadingList
  ) {
    let rate = take.rate.hertz
    let beside = displacement(beside: sound)
    let chain = (haptic.frames(max(0, frame(sound.start) - 48)) - delay.value) / rate
    let own = (beside?.delay.uncertainty ?? 0) * rate
    let spread = [haptic.uncertainty, delay.uncertainty, own].reduce(0) { $0 + $1 * $1 }
    let notes = [note, beside?.note].compactMap(\.self)
    list.add(
      .syncAudioHaptic, chain + (beside?.delay.value ?? 0),
      uncertainty: spread.squareRoot() / rate, count: 1, event: sound.index, channel: channel,
      note: notes.isEmpty ? nil : notes.joined(separator: "; "))
  }

  /// The delays of the sounds of a stretch: of one alone that of the stretch, of several each its own, or one for
  /// all where one of them cannot be told from the others.
  private func separated(
    _ events: [TimelineEvent], _ span: Range<Int>, _ whole: DelayEstimate,
    _ audio: Recording.Channel
  ) -> [SoundSeparation.Part] {
    let together = Estimate(whole.delay, uncertainty: whole.uncertainty)
    guard events.count > 1 else {
      return [SoundSeparation.Part(event: events[0], delay: together, reason: nil)]
    }
    let quiet = NoiseFloor.estimate(audio.samples.prefix(take.quietFrames))
    let parts = SoundSeparation(take, drift: alignment.knownDrift).parts(
      of: events, in: span, delay: whole.delay, gain: whole.gain, recorded: audio.samples,
      noise: quiet?.noLess(than: audio.resolution).sigma.value ?? audio.resolution)
    guard parts.isEmpty || parts.contains(where: { $0.isVague }) else { return parts }
    let names = events.map { "\($0.index)" }.joined(separator: ", ")
    return [
      SoundSeparation.Part(
        event: events[0], delay: together,
        reason: "measured as one with the sounds that it cannot be told from: events \(names)")
    ]
  }

  /// By how much the haptic event beside a sound left the chain's delay, where it surely did.
  private func displacement(beside sound: TimelineEvent) -> (delay: Estimate, note: String)? {
    let (events, start) = (take.intent.timeline.events, sound.start)
    guard let chain = alignment.modelDelay?.value,
      let haptic = events.filter(\.kind.isHaptic)
        .min(by: { abs($0.start - start) < abs($1.start - start) }),
      abs(haptic.start - start) <= Self.besideSound,
      let own = separation?.parts[haptic.index]?.delay
    else { return nil }
    let delay = Estimate(own.value - chain, uncertainty: own.uncertainty)
    guard abs(delay.value) > max(1e-3, 3 * delay.uncertainty) else { return nil }
    let shown = EngineeringFormat.text(abs(delay.value), .second)
    return (
      delay,
      "haptic event \(haptic.index) came \(shown) \(delay.value > 0 ? "after" : "before") the chain's delay"
    )
  }

  /// The haptic side's delay in capture frames as a function of the drive frame.
  private struct HapticDelay {
    let frames: (Double) -> Double
    let uncertainty: Double
  }

  private func hapticDelay() -> HapticDelay? {
    let rate = take.rate.hertz
    guard let delay = alignment.modelDelay else { return nil }
    let own = delay.value - alignment.sensorDelay - alignment.coil.value
    let alignment = alignment
    return HapticDelay(
      frames: { alignment.electricalFrames(at: $0) + own * rate },
      uncertainty: (delay.uncertainty * delay.uncertainty
        + alignment.coil.uncertainty * alignment.coil.uncertainty).squareRoot() * rate)
  }

  private var soundAsSent: ((Range<Int>) -> [Float])? {
    if let mono = take.channels[.audio] { return { mono[$0] } }
    let (left, right) = (take.channels[.audioLeft], take.channels[.audioRight])
    guard left != nil || right != nil else { return nil }
    return { [take] in take.heard(left?[$0] ?? [], right?[$0] ?? []) }
  }

  /// The stretches of drive frames that hold the sound of one event, or of several that lie over one another.
  private func overlapping(
    _ sounds: [TimelineEvent]
  ) -> [(events: [TimelineEvent], span: Range<Int>)] {
    var spans: [(events: [TimelineEvent], span: Range<Int>)] = []
    for event in sounds {
      let first = max(0, Int(frame(event.start)) - 48)
      let longest = event.start + min(event.envelope.end, Self.longestSound)
      let last = min(take.layout.frameCount, Int(frame(longest)) + 48)
      guard last > first else { continue }
      if let previous = spans.last, previous.span.upperBound > first {
        let joined = previous.span.lowerBound..<max(previous.span.upperBound, last)
        spans[spans.count - 1].span = joined
        spans[spans.count - 1].events.append(event)
      } else {
        spans.append(([event], first..<last))
      }
    }
    let limit = take.rate.wholeFrames(Self.longestSound)
    return spans.map { ($0.events, $0.span.prefix(limit)) }
  }

  private struct NotFound: Error {
    let reason: String
  }

  private func delay(
    of sent: [Float], span: Range<Int>, in recorded: Samples, driveDelay: Double
  ) throws(NotFound) -> DelayEstimate {
    // As the capture's clock stretches it: the delay is that of its first frame.
    let stretch = 1 + 1e-6 * alignment.knownDrift
    let samples = sent.map(Double.init)
    let template =
      stretch == 1
      ? samples
      : TimeStretch.apply(samples, offset: 0, stretch: stretch, count: samples.count)
    guard template.contains(where: { $0 != 0 }) else {
      throw NotFound(reason: "the sound is silent")
    }
    let longest = take.rate.wholeFrames(TakeLayout.longestDelay)
    let early = take.rate.wholeFrames(0.005)
    let first = max(0, span.lowerBound - early)
    let last = min(recorded.count, span.upperBound + longest)
    guard last - first >= span.count else {
      throw NotFound(reason: "the recording ends before the sound")
    }
    guard !recording.touches(first..<last, delay: driveDelay) else {
      throw NotFound(reason: "a gap, an xrun or an overload touches the sound")
    }
    do throws(DelayError) {
      let estimator = DelayEstimator(template: template)
      let found = try estimator.estimate(in: recorded[first..<last])
      return found.shifted(by: Double(first - span.lowerBound))
    } catch {
      throw NotFound(reason: error.description)
    }
  }
}

/// The delays of sounds that lie over one another, told apart by one joint fit.
///
/// Each sound is rendered alone, under the pattern's controls: sounds add up as they are, so the shares add up to
/// what was sent. The capture is the sum of them, each with a gain and a delay of its own; where they lie together is
/// known from the delay of all as one.
struct SoundSeparation {
  struct Part {
    let event: TimelineEvent
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
