// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
private import Glibc
import HapticRendering
import Perception
import SignalAnalysis
import Units

/// When the event's response begins: where it first passes a tenth of its own peak.
extension CapturedEvent {
  /// The longest wait for an event's response, in seconds beyond the known delay.
  private static let longestRise = 0.060
  /// Onsets less sure than this are not timed, in seconds: of what is fitted by its strength no more than 5 ms is
  /// asked of its delay either.
  private var vaguestOnset: Double { own?.strength == nil ? 2e-3 : 5e-3 }
  /// An event sets in where its own response first passes this share of its own peak.
  private static let onsetShare = 0.1

  private var start: Double { frame(event.start) }

  func addOnset(to measured: inout MeasuredEvent) {
    do throws(NotMeasured) {
      let (onset, note) = try onset()
      guard onset.uncertainty < vaguestOnset * take.rate.hertz else {
        throw NotMeasured(
          reason: "unresolved: the response rises too slowly, or too little, to be timed")
      }
      add(onset, note: alignment.noteOfTime(note), to: &measured)
    } catch {
      measured.reject(because: error.reason, kinds: [.latencyOnset])
    }
  }

  /// The capture frame at which it sets in, and what is to be said of that.
  private func onset() throws(NotMeasured) -> (frame: Estimate, note: String?) {
    if let reason = alignment.untimedReason ?? alignment.vagueness(at: start) {
      throw NotMeasured(reason: reason)
    }
    if let own, let part, part.delay != nil {
      let response = own.strength ?? own.fitted
      return (try separateOnset(part, response, from: own.first), part.groupNote)
    }
    if let reason = isolation.reason(event) {
      throw NotMeasured(reason: part?.delayReason ?? unresolved(reason))
    }
    return (try loneOnset(), nil)
  }

  private func loneOnset() throws(NotMeasured) -> Estimate {
    let noise = floor
    var detector = OnsetDetector(rate: take.rate)
    let rate = take.rate.hertz
    let electrical = alignment.electricalFrames(at: start)
    let command = Int((start + electrical).rounded(.down))
    let known = alignment.responseFrames(at: start) ?? electrical
    let last = min(
      samples.count, Int(start + known + (Self.longestRise + event.envelope.end) * rate))
    let peak = samples[min(max(0, command), last)..<last].reduce(0.0) {
      max($0, abs(Double($1) - noise.offset.value))
    }
    let sigma = noise.sigma.value
    guard peak > detector.threshold * sigma else {
      throw NotMeasured(reason: "the response stays below six sigma of the noise floor")
    }
    // A tenth of the peak, where the noise leaves that to be seen.
    guard Self.onsetShare * peak > detector.threshold * sigma else {
      throw NotMeasured(reason: "a tenth of its peak is below six sigma of the noise floor")
    }
    detector.threshold = Self.onsetShare * peak / sigma
    // Nothing may move before the drive does: a response that is still there hides the onset.
    let level = Self.onsetShare * peak
    let before = max(0, command - Int(0.010 * rate))..<max(0, command)
    if samples[before].contains(where: { abs(Double($0) - noise.offset.value) > level }) {
      throw NotMeasured(reason: "unresolved: the response had not settled before it")
    }
    let first = max(0, command - 1)
    guard
      let onset = detector.first(
        in: samples[first..<last], frames: 0..<(last - first), noise: noise)
    else {
      throw NotMeasured(reason: "the response does not rise from rest")
    }
    // The threshold is as sure as the peak, which the noise lifts.
    let lift = Self.onsetShare * 3 * sigma / max(abs(onset.slope), 1e-30)
    return Estimate(Double(first) + onset.frame, uncertainty: onset.uncertainty).widened(by: lift)
  }

  /// The onset of an event by its own part of the response, free of noise.
  ///
  /// What the model does not explain may lift an earlier half-wave over the threshold, or leave this one below
  /// it: the uncertainty holds the passages of the threshold moved by that much to either side.
  private func separateOnset(
    _ part: SeparatedPart, _ response: [Double], from first: Int
  ) throws(NotMeasured) -> Estimate {
    let peak = response.reduce(0) { max($0, abs($1)) }
    let level = Self.onsetShare * peak
    let doubt = min(0.9 * level, part.misfit * peak / 2)
    func passage(_ level: Double) -> Double? {
      guard let passing = response.firstIndex(where: { abs($0) > level }), passing > 0 else {
        return nil
      }
      let (before, after) = (abs(response[passing - 1]), abs(response[passing]))
      return Double(first + passing - 1) + (level - before) / max(after - before, 1e-30)
    }
    guard peak > 0, let frame = passage(level) else {
      throw NotMeasured(reason: "nothing came of it")
    }
    let (early, late) = (passage(level - doubt) ?? frame, passage(level + doubt) ?? frame)
    // Between two samples a straight line is as good as this, in frames.
    let line = 0.25 / 12.0.squareRoot()
    return Estimate(frame, uncertainty: (part.delay?.uncertainty ?? 0) * take.rate.hertz)
      .widened(by: (late - early) / 2, line)
  }

