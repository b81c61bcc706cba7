// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
private import Glibc
import HapticRendering
import Perception
import SignalAnalysis
import Units

extension CapturedEvent {
  private var isShort: Bool { event.kind == .transient }
  private var length: Double {
    guard isShort else { return EventIsolation.intendedLength(event) }
    // A command is held beyond the end of what it was made of.
    let held = expressed.map { $0.held(event, target).end - event.start } ?? 0
    return max(event.envelope.end, held) + 0.010
  }

  func addLevel(to measured: inout MeasuredEvent) {
    // Of a rotor that hardly turns once, or a tone that hardly swings, the highest sample tells its phase, and no
    // strength.
    let isTurn = isShort && part != nil && own?.strength != nil
    if isTurn || isolation.isOverlapped(event) || part?.isDropped == true
      || (isolation.reason(event) != nil && (isShort || part != nil))
    {
      addSeparateLevel(to: &measured)
      return
    }
    if let reason = alignment.missingFit {
      // Without the transport delay the event's own stretch of response is not known.
      reject(&measured, because: reason)
      return
    }
    let rate = take.rate.hertz
    let first = Int(frame(event.start) + delay)
    let last = min(samples.count, first + Int(length * rate))
    guard last - first >= 16 else { return }
    let window = FeltBand.stretch(
      first..<last, of: samples, offset: Float(floor.offset.value), rate: take.rate)
    let scale = LevelUncertainty(rig: rig, sigma: feltNoise, seconds: Double(window.count) / rate)
    let whole = Amplitude.rms(window)
    guard scale.isResponse(whole) else {
      if part != nil {
        addSeparateLevel(to: &measured)
        return
      }
      measured.isSilent = true
      // With the noise in it: more than this it was not.
      let bound = LevelUncertainty(rig: rig, seconds: Double(window.count) / rate)
      addIntensity(
        window, peak: bound.peak(of: window), bound,
        note: "no response stands out of the noise, at most this", to: &measured)
      return
    }
    addLevels(
      window, peak: peak(of: window, from: first, scale), rms: scale.withoutNoise(whole), scale,
      felt: window, to: &measured)
  }

  /// Peak, effective value and intensity, and of what was felt the frequency: one in `step` frames.
  private func addLevels(
    _ window: [Float], peak: Estimate, rms: Double, _ scale: LevelUncertainty, note: String? = nil,
    felt: [Float], step: Int = 1, to measured: inout MeasuredEvent
  ) {
    measured.add(
      .responsePeak, peak.value, uncertainty: peak.uncertainty, count: window.count, note: note)
    measured.add(
      .responseRMS, rms, uncertainty: scale.rms(rms), count: window.count, note: note)
    let level = addIntensity(window, peak: peak, scale, note: note, to: &measured)
    let sharpness = addFrequency(felt, step: step, to: &measured)
    addConsistency(level, sharpness, to: &measured)
  }

  /// The highest crest of a stretch, in m/s2: where the event has a part of its own, the crest that the part
  /// has, so that the noise does not choose it.
  private func peak(
    of window: [Float], from first: Int, _ scale: LevelUncertainty
  ) -> Estimate {
    // A rotor's phase is its own: its crests are not those of the fit.
    if let own, own.strength == nil,
      let crest = own.crest(
        within: (first - own.first)..<(first - own.first + window.count), noise: floor.sigma.value)
    {
      return Estimate(crest.value, uncertainty: scale.crest(crest))
    }
    return scale.peak(of: window)
  }

  private func addSeparateLevel(to measured: inout MeasuredEvent) {
    guard let own, let part, let delay = alignment.responseFrames(at: 0) else {
      reject(&measured, because: unresolved("unresolved: another event is in force with it"))
      return
    }
    let rate = take.rate.hertz
    let first = Int(frame(event.start) + delay) - own.first
    var window = own.fitted[
      (first..<(first + Int(length * rate))).clamped(to: own.fitted.indices)
    ].map(Float.init)
    guard window.count >= 16 else { return }
    if part.isDropped {
      addDropped(window, part, to: &measured)
      return
    }
    // What comes a little late is read where it comes.
    if let late = part.delay.map({ Int(($0.value * rate).rounded()) - Int(delay) }), late > 0,
      isShort
    {
      window = own.fitted[
        (first..<(first + Int(length * rate) + late)).clamped(to: own.fitted.indices)
      ].map(Float.init)
    }
    let scale = LevelUncertainty(
      rig: rig, gain: part.gain.relativeUncertainty, seconds: Double(window.count) / rate)
    // What the fit left over belongs to what was felt: the model's own frequency is no measurement.
    let step = SeparatedResponse.step(at: take.rate)
    let end = min(own.measured.count, max(0, first) + window.count)
    let felt = stride(from: max(0, first), to: end, by: step).map { Float(own.measured[$0]) }
    addLevels(
      window, peak: scale.peak(of: window), rms: Amplitude.rms(window), scale,
      note: part.groupNote, felt: felt, step: step, to: &measured)
  }

