import Acceptance
import Devices
private import Glibc
import HapticRendering
import Perception
import SignalAnalysis
import Units

/// How an event ends: when it has decayed, and how much of a tap rings on.
///
/// Of an event that stands alone from the capture itself; of one with neighbours from its own part of the
/// response, as far as it is scored by itself.
extension CapturedEvent {
  func addEnd(to measured: inout MeasuredEvent) {
    func refuse(_ reason: String) {
      let kinds: [ReadingKind] =
        event.kind == .transient ? [.decayError, .pulseToRing] : [.decayError]
      for kind in kinds { measured.addMissing(kind, because: reason) }
    }
    let neighbour = isolation.reason(event) ?? overlap
    if let neighbour, part == nil || own == nil {
      refuse(unresolved(neighbour))
      return
    }
    if neighbour != nil, let note = part?.groupNote {
      refuse(note)
      return
    }
    // What never began has no end.
    guard measured.onset != nil else {
      refuse(part?.delayReason ?? "it has no onset of its own")
      return
    }
    if neighbour != nil, let part, let own {
      addSeparateEnd(part, own, to: &measured)
      return
    }
    if let reason = alignment.missingFit {
      refuse(reason)
      return
    }
    let rate = take.rate.hertz
    let start = Int(frame(event.start) + delay)
    let first = max(0, start - Int(0.05 * rate))
    let last = min(samples.count, Int(frame(nextStart) + delay) - Int(0.001 * rate))
    guard last - start > Int(0.010 * rate),
      !recording.touches(start..<last, delay: delay)
    else {
      refuse("a gap, an xrun, an overload or the recording's end lies on its decay")
      return
    }
    let offset = Float(floor.offset.value)
    let stretch = Stretch(
      samples: samples[first..<last].map { $0 - offset }, first: first, step: 1, rate: take.rate)
    addDecay(stretch, noise: feltNoise, to: &measured)
    if event.kind == .transient {
      // Noise alone, from before the probe, stands before the stretch: both are at rest where they meet.
      let quiet = take.rate.wholeFrames(0.02)..<take.rate.wholeFrames(TakeLayout.quiet - 0.02)
      let calm = (response?.samples[quiet] ?? []).map { $0 - offset }
      addPulse(stretch, after: calm, to: &measured)
    }
  }

  /// The end of an event's own part, which no neighbour hides.
  private func addSeparateEnd(
    _ part: SeparatedPart, _ own: SeparatedResponse, to measured: inout MeasuredEvent
  ) {
    let step = SeparatedResponse.step(at: take.rate)
    let stretch = Stretch(
      samples: stride(from: 0, to: own.fitted.count, by: step).map { Float(own.fitted[$0]) },
      first: own.first, step: step, rate: SampleRate(hertz: take.rate.hertz / Double(step)))
    // What the model leaves over, at a tenth of the peak, moves the end by so many of its time constants.
    let doubt = (alignment.decayTime ?? 0) * log(1 + 10 * part.misfit)
    addDecay(stretch, noise: 0, doubt: doubt, to: &measured)
    if event.kind == .transient {
      let calm = [Float](repeating: 0, count: stretch.rate.wholeFrames(0.1))
      // Without noise anything would be an onset.
      let peak = own.fitted.reduce(0) { max($0, abs($1)) }
      addPulse(stretch, after: calm, misfit: part.misfit, threshold: 0.01 * peak, to: &measured)
    }
  }

  /// Samples of a response from a capture frame on, one every `step` frames.
  private struct Stretch {
    let samples: [Float]
    let first: Int
    let step: Int
    let rate: SampleRate

    func place(of frame: Double) -> Double { (frame - Double(first)) / Double(step) }
  }

  private var overlap: String? {
    isolation.isOverlapped(event) ? "unresolved: another event is in force with it" : nil
  }

  /// When the next haptic event begins, in seconds of the pattern; some time after the last.
  private var nextStart: Double {
    let next = take.intent.timeline.events.first {
      $0.kind.isHaptic && $0.start > event.start
    }
    let quiet = event.end + max(0.3, 12 * (alignment.decayTime ?? 0))
    return min(next?.start ?? quiet, quiet)
  }

