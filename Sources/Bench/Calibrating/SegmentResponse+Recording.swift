import Calibration
import Devices
import SignalAnalysis
import Units

extension SegmentResponse {
  /// Cuts a segment's response out of its recording.
  ///
  /// With a reference the cut follows the electrical delay to the nearest frame and is put on the
  /// drive's clock, and the captured reference is the input, scaled so that the markers have the drive's
  /// full scale: what is less than a frame is then the same in both. Without one the cut is where the
  /// segment was sent. A reference whose markers are not found gives an input of silence: the procedure
  /// says what that means.
  init(_ segment: CalibrationSegment, take: SegmentTake, recording: Recording, rig: RigDescription)
  {
    let rate = recording.rate
    let reference = take.frames.channels[.reference].flatMap { _ in recording.channel(.reference) }
    var gain = 1.0
    var line: ClockLine?
    if let reference {
      let search = MarkerSearch(
        starts: take.markers, in: reference.samples, of: recording, rate: rate)
      line = try? ClockLine(through: search.points)
      gain = search.gain ?? 1
    }
    let lead = rate.wholeFrames(SegmentTake.lead)
    let window = DriveWindow(
      first: take.start - lead, count: SegmentTake.responseCount(of: segment), line: line,
      rate: rate)
    func cut(_ samples: [Float]) -> [Float] { window.cut(samples) }
    let input: [Float]
    if let reference {
      // What a drive of 1 comes back as is nobody's business: the wire carries time and shape.
      let scale = Float(rig.drive.fullScaleVolts / gain)
      input =
        line == nil
        ? [Float](repeating: 0, count: window.driveFrames.count)
        : cut(reference.samples).map { scale * $0 }
    } else {
      let sent = take.frames.channels[.haptic] ?? []
      let volts = Float(rig.drive.fullScaleVolts)
      input = window.driveFrames.map { sent.indices.contains($0) ? volts * sent[$0] : 0 }
    }
    let described = rig.capture.channels
    let axes = zip(recording.channels, described).compactMap { channel, description in
      channel.description.role == .acceleration
        ? SegmentResponse.Axis(
          name: description.axis ?? description.name, samples: cut(channel.samples),
          fullScale: description.clippingAcceleration) : nil
    }
    self.init(
      rate: rate, input: input, inputIsMeasured: reference != nil, axes: axes,
      voltage: recording.channel(.voltage).map { cut($0.samples) },
      current: recording.channel(.current).map { cut($0.samples) },
      gaps: window.gaps(of: recording), lead: lead,
      delayUncertainty: line.map { rate.seconds($0.delay(at: Double(take.start)).uncertainty) })
  }
}

extension CaptureChannelDescription {
  /// The acceleration at which the converter clips, where a sensor makes the voltage.
  fileprivate var clippingAcceleration: Double? {
    guard let volts = fullScaleVolts, let sensor else { return nil }
    return volts / sensor.sensitivity
  }
}