  /// The level of an event of which nothing came: at most what its gain leaves open.
  private func addDropped(
    _ window: [Float], _ part: SeparatedPart, to measured: inout MeasuredEvent
  ) {
    measured.isSilent = true
    measured.isDropped = true
    let highest = part.gain.value + 2 * part.gain.uncertainty
    let louder = Float(highest / max(abs(part.gain.value), 1e-12))
    let bound = window.map { $0 * louder }
    let scale = LevelUncertainty(
      rig: rig, gain: part.gain.uncertainty / highest,
      seconds: Double(window.count) / take.rate.hertz)
    addIntensity(
      bound, peak: scale.peak(of: bound), scale,
      note: Reading.droppedNote + ", at most this", to: &measured)
  }

  private func addConsistency(
    _ level: Estimate?, _ octaves: Estimate?, to measured: inout MeasuredEvent
  ) {
    guard let level, let octaves else { return }
    let octave = JustNoticeable.octaves
    let (jL, jF) = (level.value / JustNoticeable.level.value, octaves.value / octave)
    let (uL, uF) = (level.uncertainty / JustNoticeable.level.value, octaves.uncertainty / octave)
    let ratio = exp2(octaves.value)
    let j = JustNoticeable.consistency(levelError: level.value, frequencyRatio: ratio)
    let both = (uL * uL + uF * uF).squareRoot()
    // Near zero the length of a vector has no slope of its own: there it is as unsure as its parts.
    let along = j > 0 ? (jL * jL * uL * uL + jF * jF * uF * uF).squareRoot() / j : both
    measured.add(
      .consistencyJ, j, uncertainty: j < 2 * both ? both : along,
      differencesUncertainty: JustNoticeable.uncertainty {
        JustNoticeable.consistency(levelError: level.value, frequencyRatio: ratio, by: $0)
      }, count: 2)
  }

  private func reject(_ measured: inout MeasuredEvent, because reason: String) {
    measured.reject(
      because: reason, kinds: [.responsePeak, .intensityError], channel: source.sensor)
  }

  /// Level against what the intent asks: by the peak for a tap, by the effective value for a vibration.
  @discardableResult
  private func addIntensity(
    _ window: [Float], peak: Estimate, _ scale: LevelUncertainty, note: String? = nil,
    to measured: inout MeasuredEvent
  ) -> Estimate? {
    let rate = take.rate.hertz
    let intended: Double
    let found: Double
    let spread: Double
    let held = expressed?.held(event, target)
    if event.kind == .transient, let held {
      intended = held.crest(phase: take.intent.tapPhase, rate: rate)
      (found, spread) = (peak.value, peak.uncertainty)
    } else if event.kind == .transient {
      let frequency = take.intent.frequency(of: event, at: event.start)
      let level = take.intent.intensity(of: event, at: event.start)
      // The burst's own peak: the first crest under the falling weight.
      let crest = stride(from: 0, to: event.envelope.end, by: 1 / rate).reduce(0.0) {
        let carrier = abs(sin(2 * .pi * (frequency * $1 + take.intent.tapPhase)))
        return max($0, carrier * take.intent.weight(of: event, at: event.start + $1))
      }
      intended = target.acceleration(intensity: level, frequency: frequency) * crest
      (found, spread) = (peak.value, peak.uncertainty)
    } else {
      // The rise is the actuator's, not the level's: it is left out where enough remains.
      let rise = Int(5 * (alignment.decayTime ?? 0) * rate)
      let skip = window.count - rise > Int(0.1 * rate) ? rise : 0
      let steady = Array(window[skip...])
      var sum = 0.0
      for index in stride(from: skip, to: window.count, by: 16) {
        let time = event.start + Double(index) / rate
        let asked =
          held?.level(at: time)
          ?? target.acceleration(
            intensity: take.intent.intensity(of: event, at: time),
            frequency: take.intent.frequency(of: event, at: time))
        sum += asked * asked
      }
      intended = (sum / Double((window.count - skip + 15) / 16)).squareRoot()
      found = scale.withoutNoise(Amplitude.rms(steady)) * 2.0.squareRoot()
      let own = scale.rms(found)
      // The ends cut periods, and a share of the rise may be left: e^-5 of the level at first.
      let seconds = Double(steady.count) / rate
      let asked = take.intent.frequency(of: event, at: event.start + seconds / 2)
      let cut = found / (8 * .pi * max(asked, 20) * seconds)
      let left =
        skip > 0 ? found * exp(-5) * min(1, (alignment.decayTime ?? 0) / seconds) : 0
      spread = (own * own + cut * cut + left * left).squareRoot()
    }
    guard intended > 0, found > 0 else {
      measured.addMissing(
        .intensityError,
        because: intended > 0
          ? "the response is below the noise" : "the intent asks for no level here")
      return nil
    }
    let error = Decibels.of(amplitude: found / intended)
    let uncertainty = Decibels.of(amplitude: 1 + spread / found)
    let words = [note, source.isCalibrated ? nil : "uncalibrated"].compactMap { $0 }
    measured.add(
      .intensityError, error, uncertainty: uncertainty, count: window.count,
      note: words.isEmpty ? nil : words.joined(separator: "; "))
    measured.add(
      .intensityJND, error / JustNoticeable.level.value,
      uncertainty: uncertainty / JustNoticeable.level.value,
      differencesUncertainty: JustNoticeable.uncertainty { error / $0(.level) },
      count: window.count)
    guard error.isFinite else { return nil }
    let level = Estimate(error, uncertainty: uncertainty.isFinite ? uncertainty : 0)
    measured.levelError = level
    return level
  }

