import Devices
import HapticRendering
import SignalAnalysis
import Units

extension TakeAlignment {
  /// Measures a take's alignment.
  init(
    rig: RigDescription, take: TakeDrive, recording: Recording, noise: NoiseFloor?
  ) {
    rate = take.rate
    let sensor = rig.capture.channel(.acceleration)?.sensor
    sensorDelay = sensor?.delay ?? 0
    coil = CoilLag.of(rig, take.configuration.profile)
    hasProbe = take.layout.probe != nil
    makesTones = recording.expressible != nil
    let reference = recording.channel(.reference)
    if take.channels[.reference] == nil {
      electricalReason = "the rig's drive has no reference channel"
    } else if let reference {
      measureElectrical(take, recording, reference.samples)
    } else {
      electricalReason = "the rig's capture has no reference channel"
    }
    if electrical == nil {
      clocks = recording.statistics?.driftOfTwoCards
      switch recording.statistics?.start {
      case .separate(let reason):
        untimedReason = "\(reason), and \(electricalReason ?? "there is no reference")"
      case .unlinked(_, let uncertainty, _): startUncertainty = uncertainty
      default: break
      }
    }
    probeFrame = Double(take.layout.probe ?? 0) + Double(take.layout.probeLength) / 2
    guard take.layout.probe != nil else {
      modelReason = "the take has no probe"
      return
    }
    guard let response = recording.channel(.acceleration) else {
      modelReason = "the rig has no acceleration channel"
      return
    }
    guard !response.isConstant else {
      modelReason =
        "the acceleration channel holds one value only: check that the sensor is plugged in"
      deadReason = modelReason
      return
    }
    // A wire has the marker at full height; what leaks over is a hundredth of it at most.
    if let gain = markerGain(in: response.samples, take),
      abs(gain) > 0.1 * (referenceGain.map(abs) ?? rig.drive.fullScaleVolts)
    {
      modelReason =
        "the reference's marker is in it: the channel carries the reference, check the wires"
      deadReason = modelReason
      return
    }
    guard let noise else {
      modelReason = "the noise floor is not known"
      return
    }
    guard !makesTones else {
      modelReason =
        "the drive makes tones of its own, whose phase the probe does not tell: no resonator is fitted"
      return
    }
    if rig.actuators[0].kind == .erm {
      readMotor(rig, take, recording, response.samples, noise)
    } else {
      fitModel(rig, take, recording, response.samples, noise, corner: sensor?.bandwidth)
    }
  }

  private mutating func measureElectrical(
    _ take: TakeDrive, _ recording: Recording, _ samples: [Float]
  ) {
    let starts = [take.layout.startMarker, take.layout.endMarker]
    var search = MarkerSearch(starts: starts, in: samples, of: recording, rate: rate)
    // Once the drift is known the markers are looked for as the capture's clock stretched them.
    if search.points.count == 2, TakeStretches(recording, delay: 0).count == 1,
      let line = try? ClockLine(through: search.points), abs(line.drift.value) < Self.largestDrift
    {
      search = MarkerSearch(
        starts: starts, in: samples, of: recording, rate: rate, drift: line.drift.value)
    }
    guard let gain = search.gain else {
      electricalReason = Self.lost(search.reasons)
      return
    }
    do throws(ClockLine.FitError) {
      electrical = try delay(through: search.points, gain: gain, take, recording, samples)
      referenceGain = gain
    } catch {
      electricalReason = Self.lost(
        search.reasons.isEmpty ? ["\(error)"] : search.reasons)
    }
  }

  private static func lost(_ reasons: [String]) -> String {
    "the markers were not found on the reference channel: \(reasons.joined(separator: "; ")) "
      + "(check the wire from drive to capture)"
  }

