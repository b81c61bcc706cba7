import Devices
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
    let reference = recording.channel(.reference)
    if take.channels[.reference] == nil {
      electricalReason = "the rig's drive has no reference channel"
    } else if let reference {
      measureElectrical(take, recording, reference.samples)
    } else {
      electricalReason = "the rig's capture has no reference channel"
    }
    guard take.layout.probe != nil else {
      modelReason = "the take has no probe"
      return
    }
    guard let response = recording.channel(.acceleration) else {
      modelReason = "the rig has no acceleration channel"
      return
    }
    guard let noise else {
      modelReason = "the noise floor is not known"
      return
    }
    fitModel(rig, take, recording, response.samples, noise, corner: sensor?.bandwidth)
  }

  private mutating func measureElectrical(
    _ take: TakeDrive, _ recording: Recording, _ samples: [Float]
  ) {
    let marker = Sweep.marker.samples(at: rate)
    let estimator = DelayEstimator(template: marker)
    let longest = rate.wholeFrames(TakeLayout.longestDelay)
    var points: [ClockLine.Point] = []
    var gains: [Double] = []
    var reasons: [String] = []
    for start in [take.layout.startMarker, take.layout.endMarker] {
      // Markers stand in silence but for the haptic copy: a window about them holds nothing else.
      let first = max(0, start - rate.wholeFrames(0.01))
      let last = min(samples.count, start + marker.count + longest)
      guard last - first >= marker.count else {
        reasons.append("the recording ends before the marker at \(start)")
        continue
      }
      let window = Array(samples[first..<last])
      do throws(DelayError) {
        let found = try estimator.estimate(in: window)
        let arrival = Int(Double(first) + found.delay)
        let delay = Double(first) + found.delay - Double(start)
        if recording.touches(arrival..<(arrival + marker.count), delay: delay) {
          reasons.append("a gap lies on the marker at frame \(start)")
          continue
        }
        gains.append(found.gain)
        points.append(
          ClockLine.Point(
            frame: Double(start) + estimator.centre, delay: delay, uncertainty: found.uncertainty))
      } catch {
        reasons.append("\(error)")
      }
    }
    if points.count == 2, let broken = recording.firstBreak(from: take.layout.startMarker) {
      points = Self.heldPoints(points, broken: broken)
      driftReason =
        "the stream broke at frame \(broken), between the markers, and was started anew"
    }
    do throws(ClockLine.FitError) {
      electrical = try ClockLine(through: points)
      referenceGain = gains.reduce(0, +) / Double(gains.count)
    } catch {
      electricalReason =
        "the markers were not found on the reference channel: "
        + (reasons.isEmpty ? "\(error)" : reasons.joined(separator: "; "))
        + " (check the wire from drive to capture)"
    }
  }

  /// The delay of the first marker, held: after a break it is known only as well as the second marker,
  /// which belongs to another start, agrees.
  private static func heldPoints(_ points: [ClockLine.Point], broken: Int) -> [ClockLine.Point] {
    let (first, last) = (points[0], points[1])
    let step = abs(last.delay - first.delay)
    let frame = max(Double(broken), first.frame + 1)
    return [
      first,
      ClockLine.Point(
        frame: frame, delay: first.delay,
        uncertainty: max(step, first.uncertainty, last.uncertainty)),
    ]
  }

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
    let delay = electrical?.delay(at: centre).value ?? 0
    let drift = (electrical?.drift.value ?? 0) * 1e-6
    return frames.map { frame in
      // The drive frame whose captured time this is, to first order in the drift.
      let sent = Double(frame) - delay - drift * (Double(frame) - delay - centre)
      return Float(volts * sweep.value(at: (sent - Double(probe)) / rate.hertz))
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
    }
  }
}

extension Recording {
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
