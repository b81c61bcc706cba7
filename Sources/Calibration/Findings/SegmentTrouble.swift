import Profiles
import SignalAnalysis
import Units

/// A segment's response that was not as it should be, kept to see whether the next one is the same.
///
/// A mass that strikes its stop does so alike each time; a sensor that slips or rattles does not.
struct RepeatedRecord: Sendable {
  let output: [Float]
  var differences = 0
  /// Whether there was a record before it, and that is the same.
  var isLikeBefore = false
  /// When in the segment a blow was seen, in seconds.
  var blow: Double?

  /// The share of the motion by which two records of a thing that repeats do not differ.
  static let sameMotion = 0.08

  /// How much two records differ where they are strongest, or around a frame, as a share of the motion.
  ///
  /// Stretches of 10 ms; of those with more than 0.7 of the strongest motion, or within 35 ms, the upper
  /// quartile. Both are band-passed, so that the part of a frame by which two takes stand apart hardly
  /// counts, and twice the noise, an rms within the band, is taken off.
  static func difference(
    _ first: [Float], _ second: [Float], rate: SampleRate, noise: Double, around frame: Int? = nil
  ) -> Double {
    let filter = BandPass(RestCheck.band(rate))
    let (a, b) = (filter.apply(to: first, rate: rate), filter.apply(to: second, rate: rate))
    let size = max(8, rate.wholeFrames(0.010))
    let count = min(a.count, b.count) / size
    func power(_ block: Int, _ value: (Int) -> Double) -> Double {
      (block * size..<(block + 1) * size).reduce(0) { $0 + value($1) * value($1) }
    }
    let motion = (0..<count).map { block in
      power(block) { a[$0] } + power(block) { b[$0] }
    }
    guard let top = motion.max(), top > 0 else { return 0 }
    let place = frame.map { max(0, min(count - 1, $0 / size)) }
    let shares = motion.indices.compactMap { block -> Double? in
      let isChosen = place.map { abs($0 - block) <= 3 } ?? (motion[block] > 0.5 * top)
      guard isChosen, motion[block] > 0 else { return nil }
      let apart = power(block) { a[$0] - b[$0] } - 8 * noise * noise * Double(size)
      return (max(0, apart) / motion[block]).squareRoot()
    }.sorted()
    return shares.isEmpty ? 0 : shares[3 * (shares.count - 1) / 4]
  }
}

extension SweepReading {
  var shaken: String {
    "something shook the rig \(text(max(0, disturbance.time))) s into the sweep "
      + "(\(text(disturbance.strength)) m/s2 rms that the actuator does not explain)"
  }
}

extension Findings {
  /// Within how many seconds two disturbances are at the same place of a sweep.
  private static let samePlace = 0.03
  /// Within how many seconds two blows are at the same time of a segment.
  private static let sameTime = 0.1
  /// How many records in a row differ where something is loose.
  private static let looseRecords = 2

  /// Whether a sweep was disturbed, and not at the same place as before.
  func isShaken(_ reading: SweepReading) -> Bool {
    guard reading.disturbance.isDisturbed else { return false }
    return trouble.suspect.map { abs($0 - reading.disturbance.time) > Self.samePlace } ?? true
  }

  /// Keeps where a sweep was disturbed, if it was.
  mutating func note(_ disturbance: SweepDisturbance) {
    if disturbance.isDisturbed { trouble.suspect = disturbance.time }
  }

  /// Keeps the response to a segment that was shaken at a time, and is played again.
  ///
  /// Blows fall at any time; what shakes at the same time again is looked at like all that repeats.
  mutating func remember(_ capture: Capture, blow: Double) throws(CalibrationRefusal) {
    if let last = trouble.record?.blow, abs(last - blow) < Self.sameTime {
      try record(capture, at: blow)
    } else {
      trouble.record = RepeatedRecord(
        output: capture.output(along: motion.weights),
        differences: trouble.record?.differences ?? 0)
    }
    trouble.record?.blow = blow
  }

  /// Whether a segment in trouble answered alike when it was played before; else it must be played again to tell.
  var answersAlike: Bool { trouble.record?.isLikeBefore ?? false }

  /// Keeps the response to a segment in trouble, compared with the one before it.
  ///
  /// Throws where three records in a row differ.
  mutating func record(
    _ capture: Capture, at time: Double? = nil
  ) throws(CalibrationRefusal) {
    let output = capture.output(along: motion.weights)
    var record = RepeatedRecord(output: output)
    defer { trouble.record = record }
    guard let before = trouble.record else { return }
    let frame = time.map { capture.lead + Int(capture.rate.frames($0)) }
    let share = RepeatedRecord.difference(
      before.output, output, rate: capture.rate, noise: motion.noise, around: frame)
    record.isLikeBefore = !(share > RepeatedRecord.sameMotion)
    guard !record.isLikeBefore else { return }
    record.differences = before.differences + 1
    guard record.differences >= Self.looseRecords else { return }
    let strongest = output.reduce(0) { max($0, abs(Double($1))) }
    throw CalibrationRefusal(
      .sensorLoose,
      "\(text(100 * share)) % of the motion at up to \(text(strongest)) m/s2 is another each time the same is "
        + "played, while fainter motion follows the drive: the sensor is loose above a level, or the "
        + "moving mass strikes something; fix the sensor and the actuator to the same mass")
  }

  func checkReferenceWire(
    following response: (Double) -> Complex, band: ClosedRange<Double>
  ) throws(CalibrationRefusal) {
    guard
      rest?.markers?.isActuator(following: response, along: motion.weights, band: band) == true
    else { return }
    throw CalibrationRefusal(
      .channelCrossed,
      "the actuator moves while only the reference is driven: it is wired to the reference's output "
        + "instead of its own channel; swap the wires, or correct the channels in the rig file")
  }
}
