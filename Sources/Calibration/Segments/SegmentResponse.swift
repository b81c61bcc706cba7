// SPDX-License-Identifier: Apache-2.0

package import SignalAnalysis
package import Units

/// What the sensors delivered while a segment was played, on the capture's clock.
///
/// Frame k of every list is the same instant; frame 0 is where the segment's frame 0 arrives on the
/// reference, or where it was sent where there is none.
package struct SegmentResponse: Sendable, Equatable {
  package struct Axis: Sendable, Equatable {
    /// `x`, `y`, `z`, or the channel's name where the rig file has no axis.
    package let name: String
    /// m/s2, one sample a frame.
    package let samples: [Float]
    package let fullScale: Double?
    /// The share of the full scale from which on a sample stands at the converter's end.
    package static let endShare = 0.999
    /// The hum of the mains that was found around the segment; `nil` where none stands out.
    package let hum: Hum?

    package init(name: String, samples: [Float], fullScale: Double? = nil, hum: Hum? = nil) {
      self.name = name
      self.samples = samples
      self.fullScale = fullScale
      self.hum = hum
    }
  }

  /// Hum of the mains that an axis was recorded with.
  package struct Hum: Sendable, Equatable {
    /// What hums how strongly, and what helps.
    package let sentence: String
    /// The rms in m/s2 of what may be left of it; `nil` where it is not steady and was not taken off.
    package let left: Double?

    package init(sentence: String, left: Double?) {
      self.sentence = sentence
      self.left = left
    }
  }

  package let rate: SampleRate
  /// The voltage at the actuator: the reference as captured, or the drive as sent.
  package let input: [Float]
  package let inputIsMeasured: Bool
  /// The accelerometer's axes; the first is the one that the rig file puts first.
  package let axes: [Axis]
  /// Volts at the coil, where a channel measures them.
  package let voltage: [Float]?
  /// Amperes through the coil, where a channel measures them.
  package let current: [Float]?
  /// Stretches that hold no true sample.
  package let gaps: [Range<Int>]
  /// The frame that is the segment's frame 0.
  ///
  /// What stands before it is silence; noise is read from it.
  package let lead: Int
  /// How the electrical delay was found to scatter, in seconds; `nil` without a reference.
  package let delayUncertainty: Double?
  /// Capture clock against drive clock, in ppm, where the samples are still on the capture's.
  package let drift: Double?
  /// How much faster the capture counted than the drive, as a share, where it was found and taken out.
  package let clock: Estimate?

  package init(
    rate: SampleRate, input: [Float], inputIsMeasured: Bool, axes: [Axis], voltage: [Float]? = nil,
    current: [Float]? = nil, gaps: [Range<Int>] = [], lead: Int = 0,
    delayUncertainty: Double? = nil, drift: Double? = nil, clock: Estimate? = nil
  ) {
    self.rate = rate
    self.input = input
    self.inputIsMeasured = inputIsMeasured
    self.axes = axes
    self.voltage = voltage
    self.current = current
    self.gaps = gaps
    self.lead = lead
    self.delayUncertainty = delayUncertainty
    self.drift = drift
    self.clock = clock
  }

  /// The response within some of its frames, without what was lost outside of them.
  func limited(to frames: Range<Int>) -> SegmentResponse {
    func part(_ samples: [Float]) -> [Float] { Array(samples[frames.clamped(to: samples.indices)]) }
    return SegmentResponse(
      rate: rate, input: part(input), inputIsMeasured: inputIsMeasured,
      axes: axes.map {
        Axis(name: $0.name, samples: part($0.samples), fullScale: $0.fullScale, hum: $0.hum)
      },
      voltage: voltage.map(part), current: current.map(part),
      gaps: gaps.map { $0.clamped(to: frames) }.filter { !$0.isEmpty }
        .map { $0.lowerBound - frames.lowerBound..<$0.upperBound - frames.lowerBound },
      lead: max(0, lead - frames.lowerBound), delayUncertainty: delayUncertainty, drift: drift,
      clock: clock)
  }
}

