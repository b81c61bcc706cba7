// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import Devices
import Profiles
import SignalAnalysis
import SoundFiles
import Units

/// A segment of a calibration as it is sent: between two markers on the reference.
struct SegmentTake {
  let frames: DriveFrames
  let markers: [Int]
  let start: Int

  /// Silence before a segment that belongs to its response, in seconds.
  static let lead = 0.15
  /// Silence after a segment that belongs to its response, in seconds.
  static let tail = 0.05

  /// What belongs to the response of a silence besides: the marker that the reference alone carries, and the
  /// ringing of an actuator that hangs on its wire.
  private static let echo = 0.01 + Sweep.marker.duration + 0.1

  static func responseCount(of segment: CalibrationSegment) -> Int {
    let behind = tail + (segment.purpose == .quiet ? echo : 0)
    return segment.volts.count + segment.rate.wholeFrames(lead) + segment.rate.wholeFrames(behind)
  }

  /// Lays out a segment for a rig.
  ///
  /// `clock` is the capture's offset from the drive's clock as a share: a fast one needs more frames for
  /// the same seconds.
  init(
    _ segment: CalibrationSegment, rig: RigDescription, limits: DriveLimits, clock: Double? = nil
  ) {
    let rate = rig.drive.rate
    let marker = Sweep.marker.samples(at: rate)
    let first = rate.wholeFrames(0.02)
    start = first + marker.count + rate.wholeFrames(0.01 + Self.lead)
    let last = start + segment.volts.count + rate.wholeFrames(Self.tail + 0.01)
    let end = last + marker.count
    let count =
      end + rate.wholeFrames(TakeLayout.longestDelay + 0.01)
      + (segment.purpose == .quiet ? rate.wholeFrames(Self.echo) : 0)
      + Int((Double(end) * max(0, clock ?? 0)).rounded(.up))
    markers = [first, last]

    let share = Float(1 / rig.drive.fullScaleVolts)
    var haptic = [Float](repeating: 0, count: count)
    for (index, volts) in segment.volts.enumerated() { haptic[start + index] = share * volts }
    var limiter = DriveLimiter(
      limits: limits, fullScaleVolts: rig.drive.fullScaleVolts, rate: rate.hertz)
    limiter.process(&haptic)

    // The wiring is tried by driving what stands on another channel in the actuator's place.
    let role = segment.otherChannel.flatMap { other in
      rig.drive.channels.first { $0.value == other }?.key
    }
    var channels: [DriveRole: [Float]] = [role ?? .haptic: haptic]
    if rig.drive.channels[.reference] != nil {
      var reference = haptic
      for place in markers {
        reference.place(marker, at: place)
      }
      channels[.reference] = reference
    }
    frames = DriveFrames(channels: channels, count: count, rate: rate)
  }
}

extension SegmentTake {
  /// Before the segment, and from when the actuator may have come to rest after it.
  ///
  /// Without a line through the markers nobody knows when that is; what is not quiet yet is not
  /// taken for it.
  fileprivate func quietEnds(
    of recording: Recording, around segment: CalibrationSegment, line: ClockLine?, clock: Double?
  ) -> QuietEnds {
    let rate = recording.rate
    func captured(_ frame: Int) -> Int {
      // The line holds what the clocks have drifted apart.
      Int(Double(frame) + (line?.delay(at: Double(frame)).value ?? Double(frame) * (clock ?? 0)))
    }
    // Less what a clock of the rig that is off unknown takes of it.
    let before = Int(Double(start) * (1 + min(0, clock ?? 0))) - rate.wholeFrames(0.01)
    let after = captured(start + segment.volts.count) + rate.wholeFrames(QuietEnds.settling)
    return QuietEnds(
      start: 0..<max(0, before), end: min(after, recording.frameCount)..<recording.frameCount)
  }
}

extension SegmentResponse.Hum {
  fileprivate init(_ hum: MainsHum, axis: String, unit: MeasurementUnit) {
    self.init(
      sentence: hum.sentence(about: "axis \(axis) of the accelerometer", unit: unit),
      left: hum.isSteady ? hum.left : nil)
  }
}

