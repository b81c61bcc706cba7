// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import HapticRendering
import SignalAnalysis
import Units

extension TakeAlignment {
  init(
    rig: RigDescription, take: TakeDrive, recording: Recording, noise: NoiseFloor?
  ) {
    self.rig = rig
    self.take = take
    self.recording = recording
    let sensor = rig.capture.channel(.acceleration)?.sensor
    sensorDelay = sensor?.delay ?? 0
    coil = CoilLag.of(rig, take.configuration.profile)
    hasProbe = take.layout.probe != nil
    makesTones = recording.expressible != nil
    let reference = recording.channel(.reference)
    if take.channels[.reference] == nil {
      electricalReason = "the rig's drive has no reference channel"
    } else if let reference {
      hasReference = true
      measureElectrical(reference.samples)
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
    do throws(NotMeasured) {
      try readResponse(noise)
    } catch {
      modelReason = error.reason
      if error.isDead { deadReason = error.reason }
    }
  }

  private mutating func readResponse(_ noise: NoiseFloor?) throws(NotMeasured) {
    guard let response = recording.channel(.acceleration) else {
      throw NotMeasured(reason: "the rig has no acceleration channel")
    }
    guard !response.isConstant else {
      throw NotMeasured(
        reason:
          "the acceleration channel holds one value only: check that the sensor is plugged in",
        isDead: true)
    }
    // A wire has the marker at full height; what leaks over is a hundredth of it at most.
    if let gain = markerGain(in: response.samples),
      abs(gain) > 0.1 * (referenceGain.map(abs) ?? rig.drive.fullScaleVolts)
    {
      throw NotMeasured(
        reason:
          "the reference's marker is in it: the channel carries the reference, check the wires",
        isDead: true)
    }
    guard let noise else { throw NotMeasured(reason: "the noise floor is not known") }
    guard !makesTones else {
      throw NotMeasured(
        reason:
          "the drive makes tones of its own, whose phase the probe does not tell: no resonator is fitted"
      )
    }
    if rig.actuators[0].kind == .erm {
      motor = try motorResponse(response.samples, noise)
    } else {
      findResonator(response.samples, noise)
    }
  }

  private mutating func measureElectrical(_ samples: Samples) {
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
      electrical = try delay(through: search.points, gain: gain, samples)
      referenceGain = gain
    } catch {
      electricalReason = Self.lost(search.reasons.isEmpty ? ["\(error)"] : search.reasons)
    }
  }

  private static func lost(_ reasons: [String]) -> String {
    "the markers were not found on the reference channel: \(reasons.joined(separator: "; ")) "
      + "(check the wire from drive to capture)"
  }

  private mutating func delay(
    through markers: [ClockLine.Point], gain: Double, _ samples: Samples
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

  /// A motor's probe is a step: how it gets going, and how its speed goes with the voltage.
  private func motorResponse(
    _ response: Samples, _ noise: NoiseFloor
  ) throws(NotMeasured) -> MotorResponse {
    guard let probe = take.layout.probe else {
      throw NotMeasured(reason: "the take has no probe")
    }
    guard electrical != nil else {
      throw NotMeasured(
        reason:
          "a motor's step is timed against the reference: \(electricalReason ?? "there is none")")
    }
    let delay = electricalFrames(at: Double(probe))
    let frames = Int(Double(probe) + delay)..<Int(Double(take.layout.pattern) + delay)
    guard frames.upperBound <= response.count else {
      throw NotMeasured(reason: "the recording ends before the probe")
    }
    guard !recording.touches(frames, delay: delay) else {
      throw NotMeasured(reason: "a gap or an overload lies on the probe")
    }
    return try MotorResponse(self, response, noise: noise)
  }

  /// The gain of the reference's marker in another channel, where it is found at all.
  func markerGain(in samples: Samples) -> Double? {
    guard take.channels[.reference] != nil else { return nil }
    let start = take.layout.startMarker
    let last = min(
      samples.count, (take.layout.probe ?? take.layout.pattern) + Int(0.2 * rate.hertz))
    let marker = Sweep.marker.samples(at: rate)
    guard last - start > marker.count else { return nil }
    return try? DelayEstimator(template: marker).estimate(in: samples[start..<last]).gain
  }
}

extension StreamStatistics {
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

  /// Whether frames of the capture were lost or clipped, or not driven as commanded, which is felt
  /// `delay` frames later.
  func touches(_ frames: Range<Int>, delay: Double) -> Bool {
    let late = Int(delay.rounded())
    let driven = (frames.lowerBound - late)..<(frames.upperBound - late)
    return captureEvents.contains { $0.frames.overlaps(frames) }
      || driveEvents.contains { $0.frames.overlaps(driven) }
  }
}
