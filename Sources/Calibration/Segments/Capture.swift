import SignalAnalysis
import Units

/// A segment's response that has passed the checks which every response must pass.
struct Capture: Sendable {
  /// Frames a second.
  let rate: SampleRate
  /// Volts at the actuator: as captured, or as sent.
  let input: [Float]
  /// The axes in m/s2, their means at rest taken out.
  let axes: [[Float]]
  /// The frame at which the segment begins.
  let lead: Int
  /// Volts at the coil, where they are measured.
  let voltage: [Float]?
  /// Amperes, where they are measured.
  let current: [Float]?
  /// The captured reference over the drive as sent; nil without a captured reference.
  let referenceScale: Double?
  /// Capture clock against drive clock, as a share.
  let clock: Double

  /// The frame at which a frame of the segment is captured.
  func frame(of drive: Int) -> Int {
    clock == 0 ? lead + drive : lead + Int((Double(drive) * (1 + clock)).rounded())
  }

  /// The frames at which frames of the segment are captured, a delay in seconds later.
  func frames(of drive: Range<Int>, after delay: Double) -> Range<Int> {
    let shift = Int(rate.frames(max(0, delay)).rounded(.up))
    return frame(of: drive.lowerBound) + shift..<frame(of: drive.upperBound) + shift
  }

  /// The motion along a direction.
  func output(along weights: [Double]) -> [Float] {
    if axes.count == 1 { return weights[0] == 1 ? axes[0] : axes[0].map { Float(weights[0]) * $0 } }
    return axes[0].indices.map { frame in
      Float(zip(weights, axes).reduce(0.0) { $0 + $1.0 * Double($1.1[frame]) })
    }
  }
}

/// Why a response cannot be used this time.
struct UnusableResponse: Error {
  /// The reason in a sentence's words.
  let reason: String
}

/// Checks a response before anything is computed from it.
struct ResponseIntake: Sendable {
  let subject: CalibrationSubject
  /// The means of the axes at rest, once they are known.
  var offsets: [Double]?

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
    let means = offsets ?? response.axes.map { Self.rest($0.samples, lead: response.lead) }
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

  /// How far the sensor's clock may be from the drive's, as a share.
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
      isClipped = axis.samples.count { abs($0) >= 0.999 * Float(fullScale) } >= 2
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

  /// The captured reference against the drive as sent.
  private func reference(
    _ response: SegmentResponse, _ segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> Double? {
    // Another channel's drive is not what the reference carries.
    guard subject.hasReference, segment.level > 0, segment.otherChannel == nil else { return nil }
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

/// A number in four digits.
func text(_ value: Double) -> String { EngineeringFormat.significant(value) }