extension SegmentResponse {
  /// Cuts a segment's response out of its recording.
  ///
  /// With a reference the cut follows the electrical delay to the nearest frame and is put on the
  /// drive's clock, which may be percents from the capture's, and the captured reference is the input, scaled so that the markers have the drive's
  /// full scale: what is less than a frame is then the same in both. Without one the cut is where the
  /// segment was sent. A reference whose markers are not found gives an input of silence: the procedure
  /// says what that means. Hum of the mains is taken off before.
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
    // Where a converter's end was met it must be seen, and the segment is of no use anyhow.
    let clipped = zip(recording.channels, described).filter { channel, description in
      segment.level > 0 && channel.stands(atEnd: description.clippingAcceleration)
    }
    let (cleaned, hums) = recording.withoutHum(
      take.quietEnds(of: recording, around: segment, line: line, clock: markers?.offset?.value),
      except: Set(clipped.map(\.0.description.name)))
    let axes = zip(cleaned.channels, described).compactMap { channel, description in
      channel.description.role == .acceleration
        ? SegmentResponse.Axis(
          name: description.axisName, samples: cut(channel.samples),
          fullScale: description.clippingAcceleration,
          hum: hums[channel.description.name].map {
            SegmentResponse.Hum($0, axis: description.axisName, unit: channel.description.unit)
          }) : nil
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

extension Recording.Channel {
  /// Whether samples stand at a converter's end, or, where it is not known, again and again at their
  /// own extreme.
  fileprivate func stands(atEnd end: Double?) -> Bool {
    guard description.role == .acceleration, let (lowest, highest) = samples.extremes else {
      return false
    }
    if let end { return Double(max(highest, -lowest)) >= SegmentResponse.Axis.endShare * end }
    return [lowest, highest].contains {
      Recording.runs(of: $0, in: samples, atLeast: 3).count > 1
    }
  }
}

extension CaptureChannelDescription {
  /// The acceleration at which the converter clips, where a sensor makes the voltage.
  fileprivate var clippingAcceleration: Double? {
    guard let volts = fullScaleVolts, let sensor else { return nil }
    return volts / sensor.sensitivity
  }
}

/// A stretch of the drive's frames, and how it is cut out of what was captured.
///
/// Two clocks pull a sweep apart, and frequencies with it: where the capture counts faster or slower than
/// the drive, its samples are resampled to the drive's clock.
struct DriveWindow {
  let driveFrames: Range<Int>

  private let rate: SampleRate
  /// The captured frame at which the window begins, and its margin before.
  private let begin: Int
  private let stretch: Double
  /// Frames on either side that keep the resampler's ends out.
  private let margin: Int

  /// Rates closer than this are the same, as a share: what a marker cannot tell.
  private static let sameClock = 1e-6

  /// Places a window by the line through the markers; `nil` takes the capture for the drive's own time.
  init(first: Int, count: Int, line: ClockLine?, rate: SampleRate) {
    driveFrames = first..<(first + count)
    self.rate = rate
    let drift = (line?.drift.value ?? 0) * 1e-6
    stretch = abs(drift) > Self.sameClock ? 1 + drift : 1
    margin = stretch == 1 ? 0 : rate.wholeFrames(0.02)
    let place = Double(first - margin)
    begin = Int((place + (line?.delay(at: place).value ?? 0)).rounded())
  }

  func cut(_ samples: Samples) -> [Float] {
    let count = driveFrames.count + 2 * margin
    let taken = stretch == 1 ? count : Int((Double(count) * stretch).rounded(.up)) + 1
    let held = samples.padded(begin..<(begin + taken))
    guard stretch != 1 else { return held }
    let captured = Signal(samples: held, rate: SampleRate(hertz: rate.hertz * stretch), unit: .one)
    guard let resampled = try? Resampler.resample(captured, to: rate) else { return held }
    return (margin..<(margin + driveFrames.count)).map {
      resampled.samples.indices.contains($0) ? resampled.samples[$0] : 0
    }
  }

  func gaps(of recording: Recording) -> [Range<Int>] {
    let all = recording.gaps + [recording.frameCount..<Int.max]
    return all.compactMap { gap in
      let from = max(0, place(of: gap.lowerBound, rounded: .down))
      let to =
        gap.upperBound == .max
        ? driveFrames.count : min(driveFrames.count, place(of: gap.upperBound, rounded: .up))
      return from < to ? from..<to : nil
    }
  }

  private func place(of frame: Int, rounded rule: FloatingPointRoundingRule) -> Int {
    Int((Double(frame - begin) / stretch).rounded(rule)) - margin
  }
}

/// The line between the drive's clock and the capture's, from the markers of a segment.
///
/// A marker that was captured by a clock that is off by a share e lasts 1 + e times as many frames, and from
/// some hundred ppm on no longer resembles the one that was sent. Each is looked for by a marker that is
/// stretched alike: by what an earlier segment told, or, where that finds too little, by the best of a
/// grid. How far apart both stand then tells the stretch to a part of a ppm, and by that they are found once
/// more, so that neither place nor height is biased.
struct MarkerClock {
  /// Captured frames minus drive frames over drive frames; `nil` where not both markers were found.
  private(set) var line: ClockLine?
  private(set) var gain: Double?
  /// How much faster the capture counts than the drive, as a share; `nil` where no marker was found.
  private(set) var offset: Estimate?
  var isBroken: Bool {
    line == nil && markers.contains { recording.touches(window(of: $0, stretch), delay: 0) }
  }

  /// How far off a clock is looked for: 44,100 Hz taken for 48,000 Hz and back, and a little more.
  static let reach = 0.12
  /// Steps of the grid: half of one lowers the correlation by 4 %.
  private static let steps = [0.002, 0.0002]
  /// A marker of the right stretch in a quiet reference correlates better than this.
  private static let likeness = 0.97
  /// Stretches closer than this find the same, as a share: the height then errs by less than 4e-5.
  private static let close = 3e-5

  private let markers: [Int]
  private let recording: Recording
  private let samples: Samples
  private var stretch: Double
  private let rate: SampleRate

  /// `known` is the clock's offset as an earlier segment told it, as a share.
  init(markers: [Int], in samples: Samples, of recording: Recording, known: Double?) {
    self.markers = markers
    self.recording = recording
    self.samples = samples
    rate = recording.rate
    stretch = known ?? 0
    guard let first = markers.first else { return }
    // A marker that an earlier segment's stretch finds is unlike only by its noise.
    let sure = known == nil ? Self.likeness : 0
    if abs(place(first, stretch, by: template(stretch))?.correlation ?? 0) <= sure {
      guard let best = search(first) else { return }
      stretch = best
    }
    offset = Estimate(stretch, uncertainty: Self.steps[1])
    guard var found = points() else { return }
    for _ in 0..<3 where abs(1e-6 * found.line.drift.value - stretch) > Self.close {
      stretch = 1e-6 * found.line.drift.value
      guard let next = points() else { break }
      found = next
    }
    line = found.line
    gain = found.gain
    offset = Estimate(
      1e-6 * found.line.drift.value, uncertainty: 1e-6 * found.line.drift.uncertainty)
  }

  private func template(_ stretch: Double) -> DelayEstimator {
    DelayEstimator(
      template: Sweep.marker.samples(at: SampleRate(hertz: rate.hertz * (1 + stretch))))
  }

  /// A marker where a clock would put it; `nil` where none is there, or it is not whole.
  private func place(
    _ start: Int, _ stretch: Double, by estimator: DelayEstimator
  ) -> DelayEstimate? {
    let window = window(of: start, stretch)
    guard window.count >= estimator.template.count,
      let found = try? estimator.estimate(in: samples[window])
    else { return nil }
    let arrival = Int(found.delay) + window.lowerBound
    let late = found.delay + Double(window.lowerBound - start)
    return recording.touches(arrival..<(arrival + estimator.template.count), delay: late)
      ? nil : found.shifted(by: Double(window.lowerBound))
  }

  /// Where a marker may stand: little before a clock would have it, and up to the longest delay after.
  private func window(of start: Int, _ stretch: Double) -> Range<Int> {
    let expected = Int(Double(start) * (1 + stretch))
    let longest = Sweep.marker.duration * (1 + Self.reach) + TakeLayout.longestDelay
    let frames = expected - rate.wholeFrames(0.01)..<expected + rate.wholeFrames(longest)
    return frames.clamped(to: samples.indices)
  }

  private func search(_ start: Int) -> Double? {
    var centre = 0.0
    var reach = Self.reach
    for step in Self.steps {
      let count = Int((reach / step).rounded())
      let found = (-count...count).compactMap { place -> (Double, Double)? in
        let stretch = centre + Double(place) * step
        return self.place(start, stretch, by: template(stretch))
          .map { (stretch, abs($0.correlation)) }
      }
      guard let best = found.max(by: { $0.1 < $1.1 }) else { return nil }
      (centre, reach) = (best.0, step)
    }
    return centre
  }

  private func points() -> (line: ClockLine, gain: Double)? {
    let estimator = template(stretch)
    let found = markers.compactMap { start in
      place(start, stretch, by: estimator).map { (start, $0) }
    }
    guard found.count == markers.count else { return nil }
    let line = try? ClockLine(
      through: found.map { start, marker in
        ClockLine.Point(
          frame: Double(start), delay: marker.delay - Double(start),
          uncertainty: marker.uncertainty)
      })
    let gain = found.reduce(0) { $0 + $1.1.gain } / Double(found.count)
    return line.map { ($0, gain) }
  }
}
