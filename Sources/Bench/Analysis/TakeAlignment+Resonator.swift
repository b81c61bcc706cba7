// SPDX-License-Identifier: Apache-2.0

import Devices
import HapticRendering
import Profiles
import SignalAnalysis
import Units

extension TakeAlignment {
  /// Resonances that the probe, 50 to 500 Hz, can identify, in hertz.
  private static var identifiable: ClosedRange<Double> { 30...700 }

  /// The probe in volts on the capture's frames, free of noise: as commanded, delayed by the clock line
  /// and as strong as the markers came back on the reference.
  private func probeAsSent(_ probe: Int, frames: Range<Int>) -> [Float] {
    let sweep = Sweep.probe
    // The scale that the builder gave the probe, read off the drive itself.
    let inside = probe..<(probe + take.layout.probeLength)
    let sent = take.channels[.haptic]?[inside] ?? []
    let strongest = sent.indices.max { abs(sent[$0]) < abs(sent[$1]) } ?? 0
    let unit = sweep.value(at: Double(strongest) / rate.hertz)
    let scale = unit != 0 ? Double(sent[strongest]) / unit : 0
    let volts = scale * driveVolts
    let centre = Double(probe) + sweep.duration / 2 * rate.hertz
    let delay = electricalFrames(at: centre)
    let drift = knownDrift * 1e-6
    return frames.map { frame in
      // The drive frame whose captured time this is, to first order in the drift.
      let sent = Double(frame) - delay - drift * (Double(frame) - delay - centre)
      return Float(volts * sweep.value(at: (sent - Double(probe)) / rate.hertz))
    }
  }

  private static var plausibleQ: ClosedRange<Double> { 0.5...100 }

  /// A resonance and a delay that are less sure than this are none: shares of f0 and Q, and seconds.
  private static let vaguest = (frequency: 0.02, q: 0.3, delay: 0.3e-3)
  /// The longest stretch of a pattern that a resonator is fitted to, in seconds, and the shortest.
  private static let patternSpan = 0.1...8.0
  /// A profile's resonance may be off by this, of another temperature and mount: shares of f0 and Q.
  private static let profileDoubt = (frequency: 0.02, q: 0.2)

  /// Finds how the actuator answers: by the probe; else by the pattern itself; else by the profile.
  mutating func findResonator(_ response: Samples, _ noise: NoiseFloor) {
    do throws(NotMeasured) {
      let window = try probeWindow(response, noise)
      probe = window
      try fitProbe(window, noise)
      return
    } catch {
      modelReason = error.reason
      if error.isDead { deadReason = error.reason }
      assumed = error.nearest
      guard deadReason == nil, assumed == nil else { return }
    }
    probe = nil
    do throws(NotMeasured) {
      model = try fitPattern(response, noise)
      modelSource = .pattern
      modelReason = nil
    } catch {
      modelReason = modelReason.map { "\($0); by the pattern: \(error.reason)" }
      let known = profileModel
      assumed = known ?? error.nearest
      modelSource = known == nil ? .pattern : .profile
    }
  }

  /// The strongest resonance of the profile at the level of the pattern, which another temperature and mount may
  /// have moved.
  ///
  /// It counts from the reference: without one nobody knows where the response begins.
  private var profileModel: ResonatorModel? {
    guard electrical != nil, let known = take.configuration.profile?.profile.model,
      let delay = known.delay
    else { return nil }
    let drive: Samples = take.channels[.haptic] ?? []
    let pattern = take.layout.pattern..<(take.layout.pattern + take.layout.patternLength)
    let peak = drive[pattern.clamped(to: drive.indices)].reduce(0) { max($0, abs($1)) }
    let volts = Double(peak) * rig.drive.fullScaleVolts
    let level = known.levels.min { abs($0.drive - volts) < abs($1.drive - volts) }
    guard let mode = level?.mode ?? known.modes.first else { return nil }
    return ResonatorModel(
      delay: Estimate(delay.value + sensorDelay, uncertainty: delay.uncertainty),
      frequency: Estimate(mode.f0.value, uncertainty: Self.profileDoubt.frequency * mode.f0.value),
      q: Estimate(mode.q.value, uncertainty: Self.profileDoubt.q * mode.q.value),
      gain: Estimate(mode.gain.value, uncertainty: mode.gain.uncertainty),
      knownFilter: sensorFilter)
  }

  private var sensorFilter: KnownFilter {
    rig.capture.channel(.acceleration)?.sensor?.bandwidth.map(KnownFilter.butterworth) ?? .none
  }

  private func probeWindow(
    _ response: Samples, _ noise: NoiseFloor
  ) throws(NotMeasured) -> ProbeWindow {
    guard let probe = take.layout.probe else {
      throw NotMeasured(reason: "the take has no probe")
    }
    // From a little before the probe, as captured, to the end of its ringing.
    let delay = Int(electricalFrames(at: Double(probe)).rounded())
    let first = max(0, probe + delay - rate.wholeFrames(0.02))
    let last = min(response.count, take.layout.pattern + delay - rate.wholeFrames(0.002))
    guard last - first > take.layout.probeLength else {
      throw NotMeasured(reason: "the recording ends before the probe")
    }
    guard !recording.touches(first..<last, delay: Double(delay)) else {
      throw NotMeasured(reason: "a gap or an overload lies on the probe")
    }
    let offset = Float(noise.offset.value)
    return ProbeWindow(
      drive: probeAsSent(probe, frames: first..<last),
      motion: response[first..<last].map { $0 - offset })
  }