/// A segment's response that has passed the checks which every response must pass.
struct Capture: Sendable {
  let rate: SampleRate
  /// Volts at the actuator: as captured, or as sent.
  let input: [Float]
  /// The axes in m/s2, their means at rest taken out.
  let axes: [[Float]]
  /// The frame at which the segment begins.
  let lead: Int
  let voltage: [Float]?
  let current: [Float]?
  /// The captured reference over the drive as sent; nil without a captured reference.
  let referenceScale: Double?
  /// Capture clock against drive clock, as a share.
  let clock: Double

  func frame(of drive: Int) -> Int {
    clock == 0 ? lead + drive : lead + Int((Double(drive) * (1 + clock)).rounded())
  }

  /// The frames at which frames of the segment are captured, a delay in seconds later.
  func frames(of drive: Range<Int>, after delay: Double) -> Range<Int> {
    let shift = Int(rate.frames(max(0, delay)).rounded(.up))
    return frame(of: drive.lowerBound) + shift..<frame(of: drive.upperBound) + shift
  }

  func output(along weights: [Double]) -> [Float] {
    if axes.count == 1 { return weights[0] == 1 ? axes[0] : axes[0].map { Float(weights[0]) * $0 } }
    return axes[0].indices.map { frame in
      Float(zip(weights, axes).reduce(0.0) { $0 + $1.0 * Double($1.1[frame]) })
    }
  }
}

struct UnusableResponse: Error {
  let reason: String
}

