import Perception
import Profiles
import SignalAnalysis
import Units

/// How steady tones are read, and what is taken for a disturbance of them.
extension Findings {
  /// What is felt of a piezo's motion, in hertz, and how many of its harmonics are looked at.
  private static let piezoTones = (band: (low: 10.0, high: 1_000.0, rate: 0.4), harmonics: 12)
  /// What a tone may hold that is neither its own nor noise: a share of it, and times of the noise.
  private static let allowedExcess = (share: 0.08, sigma: 2.0, noise: 6.0)
  /// Most tones, and the fewest of which that is said.
  private static let most = (share: 0.5, tones: 6)
  /// How many tones one blow may disturb.
  private static let oneBlow = 3
  /// The share of a disturbance that does not come again with every period, where something is loose.
  private static let loosePart = 0.6

  /// The readings of a plan of tones; nil in the place of a tone without one.
  func read(_ capture: Capture, _ plan: TonePlan) -> [ToneReading?] {
    let output = capture.output(along: motion.weights)
    let delay = resonance?.limit.delay.value ?? 0
    guard subject.isPiezo else {
      return plan.read(
        capture, output: output, delay: delay, noise: motion.sigma, filter: subject.filter,
        contour: subject.target.contour, ring: ring)
    }
    // The acceleration of a piezo's harmonics grows with their order: what counts of them is what is felt.
    let band = Self.piezoTones.band
    let felt = BandPass(band.low...min(band.high, band.rate * capture.rate.hertz)).apply(
      to: output, rate: capture.rate)
    return plan.read(
      capture, output: felt.map(Float.init), delay: delay, noise: motion.noise,
      filter: subject.filter, contour: subject.target.contour,
      harmonics: Self.piezoTones.harmonics)
  }

  /// The ringing that is taken out of tones which are not waited for.
  private var ring: RingRemoval? {
    guard ringsLong, let limit = resonance?.limit else { return nil }
    return RingRemoval(frequency: limit.frequency.value, decay: decay)
  }

  /// Whether a tone holds more than its own harmonics and noise.
  func isDisturbed(_ reading: ToneReading?) -> Bool {
    reading.map {
      $0.excess
        > max(
          Self.allowedExcess.share * $0.acceleration,
          Self.allowedExcess.sigma * motion.sigma + Self.allowedExcess.noise * motion.noise)
    } ?? false
  }

  /// What a tone holds that is neither its own nor noise: a blow where it is one tone among many, a
  /// loose part where it is most of them.
  mutating func disturbance(
    of readings: [ToneReading?]
  ) throws(CalibrationRefusal) -> String? {
    let found = readings.compactMap(\.self)
    let disturbed = found.filter(isDisturbed)
    guard let worst = disturbed.max(by: { $0.excess < $1.excess }) else { return nil }
    if Double(disturbed.count) > Self.most.share * Double(found.count),
      found.count >= Self.most.tones
    {
      throw CalibrationRefusal(
        .sensorLoose,
        "most tones come with \(text(worst.excess)) m/s2 rms that does not follow the drive: the sensor "
          + "or the actuator is loose; fix both to the same mass")
    }
    guard worst.frequency != trouble.suspect else {
      try checkPeriod(worst)
      return nil
    }
    guard disturbed.count <= Self.oneBlow else { return nil }
    trouble.suspect = worst.frequency
    return "something shook the rig during the tone of \(text(worst.frequency)) Hz "
      + "(\(text(worst.excess)) m/s2 rms that is not the tone's)"
  }

  /// A tone that is disturbed each time: a mass that strikes its stop does so in every period.
  private func checkPeriod(_ reading: ToneReading) throws(CalibrationRefusal) {
    guard reading.aperiodic > Self.loosePart * reading.excess else { return }
    throw CalibrationRefusal(
      .sensorLoose,
      "the tone of \(text(reading.frequency)) Hz at \(text(reading.acceleration)) m/s2 comes each time with "
        + "\(text(reading.aperiodic)) m/s2 rms that does not follow the drive, while fainter ones do: the "
        + "sensor is loose above a level, or the moving mass strikes something; fix the sensor and the "
        + "actuator to the same mass")
  }
}

extension LevelModel.Point {
  /// A tone's drive and what it did.
  init(_ reading: ToneReading) {
    self.init(
      frequency: reading.frequency, volts: reading.volts, acceleration: reading.acceleration,
      uncertainty: reading.uncertainty)
  }
}

extension TonePlan {
  /// The tones as a segment of a subject.
  func draft<Plan>(
    _ title: String, purpose: CalibrationSegment.Purpose, _ subject: CalibrationSubject, plan: Plan
  ) -> SegmentDraft<Plan> {
    SegmentDraft(
      purpose: purpose, title: "\(tones.count) tones \(title)",
      volts: volts(at: subject.rate, peak: subject.peakVolts), plan: plan)
  }
}
