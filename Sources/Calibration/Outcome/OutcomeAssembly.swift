import Perception
import Profiles
import SignalAnalysis

/// Makes the profile, the notes and the figures out of all that is known.
struct OutcomeAssembly: Sendable {
  let findings: Findings

  private var subject: CalibrationSubject { findings.subject }

  /// The outcome; nil before there is a profile.
  var outcome: CalibrationOutcome? {
    profile.map { profile in
      CalibrationOutcome(
        profile: profile,
        notes: findings.notes.filter { $0.hasSuffix(".") } + rigNotes + mappedNotes(profile),
        figures: FigureAssembly(findings: findings, profile: profile).figures)
    }
  }

  /// The profile as far as it is known.
  var profile: CalibrationProfile? {
    let budget = BudgetAssembly(findings: findings).budget
    let assembly = ModelAssembly(findings: findings)
    let motor = findings.motor.curve
    guard
      let inverse = motor.map({ FeedForward(spinUpTime: $0.spinUpTime.value) }) ?? assembly.inverse
    else { return nil }
    return CalibrationProfile(
      actuator: subject.actuator, rig: subject.rig,
      model: motor == nil
        ? assembly.model : findings.motor.model(hasReference: subject.hasReference),
      feedForward: inverse, correction: motor == nil ? findings.correction : .none,
      tapCorrection: findings.tapCorrection,
      ceiling: motor == nil ? ceiling(assembly.model) : findings.motor.ceiling,
      motorCurve: motor, laws: laws, conditions: conditions,
      noise: findings.rest?.check.quantity,
      verification: verification(budget), uncertainty: budget,
      source: ProfileSource(
        run: subject.run, hash: "", program: subject.program, date: subject.date))
  }

  /// The ceiling that was found, and where no steady tone came as far as the end stop a point at the resonance
  /// that says where that is: taps may.
  private func ceiling(_ model: ActuatorModel) -> ReachableCeiling {
    var ceiling = findings.ceiling.ceiling
    guard let travel = findings.bounds.travel, ceiling.travel == nil,
      model.modes.indices.contains(travel.mode)
    else { return ceiling }
    let f0 = model.modes[travel.mode].f0.value
    let w = 2 * Double.pi * f0
    ceiling.points.append(
      .init(frequency: f0, acceleration: travel.metres * w * w, binding: .endstop))
    ceiling.points.sort { $0.frequency < $1.frequency }
    return ceiling
  }

  private var laws: ProfileLaws {
    ProfileLaws(
      intensity: subject.target.law, sharpness: subject.sharpness,
      contour: subject.target.contour, referenceLevel: findings.referenceLevel,
      floorLevel: subject.target.floorLevel)
  }

  private var conditions: ProfileConditions {
    ProfileConditions(
      axis: findings.axisNames.joined(separator: " "), mount: nil,
      source: "voltage drive\(subject.hasReference ? "" : ", not captured")")
  }

  private func verification(_ budget: UncertaintyBudget) -> ProfileVerification? {
    guard !findings.verification.points.isEmpty else { return nil }
    return VerificationAssembly(
      points: findings.verification.points, taps: findings.verification.taps,
      pattern: findings.verification.pattern,
      expanded: budget.expanded
    ).verification
  }

  /// What the rig does not tell, and what it does besides.
  private var rigNotes: [String] {
    var notes = [findings.clock.note].compactMap(\.self)
    if subject.sensorBandwidth == nil, subject.sensorDelayUncertainty == nil {
      notes.append(
        "The rig file does not give the sensor's bandwidth: its low-pass is taken for none, which "
          + "widens the uncertainty of \(subject.sensorIsCompared ? "" : "gain and ")delay.")
    }
    if !subject.hasReference {
      notes.append(
        "No reference is captured: the delay after it is not measured, and the sensor's clock is taken "
          + "for the drive's.")
    }
    return notes
  }

  /// What could not be reached as asked.
  private func mappedNotes(_ profile: CalibrationProfile) -> [String] {
    guard !findings.verification.points.isEmpty else { return [] }
    let map = DriveMap(profile: profile, fullScaleVolts: subject.fullScaleVolts)
    let mapped = VerifiedPoint.grid.map { map.command(intensity: $0, sharpness: $1).mapping }
      .filter { !$0.isInside }
    guard !mapped.isEmpty else { return [] }
    let total = VerifiedPoint.grid.count
    let worst = mapped.map(\.consistency).max() ?? 0
    return [
      "\(mapped.count) of \(total) points of the grid cannot be reached as asked and are mapped to the "
        + "nearest that can; the furthest is \(text(worst)) just noticeable differences away."
    ]
  }
}