  /// The frequency that holds most power, and its error in octaves; one in `step` frames is given.
  private func addFrequency(
    _ window: [Float], step: Int = 1, to measured: inout MeasuredEvent
  ) -> Estimate? {
    let middle = event.start + EventIsolation.intendedLength(event) / 2
    let rate = SampleRate(hertz: take.rate.hertz / Double(step))
    guard let found = DominantFrequency.estimate(window, rate: rate) else {
      measured.addMissing(
        .responseFrequency,
        because: isMotor && isShort
          ? Reading.inapplicableNote
            + "the rotor speeds up and slows down all through it, so that it has no one frequency"
          : "no frequency stands out of the response")
      return nil
    }
    measured.add(
      .responseFrequency, found.frequency.value, uncertainty: found.frequency.uncertainty,
      count: step * window.count)
    guard take.intent.timeline.controls.sharpness.isNeutral else { return nil }
    let asked =
      expressed?.held(event, target).frequency(at: middle)
      ?? take.intent.frequency(of: event, at: middle)
    let error = Estimate(
      log2(found.frequency.value / asked),
      uncertainty: found.frequency.relativeUncertainty / log(2))
    measured.add(.sharpnessError, error.value, uncertainty: error.uncertainty, count: window.count)
    return error
  }
}

/// The standard uncertainty of levels in the felt band: the sensor's certificate and the noise.
struct LevelUncertainty {
  let sigma: Double
  private let relative: Double
  /// Independent samples of the band in the stretch: twice bandwidth times time.
  private let independent: Double
  /// About how many crests compete to be the highest: two a period at 200 Hz.
  private let crests: Double

  /// A response that was fitted holds no noise, but is as unsure as its gain.
  init(rig: RigDescription, sigma: Double = 0, gain: Double = 0, seconds: Double) {
    self.sigma = sigma
    let sensor = rig.capture.channel(.acceleration)?.sensor?.relativeUncertainty ?? 0
    relative = (sensor * sensor + gain * gain).squareRoot()
    let band = FeltBand.filter.band
    independent = max(1, 2 * (band.upperBound - band.lowerBound) * seconds)
    crests = max(1, 2 * 200 * seconds)
  }

  /// Whether an effective value stands out of the noise: by three deviations of the noise's own power.
  func isResponse(_ rms: Double) -> Bool {
    let noise = sigma * sigma
    return rms * rms - noise > 3 * noise * (2 / independent).squareRoot()
  }

  /// An effective value with the noise's share taken off.
  func withoutNoise(_ rms: Double) -> Double {
    max(0, rms * rms - sigma * sigma).squareRoot()
  }

  /// Of an effective value v: noise of power s^2 gives its square a variance of (4 v^2 s^2 + 2 s^4) / n.
  func rms(_ value: Double) -> Double {
    guard value > 0 else { return sigma }
    let noise = sigma * sigma
    let variance = (4 * value * value * noise + 2 * noise * noise) / independent
    let own = variance.squareRoot() / (2 * value)
    return (relative * relative * value * value + own * own).squareRoot()
  }

  /// Of a power v^2, the sensor's sensitivity apart.
  func power(_ value: Double) -> Double {
    let noise = sigma * sigma
    return ((4 * value * noise + 2 * noise * noise) / independent).squareRoot()
  }

  /// Of a crest whose place the noise did not choose.
  func crest(_ crest: Estimate) -> Double {
    crest.widened(by: relative * crest.value).uncertainty
  }

  /// Of the highest of n crests, each with the noise's own: the noise lifts it by up to s sqrt(2 ln n).
  func peak(of window: [Float]) -> Estimate {
    let value = Double(window.reduce(0) { max($0, abs($1)) })
    let lift = max(1, 2 * log(crests))
    return Estimate(
      value,
      uncertainty: (relative * relative * value * value + sigma * sigma * lift).squareRoot())
  }
}