  private func add(_ onset: Estimate, note: String?, to measured: inout MeasuredEvent) {
    let rate = take.rate.hertz
    let electrical = alignment.electricalDelay(at: start)
    let laid = alignment.startUncertainty * rate
    let spread = onset.widened(by: electrical.uncertainty, laid).uncertainty
    measured.isTimed = true
    measured.onset = (onset.value - electrical.value - Double(take.layout.pattern)) / rate
    // The sensor tells of a motion later than it was: its own delay is no latency of the actuator.
    let sensed = onset.value - alignment.sensorDelay * rate
    measured.add(
      .latencyOnset, (sensed - electrical.value - start) / rate, uncertainty: spread / rate,
      count: 1, note: note)
    // As captured: on one clock the command's frame is known exactly.
    if alignment.electrical != nil {
      measured.add(
        .latencyTotal, (sensed - start) / rate, uncertainty: spread / rate, count: 1, note: note)
    }
  }
}

/// How an event ends: when it has decayed, and how much of a tap rings on.
///
/// Of an event that stands alone from the capture itself; of one with neighbours from its own part of the
/// response, as far as it is scored by itself.
extension CapturedEvent {
  func addEnd(to measured: inout MeasuredEvent) {
    do throws(NotMeasured) {
      try readEnd(to: &measured)
    } catch {
      let kinds: [ReadingKind] = canRing ? [.decayError, .pulseToRing] : [.decayError]
      for kind in kinds { measured.addMissing(kind, because: error.reason) }
    }
  }

  /// Whether a ring may follow its pulse: a tap's, on what has a resonance.
  private var canRing: Bool { event.kind == .transient && !isMotor }

  /// How far an end may lie beside where it is seen, in seconds, where the phase of what swings is not the drive's: as
  /// far as the delay, which the same phase hides.
  private var unplaced: Double { own?.strength == nil ? 0 : part?.delay?.uncertainty ?? 0 }

  private func readEnd(to measured: inout MeasuredEvent) throws(NotMeasured) {
    if let neighbour = isolation.reason(event) ?? overlap {
      guard let part, let own else { throw NotMeasured(reason: unresolved(neighbour)) }
      if let note = part.groupNote { throw NotMeasured(reason: note) }
      try checkOnset(measured)
      addSeparateEnd(part, own, to: &measured)
      return
    }
    try checkOnset(measured)
    if let reason = alignment.missingFit { throw NotMeasured(reason: reason) }
    let rate = take.rate.hertz
    let start = Int(frame(event.start) + delay)
    let first = max(0, start - Int(0.05 * rate))
    let last = min(samples.count, Int(frame(nextStart) + delay) - Int(0.001 * rate))
    guard last - start > Int(0.010 * rate),
      !recording.touches(start..<last, delay: delay)
    else {
      throw NotMeasured(
        reason: "a gap, an xrun, an overload or the recording's end lies on its decay")
    }
    let offset = Float(floor.offset.value)
    let stretch = Stretch(
      samples: samples[first..<last].map { $0 - offset }, first: first, step: 1, rate: take.rate)
    addDecay(stretch, noise: feltNoise, doubt: unplaced, to: &measured)
    if canRing {
      // Noise alone, from before the probe, stands before the stretch: both are at rest where they meet.
      let quiet = take.rate.wholeFrames(0.02)..<take.rate.wholeFrames(TakeLayout.quiet - 0.02)
      let calm = (response?.samples[quiet] ?? []).map { $0 - offset }
      addPulse(stretch, after: calm, to: &measured)
    }
  }

  /// What never began has no end.
  private func checkOnset(_ measured: MeasuredEvent) throws(NotMeasured) {
    guard measured.onset == nil else { return }
    // What was fitted with a delay of its own did begin, though too slowly for its onset to be told.
    if own?.strength != nil, part?.delay != nil { return }
    throw NotMeasured(reason: part?.delayReason ?? "it has no onset of its own")
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
    let left = (alignment.decayTime ?? 0) * log(1 + 10 * part.misfit)
    addDecay(stretch, noise: 0, doubt: hypot(left, unplaced), to: &measured)
    if canRing {
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