extension CalibrationSubject {
  /// Checks a response to a segment.
  ///
  /// Throws a refusal for what repeating cannot mend, and gives a reason where it can.
  func capture(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> Result<Capture, UnusableResponse> {
    let frames = response.axes.first?.samples.count ?? 0
    let lists = response.axes.map(\.samples.count) + [response.input.count]
    let clock = 1e-6 * (response.drift ?? 0)
    let needed = Int(Double(segment.volts.count) * (1 + min(0, clock)))
    guard frames >= response.lead + needed, lists.allSatisfy({ $0 == frames }) else {
      return .failure(
        UnusableResponse(
          reason: "the response to '\(segment.title)' has \(frames) frames of the "
            + "\(response.lead + needed) it should have"))
    }
    guard response.rate == segment.rate else {
      throw CalibrationRefusal(
        .sensorRate,
        "the response has \(response.rate) and the drive \(segment.rate): give both one rate")
    }
    try Self.checkClock(response)
    for axis in response.axes {
      try Self.checkLiving(axis)
      try Self.checkRange(axis, segment)
    }
    if let lost = response.gaps.first {
      let count = response.gaps.reduce(0) { $0 + $1.count }
      return .failure(
        UnusableResponse(reason: "\(count) frames were lost from frame \(lost.lowerBound) on"))
    }
    let means = response.axes.map { Self.rest($0.samples, lead: response.lead) }
    let axes = zip(response.axes, means).map { axis, mean in
      axis.samples.map { $0 - Float(mean) }
    }
    let reference = try reference(response, segment)
    return .success(
      Capture(
        rate: response.rate, input: response.input, axes: axes, lead: response.lead,
        voltage: response.voltage, current: response.current, referenceScale: reference,
        clock: clock))
  }

  /// A sensor's clock may be off by percents; more is a wrong rate.
  private static func checkClock(_ response: SegmentResponse) throws(CalibrationRefusal) {
    guard let clock = response.clock?.value, abs(clock) > clockLimit else { return }
    throw CalibrationRefusal(
      .sensorRate,
      "the sensor's clock runs \(text(100 * abs(clock))) % \(clock > 0 ? "fast" : "slow") against the "
        + "drive's, and \(text(100 * clockLimit)) % are borne: correct the rate in the rig file, or "
        + "repair the sensor's clock")
  }

  static let clockLimit = 0.03

  /// The mean before the segment, or of all where there is too little before it.
  private static func rest(_ samples: [Float], lead: Int) -> Double {
    let frames = lead >= 256 ? 0..<lead : samples.indices
    return frames.reduce(0.0) { $0 + Double(samples[$1]) } / Double(max(1, frames.count))
  }

  private static func checkLiving(_ axis: SegmentResponse.Axis) throws(CalibrationRefusal) {
    guard axis.samples.allSatisfy(\.isFinite) else {
      throw CalibrationRefusal(
        .sensorDead,
        "axis \(axis.name) of the accelerometer delivers values that are no numbers: check the sensor "
          + "and its driver")
    }
  }

  /// A converter's end is met where some frames stand at it, or, where it is not known, where the
  /// wave around the highest value is flat.
  private static func checkRange(
    _ axis: SegmentResponse.Axis, _ segment: CalibrationSegment
  ) throws(CalibrationRefusal) {
    var (highest, place) = (Float(0), 0)
    for index in axis.samples.indices where abs(axis.samples[index]) > highest {
      (highest, place) = (abs(axis.samples[index]), index)
    }
    let isClipped: Bool
    if let fullScale = axis.fullScale {
      let end = Float(SegmentResponse.Axis.endShare) * Float(fullScale)
      isClipped = axis.samples.count { abs($0) >= end } >= 2
    } else {
      let near = max(0, place - 400)..<min(axis.samples.count, place + 400)
      let flat = near.count { abs(axis.samples[$0]) >= 0.999_999 * highest }
      let rms = Amplitude.rms(axis.samples, frames: near)
      isClipped =
        segment.level > 0
        && (Double(flat) > 0.12 * Double(near.count) && rms > 0.3 * Double(highest)
          || segment.purpose.isSweep && plateaus(axis.samples, at: highest) >= 5)
    }
    guard !isClipped else {
      throw CalibrationRefusal(
        .sensorClipped,
        "axis \(axis.name) of the accelerometer clips at \(text(Double(highest))) m/s2 during "
          + "'\(segment.title)': choose a wider range of the sensor or its converter, or lower the "
          + "actuator's limits")
    }
  }

  /// How often three samples or more stand at a highest value one after the other.
  ///
  /// The strength of a sweep's answer changes all the time: only a converter's end is met again and again.
  private static func plateaus(_ samples: [Float], at highest: Float) -> Int {
    var (count, length) = (0, 0)
    for sample in samples {
      length = abs(sample) >= 0.999_999 * highest ? length + 1 : 0
      if length == 3 { count += 1 }
    }
    return count
  }

  private func reference(
    _ response: SegmentResponse, _ segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> Double? {
    // Another channel's drive is not what the reference carries.
    guard hasReference, segment.level > 0, segment.otherChannel == nil else { return nil }
    let missing = CalibrationRefusal(
      .referenceMissing,
      "the reference shows nothing of the drive during '\(segment.title)': plug the wire from the "
        + "reference output to the reference input")
    guard response.inputIsMeasured else { throw missing }
    var (cross, sent, seen) = (0.0, 0.0, 0.0)
    let lead = response.lead
    // Plain indices: this runs over every sample.
    for index in 0..<min(segment.volts.count, response.input.count - lead) {
      let (a, b) = (Double(segment.volts[index]), Double(response.input[lead + index]))
      cross += a * b
      sent += a * a
      seen += b * b
    }
    guard sent > 0 else { return nil }
    guard seen > 0.0025 * sent else { throw missing }
    let misfit = max(0, seen - cross * cross / sent).squareRoot() / seen.squareRoot()
    // Two clocks pull long waves apart; their energies stay what they were.
    let scale = misfit < 0.3 ? cross / sent : (seen / sent).squareRoot()
    guard scale > 0.05 else { throw missing }
    if misfit >= 0.3, abs(cross / sent - 1) < 0.2, scale > 1.25 {
      throw CalibrationRefusal(
        .referenceNoise,
        "\(text(100 * misfit)) % of what the reference shows during '\(segment.title)' is not the drive: "
          + "it hums or is noisy; shield its wire, or break the ground loop")
    }
    guard scale > 0.8, scale < 1.25 else {
      throw CalibrationRefusal(
        .referenceScale,
        "the reference reads \(text(scale)) V for each volt sent during '\(segment.title)': correct "
          + "full-scale of the drive or the reference's scale in the rig file")
    }
    return scale
  }
}

func text(_ value: Double) -> String { EngineeringFormat.significant(value) }