  /// A line through the markers; where the stream broke, one for each stretch between.
  private mutating func delay(
    through markers: [ClockLine.Point], gain: Double, _ take: TakeDrive, _ recording: Recording,
    _ samples: [Float]
  ) throws(ClockLine.FitError) -> ElectricalDelay {
    let stretches = TakeStretches(recording, delay: markers[0].delay)
    guard let step = recording.restartStep, stretches.count > 1 else {
      return .line(try ClockLine(through: markers))
    }
    var delays = StretchDelays(
      take: take, recording: recording, reference: samples, markers: markers, gain: gain,
      stretches: stretches, step: step)
    let line = try delays.line()
    delayCount = delays.points.count
    stretchReasons = delays.reasons
    if line.drift.uncertainty > Self.vaguestDrift {
      driftReason =
        "the stream broke \(stretches.breaks.count) times, and what lies between tells the drift no "
        + "better than to \(EngineeringFormat.significant(line.drift.uncertainty)) ppm"
    }
    return .stepped(line, stretches)
  }

  /// No clock is off by more than this, in parts per million.
  private static var largestDrift: Double { 2000 }

  /// A drift less sure than this is none, in parts per million.
  private static var vaguestDrift: Double { 5 }

  /// Resonances that the probe, 50 to 500 Hz, can identify, in hertz.
  private static var identifiable: ClosedRange<Double> { 30...700 }

  /// The probe in volts on the capture's frames, free of noise: as commanded, delayed by the clock line
  /// and as strong as the markers came back on the reference.
  private func probeAsSent(
    _ rig: RigDescription, _ take: TakeDrive, probe: Int, frames: Range<Int>
  ) -> [Float] {
    let haptic = take.channels[.haptic] ?? []
    let sweep = Sweep.probe
    // The scale that the builder gave the probe, read off the drive itself.
    let inside = probe..<(probe + take.layout.probeLength)
    let strongest = inside.max { abs(haptic[$0]) < abs(haptic[$1]) } ?? probe
    let unit = sweep.value(at: Double(strongest - probe) / rate.hertz)
    let scale = unit != 0 ? Double(haptic[strongest]) / unit : 0
    let volts = scale * (referenceGain ?? rig.drive.fullScaleVolts)
    let centre = Double(probe) + sweep.duration / 2 * rate.hertz
    let delay = electricalFrames(at: centre)
    let drift = knownDrift * 1e-6
    return frames.map { frame in
      // The drive frame whose captured time this is, to first order in the drift.
      let sent = Double(frame) - delay - drift * (Double(frame) - delay - centre)
      return Float(volts * sweep.value(at: (sent - Double(probe)) / rate.hertz))
    }
  }

  /// A motor's probe is a step: how it gets going, and how its speed goes with the voltage.
  private mutating func readMotor(
    _ rig: RigDescription, _ take: TakeDrive, _ recording: Recording, _ response: [Float],
    _ noise: NoiseFloor
  ) {
    guard let probe = take.layout.probe else { return }
    guard electrical != nil else {
      modelReason =
        "a motor's step is timed against the reference: \(electricalReason ?? "there is none")"
      return
    }
    let delay = electricalFrames(at: Double(probe))
    let frames = Int(Double(probe) + delay)..<Int(Double(take.layout.pattern) + delay)
    guard frames.upperBound <= response.count else {
      modelReason = "the recording ends before the probe"
      return
    }
    guard !recording.touches(frames, delay: delay) else {
      modelReason = "a gap or an overload lies on the probe"
      return
    }
    do throws(MotorResponse.Refusal) {
      motor = try MotorResponse(
        take, self, response, noise: noise,
        volts: referenceGain ?? rig.drive.fullScaleVolts,
        bandwidth: rig.capture.channel(.acceleration)?.sensor?.bandwidth)
    } catch {
      modelReason = error.reason
      if error.isDead { deadReason = error.reason }
    }
  }

