import Acceptance
import Devices
import HapticRendering
import Perception
import SignalAnalysis
import Units

extension TakeMeasurement {
  /// How an event ends: when it has decayed, and how much of a tap rings on.
  ///
  /// Only of events that stand alone: what rings under them, or begins before they have died away, is
  /// not theirs.
  mutating func addEnd(
    _ event: TimelineEvent, _ samples: [Float], _ noise: NoiseFloor, delay: Double
  ) {
    let channel = response?.description.name
    let kinds: [ReadingKind] =
      event.kind == .transient ? [.decayError, .pulseToRing] : [.decayError]
    func refuse(_ reason: String, _ kinds: [ReadingKind]) {
      for kind in kinds {
        addMissing(kind, event: event.index, channel: channel, because: reason)
      }
    }
    if let reason = isolation.reason(event) ?? overlap(event) {
      refuse(reason, kinds)
      return
    }
    guard onsets[event.index] != nil else {
      refuse("it has no onset of its own", kinds)
      return
    }
    if alignment.isFitMissing {
      refuse("no fit: \(alignment.modelReason ?? "the probe was not found")", kinds)
      return
    }
    let rate = take.rate.hertz
    let start = Int(frame(event.start) + delay)
    let first = max(0, start - Int(0.05 * rate))
    let last = min(samples.count, Int(frame(rest(after: event)) + delay) - Int(0.001 * rate))
    guard last - start > Int(0.010 * rate),
      !recording.touches(start..<last, delay: delay)
    else {
      refuse("a gap, an xrun, an overload or the recording's end lies on its decay", kinds)
      return
    }
    let offset = Float(noise.offset.value)
    let stretch = samples[first..<last].map { $0 - offset }
    addDecay(event, stretch, from: first, delay: delay)
    if event.kind == .transient {
      addPulse(event, stretch, from: first, delay: delay, offset: offset)
    }
  }

  private func overlap(_ event: TimelineEvent) -> String? {
    isolation.isOverlapped(event) ? "unresolved: another event is in force with it" : nil
  }

  /// When the next haptic event begins, in seconds of the pattern; some time after the last.
  private func rest(after event: TimelineEvent) -> Double {
    let next = take.intent.timeline.events.first {
      $0.kind.isHaptic && $0.start > event.start
    }
    let quiet = event.end + max(0.3, 12 * (alignment.decayTime ?? 0))
    return min(next?.start ?? quiet, quiet)
  }

  private mutating func addDecay(
    _ event: TimelineEvent, _ stretch: [Float], from first: Int, delay: Double
  ) {
    let rate = take.rate.hertz
    let channel = response?.description.name
    if alignment.electrical == nil, alignment.envelopeFrames != nil {
      addMissing(
        .decayError, event: event.index, channel: channel,
        because: "the delay from command to response is known from their envelopes only")
      return
    }
    guard let asked = intendedFall(of: event) else {
      addMissing(
        .decayError, event: event.index, channel: channel,
        because: "the intent asks for no level here")
      return
    }
    let begin = Int(frame(event.start) + delay) - first
    do throws(EnvelopeFall.Failure) {
      let fall = try EnvelopeFall.find(
        stretch, frames: begin..<stretch.count, rate: take.rate, noise: feltNoise)
      let frame = Double(first) + fall.frame.value
      // Clocks drift on while an event lasts: the delay is that of its end.
      let end = self.frame(asked)
      let delay = alignment.responseFrames(at: end) ?? delay
      let line = alignment.electricalDelay(at: end).uncertainty
      let model = (alignment.modelDelay?.uncertainty ?? 0) * rate
      let spread = [fall.frame.uncertainty, line, model].reduce(0) { $0 + $1 * $1 }.squareRoot()
      add(
        .decayError, (frame - delay - end) / rate, uncertainty: spread / rate,
        count: 1, event: event.index, channel: channel)
    } catch {
      addMissing(.decayError, event: event.index, channel: channel, because: "\(error)")
    }
  }

  /// When the intent of an event falls below 10 % of its own peak for good, in seconds of the pattern.
  private func intendedFall(of event: TimelineEvent) -> Double? {
    let step = 1e-4
    let held = expressed?.held(event, target)
    let (start, end) = (held?.start ?? event.start, held?.end ?? event.end)
    let count = Int(((end - start) / step).rounded(.up)) + 1
    let levels = (0..<count).map { index in
      let time = min(start + Double(index) * step, end.nextDown)
      if let held { return held.level(at: time) }
      return take.intent.weight(of: event, at: time)
        * target.acceleration(
          intensity: take.intent.intensity(of: event, at: time),
          frequency: take.intent.frequency(of: event, at: time))
    }
    guard let top = levels.max(), top > 0,
      let last = levels.lastIndex(where: { $0 >= 0.1 * top })
    else { return nil }
    guard last + 1 < count else { return end }
    let share = (levels[last] - 0.1 * top) / (levels[last] - levels[last + 1])
    return min(end, start + (Double(last) + share) * step)
  }

  private mutating func addPulse(
    _ event: TimelineEvent, _ stretch: [Float], from first: Int, delay: Double, offset: Float
  ) {
    let rate = take.rate
    let channel = response?.description.name
    // Noise alone, from before the probe, stands before the stretch: both are at rest where they meet.
    let quiet = rate.wholeFrames(0.02)..<rate.wholeFrames(TakeLayout.quiet - 0.02)
    let calm = (response?.samples ?? [])[quiet].map { $0 - offset }
    let shift = calm.count - first
    let end = frame(event.end) + delay + Double(shift)
    guard
      let click = ClickMetrics.measure(
        calm + stretch, frames: (calm.count + 16)..<(calm.count + stretch.count),
        quiet: 0..<calm.count, rate: rate, driveEnd: end, intendedEnd: end, onsetThreshold: 0),
      let ratio = click.pulseToRing
    else {
      addMissing(
        .pulseToRing, event: event.index, channel: channel,
        because: "no pulse stands out of the noise")
      return
    }
    let (pulse, ring) = (click.pulseEnergy, click.ringEnergy)
    let isBound = click.isPulseToRingBound
    let spread = [pulse, ring].reduce(0) {
      $0 + $1.relativeUncertainty * $1.relativeUncertainty
    }
    add(
      .pulseToRing, ratio,
      uncertainty: isBound ? nil : Decibels.of(power: 1 + spread.squareRoot()),
      count: click.pulse.count + click.ring.count, event: event.index, channel: channel,
      note: isBound ? "at least: the ring is below the noise" : nil)
  }
}
