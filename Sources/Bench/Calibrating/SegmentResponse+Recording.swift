import Calibration
import Devices
import SignalAnalysis
import Units

extension SegmentResponse {
  /// Cuts a segment's response out of its recording.
  ///
  /// With a reference the cut follows the electrical delay to the nearest frame, and the captured
  /// reference is the input, scaled so that the markers have the drive's full scale: what is less than
  /// a frame is then the same in both. Without one the cut
  /// is where the segment was sent. A reference whose markers are not found gives an input of silence:
  /// the procedure says what that means.
  init(_ segment: CalibrationSegment, take: SegmentTake, recording: Recording, rig: RigDescription)
  {
    let rate = recording.rate
    let reference = take.frames.channels[.reference].flatMap { _ in recording.channel(.reference) }
    var delay = 0.0
    var gain = 1.0
    var line: ClockLine?
    var uncertainty: Double?
    if let reference {
      let search = MarkerSearch(
        starts: take.markers, in: reference.samples, of: recording, rate: rate)
      line = try? ClockLine(through: search.points)
      if !search.gains.isEmpty {
        gain = search.gains.reduce(0, +) / Double(search.gains.count)
      }
      if let found = line?.delay(at: Double(take.start)) {
        delay = found.value.rounded()
        uncertainty = rate.seconds(found.uncertainty)
      }
    }
    let lead = rate.wholeFrames(SegmentTake.lead)
    let first = take.start + Int(delay) - lead
    let window = first..<(first + SegmentTake.responseCount(of: segment))
    func cut(_ samples: [Float]) -> [Float] {
      window.map { samples.indices.contains($0) ? samples[$0] : 0 }
    }
    let input: [Float]
    if let reference {
      // What a drive of 1 comes back as is nobody's business: the wire carries time and shape.
      let scale = Float(rig.drive.fullScaleVolts / gain)
      input =
        line == nil
        ? [Float](repeating: 0, count: window.count) : cut(reference.samples).map { scale * $0 }
    } else {
      let sent = take.frames.channels[.haptic] ?? []
      let volts = Float(rig.drive.fullScaleVolts)
      input = window.map { sent.indices.contains($0) ? volts * sent[$0] : 0 }
    }
    let described = rig.capture.channels
    let axes = zip(recording.channels, described).compactMap { channel, description in
      channel.description.role == .acceleration
        ? SegmentResponse.Axis(
          name: description.axis ?? description.name, samples: cut(channel.samples),
          fullScale: description.clippingAcceleration) : nil
    }
    let lost = recording.gaps.filter { $0.overlaps(window) }.map { $0.clamped(to: window) }
    let missing =
      recording.frameCount < window.upperBound
      ? [max(window.lowerBound, recording.frameCount)..<window.upperBound] : []
    self.init(
      rate: rate, input: input, inputIsMeasured: reference != nil, axes: axes,
      voltage: recording.channel(.voltage).map { cut($0.samples) },
      current: recording.channel(.current).map { cut($0.samples) },
      gaps: (lost + missing).map { ($0.lowerBound - first)..<($0.upperBound - first) },
      lead: lead, delayUncertainty: uncertainty,
      drift: (line?.degreesOfFreedom ?? -1) >= 0 ? line?.drift.value : nil)
  }
}

extension CaptureChannelDescription {
  /// The acceleration at which the converter clips, where a sensor makes the voltage.
  fileprivate var clippingAcceleration: Double? {
    guard let volts = fullScaleVolts, let sensor else { return nil }
    return volts / sensor.sensitivity
  }
}