  private mutating func fitModel(
    _ rig: RigDescription, _ take: TakeDrive, _ recording: Recording, _ response: [Float],
    _ noise: NoiseFloor, corner: Double?
  ) {
    guard let probe = take.layout.probe else { return }
    // From a little before the probe, as captured, to the end of its ringing.
    let delay = Int(electricalFrames(at: Double(probe)).rounded())
    let first = max(0, probe + delay - rate.wholeFrames(0.02))
    let last = min(response.count, take.layout.pattern + delay - rate.wholeFrames(0.002))
    guard last - first > take.layout.probeLength else {
      modelReason = "the recording ends before the probe"
      return
    }
    guard !recording.touches(first..<last, delay: Double(delay)) else {
      modelReason = "a gap or an overload lies on the probe"
      return
    }
    let drive = probeAsSent(rig, take, probe: probe, frames: first..<last)
    let offset = Float(noise.offset.value)
    let motion = response[first..<last].map { $0 - offset }
    self.probe = ProbeWindow(drive: drive, motion: motion)
    let longest = electrical == nil ? TakeLayout.longestDelay : 0.1
    let fit = ResonatorFit(
      delays: -0.001...longest,
      knownFilter: corner.map { .secondOrderLowPass(corner: $0, q: 0.5.squareRoot()) } ?? .none)
    do throws(ResonatorFitError) {
      let found = try fit.fit(
        drive: drive, response: motion, rate: rate, noise: noise.sigma.value)
      let seen = Self.identifiable
      guard seen.contains(found.frequency.value) else {
        modelReason =
          "the resonance at \(EngineeringFormat.text(found.frequency.value, .hertz)) lies outside what "
          + "the probe shows, \(Int(seen.lowerBound)) to \(Int(seen.upperBound)) Hz"
        return
      }
      model = found
    } catch {
      modelReason = "\(error)"
      if case .deadResponse = error { deadReason = "\(error)" }
    }
  }

  /// What of the reference's marker stands in another channel: its gain, where it is found at all.
  ///
  /// Markers are sent on the reference alone, while nothing else is driven.
  func markerGain(in samples: [Float], _ take: TakeDrive) -> Double? {
    guard take.channels[.reference] != nil else { return nil }
    let start = take.layout.startMarker
    let last = min(
      samples.count, (take.layout.probe ?? take.layout.pattern) + Int(0.2 * rate.hertz))
    let marker = Sweep.marker.samples(at: rate)
    guard last - start > marker.count else { return nil }
    return try? DelayEstimator(template: marker).estimate(in: Array(samples[start..<last])).gain
  }
}

extension StreamStatistics {
  /// The drift of a capture that is on another device than the drive; `nil` for one device, or none.
  fileprivate var driftOfTwoCards: ClockRate? {
    if case .separate = start { return drift }
    // Of one negotiation the capture is on no card, of none neither is: linked, they have one clock.
    return switch (start, negotiations.count) {
    case (.unlinked, 0), (_, 1): drift
    case (_, 2): negotiations[0].pcm != negotiations[1].pcm ? drift : nil
    default: nil
    }
  }
}

extension Recording {
  /// By how many frames a start after a break may have moved the delay, one standard deviation; `nil` where
  /// frames keep their places by construction.
  fileprivate var restartStep: Double? {
    guard let statistics, statistics.start != .lockStep else { return nil }
    return (statistics.restartUncertainty ?? 0) * rate.hertz
  }

  /// The first frame at or after one at which the devices were started anew; `nil` where none was.
  func firstBreak(from start: Int) -> Int? {
    (captureEvents + driveEvents)
      .filter { ($0.kind == .underrun || $0.kind == .overrun) && $0.frames.upperBound > start }
      .map(\.frame).min()
  }

  /// Whether frames of the capture were lost, clipped, or not driven as commanded.
  ///
  /// What happened to the drive is felt `delay` frames later.
  func touches(_ frames: Range<Int>, delay: Double) -> Bool {
    let late = Int(delay.rounded())
    let driven = (frames.lowerBound - late)..<(frames.upperBound - late)
    return captureEvents.contains { $0.frames.overlaps(frames) }
      || driveEvents.contains { $0.frames.overlaps(driven) }
  }
}