  /// One resonance, or two where that leaves half as much over.
  private mutating func fitProbe(
    _ window: ProbeWindow, _ noise: NoiseFloor
  ) throws(NotMeasured) {
    var refusal: NotMeasured?
    do throws(NotMeasured) {
      model = try fit(window, noise)
    } catch {
      refusal = error
    }
    guard let nearest = model ?? refusal?.nearest, let left = nearest.quality?.misfit,
      left > Self.largestMisfit, let two = fitModes(window, noise, near: nearest.delay.value),
      let quality = two.quality, quality.misfit < left / 2
    else {
      if let refusal { throw refusal }
      return
    }
    modes = two
    model = ResonatorModel(
      delay: two.delay, frequency: two.mode.frequency, q: two.mode.q, gain: two.mode.gain,
      knownFilter: two.knownFilter, quality: quality)
  }

  /// The band that the probe drives, in hertz.
  private static var driven: ClosedRange<Double> { 50...500 }
  /// Two resonances have one delay; it is looked for so far from that of one alone, in seconds.
  private static var delayRoom: Double { 0.003 }

  private func fitModes(
    _ window: ProbeWindow, _ noise: NoiseFloor, near delay: Double
  ) -> ModalModel? {
    let length = FourierTransform.fastLength(atLeast: window.drive.count)
    let width = rate.hertz / Double(length)
    var transform = FourierTransform(length: length)
    let sent = transform.forward(window.drive.span)
    let answered = transform.forward(window.motion.span)
    let bins = sent.indices.filter {
      Self.driven.contains(Double($0) * width) && sent[$0].power > 0
    }
    guard !bins.isEmpty else { return nil }
    let spread = noise.sigma.value * (Double(window.motion.count) / 2).squareRoot()
    let measured = TransferFunction(
      spacing: width, frequencies: bins.map { Double($0) * width },
      response: bins.map { answered[$0] / sent[$0] },
      uncertainty: bins.map { spread / sent[$0].power.squareRoot() }, delay: delay)
    let fit = ModalFit(
      modes: 2...2, frequencies: Self.driven,
      delays: (delay - Self.delayRoom)...(delay + Self.delayRoom),
      knownFilter: sensorFilter)
    return try? fit.fit(measured)
  }

  /// The pattern's own drive as the probe: what is sent is known, and the response was recorded.
  ///
  /// From rest before the pattern to its end, to the first gap, or for 8 s. What is still ringing there counts as misfit.
  private func fitPattern(
    _ response: Samples, _ noise: NoiseFloor
  ) throws(NotMeasured) -> ResonatorModel {
    let layout = take.layout
    let delay = Int(electricalFrames(at: Double(layout.pattern)).rounded())
    let first = max(0, layout.pattern + delay - rate.wholeFrames(0.02))
    let longest = rate.wholeFrames(Self.patternSpan.upperBound)
    var last = min(response.count, layout.endMarker + delay, first + longest)
    let disturbed =
      recording.captureEvents.map(\.frames)
      + recording.driveEvents.map {
        ($0.frames.lowerBound + delay)..<($0.frames.upperBound + delay)
      }
    for frames in disturbed where frames.upperBound > first {
      last = min(last, frames.lowerBound)
    }
    guard last - first > rate.wholeFrames(Self.patternSpan.lowerBound) else {
      throw NotMeasured(reason: "too little of the pattern is whole")
    }
    let offset = Float(noise.offset.value)
    let window = ProbeWindow(
      drive: driveAsSent(frames: first..<last),
      motion: response[first..<last].map { $0 - offset })
    let found = try fit(window, noise)
    guard found.frequency.relativeUncertainty < Self.vaguest.frequency,
      found.q.relativeUncertainty < Self.vaguest.q,
      found.delay.uncertainty < Self.vaguest.delay
    else { throw NotMeasured(reason: "the pattern tells no resonance") }
    return found
  }

  private func driveAsSent(frames: Range<Int>) -> [Float] {
    let haptic: Samples = take.channels[.haptic] ?? []
    let start = take.layout.pattern
    let volts = driveVolts
    let sent = haptic[start..<min(haptic.count, start + frames.count)].map { volts * Double($0) }
    return TimeStretch.apply(
      sent, offset: Double(start) + electricalFrames(at: Double(start)) - Double(frames.lowerBound),
      stretch: 1 + 1e-6 * knownDrift, count: frames.count
    ).map(Float.init)
  }

  private func fit(
    _ window: ProbeWindow, _ noise: NoiseFloor
  ) throws(NotMeasured) -> ResonatorModel {
    let longest = electrical == nil ? TakeLayout.longestDelay : 0.1
    let fit = ResonatorFit(delays: -0.001...longest, knownFilter: sensorFilter)
    let found: ResonatorModel
    do throws(ResonatorFitError) {
      found = try fit.fit(
        drive: window.drive, response: window.motion, rate: rate, noise: noise.sigma.value)
    } catch {
      switch error {
      case .deadResponse: throw NotMeasured(reason: "\(error)", isDead: true)
      case .doesNotFit(let nearest):
        let isPlausible =
          Self.identifiable.contains(nearest.frequency.value)
          && Self.plausibleQ.contains(nearest.q.value)
          && fit.delays.contains(nearest.delay.value)
        throw NotMeasured(reason: "\(error)", nearest: isPlausible ? nearest : nil)
      default: throw NotMeasured(reason: "\(error)")
      }
    }
    let seen = Self.identifiable
    guard seen.contains(found.frequency.value) else {
      throw NotMeasured(
        reason:
          "the resonance at \(EngineeringFormat.text(found.frequency.value, .hertz)) lies outside what "
          + "the probe shows, \(Int(seen.lowerBound)) to \(Int(seen.upperBound)) Hz")
    }
    return found
  }
}

struct ProbeWindow {
  /// What was sent, in volts, on the capture's frames.
  let drive: [Float]
  let motion: [Float]
}
