import Calibration
import Devices
import SignalAnalysis
import Units

extension SegmentResponse {
  /// Cuts a segment's response out of its recording.
  ///
  /// With a reference the cut follows the electrical delay to the nearest frame and is put on the
  /// drive's clock, which may be percents from the capture's, and the captured reference is the input, scaled so that the markers have the drive's
  /// full scale: what is less than a frame is then the same in both. Without one the cut is where the
  /// segment was sent. A reference whose markers are not found gives an input of silence: the procedure
  /// says what that means.
  /// `clock` is the capture's offset from the drive's clock as an earlier segment told it, as a share.
  init(
    _ segment: CalibrationSegment, take: SegmentTake, recording: Recording, rig: RigDescription,
    clock: Double?
  ) {
    let rate = recording.rate
    let reference = take.frames.channels[.reference].flatMap { _ in recording.channel(.reference) }
    let markers = reference.map {
      MarkerClock(markers: take.markers, in: $0.samples, of: recording, known: clock)
    }
    let line = markers?.line
    let lead = rate.wholeFrames(SegmentTake.lead)
    let window = DriveWindow(
      first: take.start - lead, count: SegmentTake.responseCount(of: segment), line: line,
      rate: rate)
    func cut(_ samples: Samples) -> [Float] { window.cut(samples) }
    let input: [Float]
    if let reference {
      // What a drive of 1 comes back as is nobody's business: the wire carries time and shape.
      let scale = Float(rig.drive.fullScaleVolts / (markers?.gain ?? 1))
      input =
        line == nil
        ? [Float](repeating: 0, count: window.driveFrames.count)
        : cut(reference.samples).map { scale * $0 }
    } else {
      let sent = take.frames.channels[.haptic] ?? []
      let volts = Float(rig.drive.fullScaleVolts)
      input = sent.padded(window.driveFrames).map { volts * $0 }
    }
    let described = rig.capture.channels
    let axes = zip(recording.channels, described).compactMap { channel, description in
      channel.description.role == .acceleration
        ? SegmentResponse.Axis(
          name: description.axisName, samples: cut(channel.samples),
          fullScale: description.clippingAcceleration) : nil
    }
    self.init(
      rate: rate, input: input, inputIsMeasured: reference != nil, axes: axes,
      voltage: recording.channel(.voltage).map { cut($0.samples) },
      current: recording.channel(.current).map { cut($0.samples) },
      gaps: window.gaps(of: recording) + (markers?.isBroken == true ? [0..<1] : []), lead: lead,
      delayUncertainty: line.map { rate.seconds($0.delay(at: Double(take.start)).uncertainty) },
      clock: markers?.offset)
  }
}

extension CaptureChannelDescription {
  /// The acceleration at which the converter clips, where a sensor makes the voltage.
  fileprivate var clippingAcceleration: Double? {
    guard let volts = fullScaleVolts, let sensor else { return nil }
    return volts / sensor.sensitivity
  }
}
