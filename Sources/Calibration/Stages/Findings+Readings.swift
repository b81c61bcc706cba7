// SPDX-License-Identifier: Apache-2.0

import Actuators
import Perception
import Profiles
import SignalAnalysis
import Units

extension Findings {
  /// The sweep that is played once more at the end, as a share of the highest.
  static let closingShare = 0.25
  /// The share of what may last below which no sweep is tried.
  private static let faintest = 1e-4

  /// Whether a sweep that made the sensor clip can be played with less.
  var canSweepFainter: Bool { sweepVolts > Self.faintest * subject.steadyVolts }

  /// The resonances as the first look has them.
  var coarseModes: [(frequency: Double, q: Double)] {
    sweeps.coarse?.model.modes.map { ($0.frequency.value, $0.q.value) } ?? []
  }

  /// The level of the sweep that is played once more: no higher than one that counted.
  private var closingLevel: Double {
    let wanted = Self.closingShare * sweepVolts
    let played = sweeps.all.filter { $0.direction == .up }.map(\.level)
    return played.filter { $0 < 1.001 * wanted }.max() ?? played.min() ?? wanted
  }

  func searchDraft(share: Double) -> SegmentDraft<SweepPlan> {
    let plan = SweepPlan.search(
      level: share * sweepVolts, rate: subject.rate, isPiezo: subject.isPiezo)
    return draft(plan, purpose: .wake, title: "faint sweep")
  }

  func sweepDraft(
    level: Double, _ direction: SynchronizedSweep.Direction, purpose: CalibrationSegment.Purpose
  ) -> SegmentDraft<SweepPlan> {
    let plan = SweepPlan.identification(
      near: coarseModes, level: level, direction: direction, rate: subject.rate)
    return draft(plan, purpose: purpose, title: direction == .up ? "sweep up" : "sweep down")
  }

  func closingDraft(purpose: CalibrationSegment.Purpose) -> SegmentDraft<SweepPlan> {
    sweepDraft(level: closingLevel, .up, purpose: purpose)
  }

  private func draft(
    _ plan: SweepPlan, purpose: CalibrationSegment.Purpose, title: String
  ) -> SegmentDraft<SweepPlan> {
    let kept = plan.with(level: plan.level(keeping: subject.limits.slope))
    return SegmentDraft(
      purpose: purpose, title: "\(title), \(text(kept.sweep.amplitude)) V",
      volts: kept.volts(at: subject.rate), plan: kept)
  }

  func read(
    _ answer: SegmentAnswer, _ plan: SweepPlan, modes: ClosedRange<Int>, known: ModalModel? = nil
  ) -> Result<SweepReading, SweepFailure> {
    SweepReading.measure(
      plan, answer.capture, output: answer.capture.output(along: motion.weights),
      segment: answer.segment.number, filter: subject.filter, modes: modes, noise: motion.noise,
      known: known)
  }

  /// The sweep that is played once more; nil where it could not be read.
  func closingReading(
    _ answer: SegmentAnswer, _ plan: SweepPlan
  ) throws(CalibrationRefusal) -> SweepReading? {
    switch read(answer, plan, modes: 1...1, known: sweeps.coarse?.model) {
    case .success(let reading): return reading
    case .failure(.dead):
      throw CalibrationRefusal(
        .actuatorDead,
        "the actuator no longer answers in '\(answer.segment.title)': check its wiring and the "
          + "amplifier")
    case .failure: return nil
    }
  }
}

extension SweepPlan {
  func with(level: Double) -> SweepPlan {
    SweepPlan(
      sweep: SynchronizedSweep(
        band: sweep.band, duration: sweep.duration, amplitude: level, direction: sweep.direction),
      silence: silence, cutsRing: cutsRing)
  }
}

extension Findings {
  /// What is felt of a piezo's motion, in hertz, and how many of its harmonics are looked at.
  private static let piezoTones = (band: (low: 10.0, high: 1_000.0, rate: 0.4), harmonics: 12)
  /// What a tone may hold that is neither its own nor noise: a share of it, and times of the noise.
  private static let allowedExcess = (share: 0.08, sigma: 2.0, noise: 6.0)
  /// Most tones, and the fewest of which that is said.
  private static let most = (share: 0.5, tones: 6)
  private static let oneBlow = 3
  /// The share of a disturbance that does not come again with every period, where something is loose.
  private static let loosePart = 0.6

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

  private var ring: RingRemoval? {
    guard ringsLong, resonance != nil, let ring = longestRing else { return nil }
    return RingRemoval(frequency: ring.frequency, decay: ring.decay)
  }

  func isDisturbed(_ reading: ToneReading?) -> Bool {
    reading.map {
      $0.excess
        > max(
          Self.allowedExcess.share * $0.acceleration,
          Self.allowedExcess.sigma * motion.sigma + Self.allowedExcess.noise * motion.noise)
    } ?? false
  }

  /// What a tone holds that is neither its own nor noise: a blow where it comes once, a loose part where it is
  /// another each time, and where it is the same each time something that the drive moves.
  mutating func disturbance(
    of readings: [ToneReading?], to plan: TonePlan, in capture: Capture
  ) throws(CalibrationRefusal) -> String? {
    let found = readings.enumerated().compactMap { place, reading in
      reading.map { (place: place, reading: $0) }
    }
    let disturbed = found.filter { isDisturbed($0.reading) }
    guard let (place, worst) = disturbed.max(by: { $0.reading.excess < $1.reading.excess }) else {
      return nil
    }
    let isMost =
      Double(disturbed.count) > Self.most.share * Double(found.count)
      && found.count >= Self.most.tones
    let isAgain = trouble.record != nil && (isMost || worst.frequency == trouble.suspect)
    let window = plan.windows(at: capture.rate)[place]
    let middle = capture.rate.seconds(Double(window.lowerBound + window.upperBound) / 2)
    trouble.suspect = worst.frequency
    try record(capture, at: middle)
    let isAlike = answersAlike
    guard isAgain else {
      guard isMost || disturbed.count <= Self.oneBlow else { return nil }
      return "something shook the rig during the tone of \(text(worst.frequency)) Hz "
        + "(\(text(worst.excess)) m/s2 rms that is not the tone's)"
    }
    guard !isAlike else {
      notes.append(
        "The tone of \(text(worst.frequency)) Hz comes with \(text(worst.excess)) m/s2 rms that is not "
          + "its own and is the same each time: another part of the actuator or of its fixture moves "
          + "with it.")
      return nil
    }
    guard !isMost else {
      throw CalibrationRefusal(
        .sensorLoose,
        "most tones come with \(text(worst.excess)) m/s2 rms that does not follow the drive: the sensor "
          + "or the actuator is loose; fix both to the same mass")
    }
    try checkPeriod(worst)
    return nil
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
  init(_ reading: ToneReading) {
    self.init(
      frequency: reading.frequency, volts: reading.volts, acceleration: reading.acceleration,
      uncertainty: reading.uncertainty)
  }
}

extension TonePlan {
  func draft<Plan>(
    _ title: String, purpose: CalibrationSegment.Purpose, _ subject: CalibrationSubject, plan: Plan
  ) -> SegmentDraft<Plan> {
    SegmentDraft(
      purpose: purpose, title: "\(tones.count) tones \(title)",
      volts: volts(at: subject.rate, peak: subject.peakVolts), plan: plan)
  }
}