  private func addDecay(
    _ stretch: Stretch, noise: Double, doubt: Double = 0, to measured: inout MeasuredEvent
  ) {
    let rate = take.rate.hertz
    if alignment.electrical == nil, alignment.tones == nil, alignment.envelopeFrames != nil {
      measured.addMissing(
        .decayError,
        because: "the delay from command to response is known from their envelopes only")
      return
    }
    guard let asked = intendedFall else {
      measured.addMissing(.decayError, because: "the intent asks for no level here")
      return
    }
    let begin = Int(stretch.place(of: frame(event.start) + delay))
    do throws(EnvelopeFall.Failure) {
      let fall = try EnvelopeFall.find(
        stretch.samples, frames: begin..<stretch.samples.count, rate: stretch.rate, noise: noise)
      let frame = Double(stretch.first) + Double(stretch.step) * fall.frame.value
      // Clocks drift on while an event lasts: the delay is that of its end.
      let end = self.frame(asked)
      let delay = alignment.responseFrames(at: end) ?? delay
      let line = alignment.electricalDelay(at: end).uncertainty
      let model = (alignment.modelDelay?.uncertainty ?? 0) * rate
      let own = Double(stretch.step) * fall.frame.uncertainty
      let spread = [own, line, model, doubt * rate].reduce(0) { $0 + $1 * $1 }.squareRoot()
      measured.add(.decayError, (frame - delay - end) / rate, uncertainty: spread / rate, count: 1)
      measured.add(
        .responseBraking, (frame - delay - self.frame(event.end)) / rate,
        uncertainty: spread / rate, count: 1)
    } catch {
      measured.addMissing(.decayError, because: "\(error)")
    }
  }

  /// When the intent of an event falls below 10 % of its own peak for good, in seconds of the pattern.
  private var intendedFall: Double? {
    let step = 1e-4
    let held = expressed?.held(event, target)
    let (start, end) = (held?.start ?? event.start, held?.end ?? event.end)
    let count = Int(((end - start) / step).rounded(.up)) + 1
    // Mostly the same from step to step, and dear to compute.
    var known = (intensity: 0.0, frequency: 0.0, level: 0.0)
    let levels = (0..<count).map { index in
      let time = min(start + Double(index) * step, end.nextDown)
      if let held { return held.level(at: time) }
      let intensity = take.intent.intensity(of: event, at: time)
      let frequency = take.intent.frequency(of: event, at: time)
      if intensity != known.intensity || frequency != known.frequency {
        let level = target.acceleration(intensity: intensity, frequency: frequency)
        known = (intensity, frequency, level)
      }
      return take.intent.weight(of: event, at: time) * known.level
    }
    guard let top = levels.max(), top > 0,
      let last = levels.lastIndex(where: { $0 >= 0.1 * top })
    else { return nil }
    guard last + 1 < count else { return end }
    let share = (levels[last] - 0.1 * top) / (levels[last] - levels[last + 1])
    return min(end, start + (Double(last) + share) * step)
  }

  private func addPulse(
    _ stretch: Stretch, after calm: [Float], misfit: Double = 0, threshold: Double = 0,
    to measured: inout MeasuredEvent
  ) {
    let end = stretch.place(of: frame(event.end) + delay) + Double(calm.count)
    guard
      let balance = PulseBalance.measure(
        calm + stretch.samples, frames: (calm.count + 16)..<(calm.count + stretch.samples.count),
        quiet: 0..<calm.count, rate: stretch.rate, driveEnd: end,
        onsetThreshold: threshold),
      let ratio = balance.ratio
    else {
      measured.addMissing(.pulseToRing, because: "no pulse stands out of the noise")
      return
    }
    let (pulse, ring) = (balance.pulseEnergy, balance.ringEnergy)
    let isBound = balance.isBound
    // A share of the amplitude is twice that of the energy.
    let spread = [pulse.relativeUncertainty, ring.relativeUncertainty, 2 * misfit].reduce(0) {
      $0 + $1 * $1
    }
    measured.add(
      .pulseToRing, ratio,
      uncertainty: isBound ? nil : Decibels.of(power: 1 + spread.squareRoot()),
      count: stretch.step * (balance.pulse.count + balance.ring.count),
      note: isBound ? "at least: the ring is below the noise" : nil)
  }
}
