import Perception
import Profiles
import SignalAnalysis

/// Makes the profile, the notes and the figures out of all that is known.
struct OutcomeAssembly: Sendable {
  let subject: CalibrationSubject
  let knowledge: Knowledge

  /// The outcome; nil before there is a profile.
  var outcome: CalibrationOutcome? {
    profile.map { profile in
      CalibrationOutcome(
        profile: profile,
        notes: knowledge.notes.filter { $0.hasSuffix(".") } + mappedNotes(profile),
        figures: FigureAssembly(subject: subject, knowledge: knowledge, profile: profile).figures)
    }
  }

  /// The profile as far as it is known.
  var profile: CalibrationProfile? {
    let budget = BudgetAssembly(subject: subject, knowledge: knowledge).budget
    let assembly = ModelAssembly(subject: subject, knowledge: knowledge)
    let motor = knowledge.motor.curve
    guard
      let inverse = motor.map({ FeedForward(spinUpTime: $0.spinUpTime.value) }) ?? assembly.inverse
    else { return nil }
    return CalibrationProfile(
      actuator: ProfiledActuator(
        id: subject.id, model: subject.model, kind: subject.kind, rig: subject.rig),
      model: motor == nil ? assembly.model : knowledge.motor.model(assembly),
      feedForward: inverse, correction: motor == nil ? knowledge.correction : .none,
      ceiling: motor == nil ? knowledge.ceiling.ceiling : knowledge.motor.ceiling,
      motorCurve: motor, laws: laws, limits: subject.limits, conditions: conditions,
      verification: verification(budget), uncertainty: budget,
      source: ProfileSource(
        run: subject.run, hash: "", program: subject.program, date: subject.date))
  }

  private var laws: ProfileLaws {
    ProfileLaws(
      intensity: subject.target.law, sharpness: subject.sharpness,
      contour: subject.target.contour, referenceLevel: knowledge.referenceLevel,
      floorLevel: subject.target.floorLevel)
  }

  private var conditions: ProfileConditions {
    ProfileConditions(
      temperature: subject.temperature, mass: subject.mass, contact: subject.contact,
      axis: knowledge.axisNames.joined(separator: " "), mount: nil,
      source: "voltage drive\(subject.hasReference ? "" : ", not captured")")
  }

  private func verification(_ budget: UncertaintyBudget) -> ProfileVerification? {
    guard !knowledge.points.isEmpty else { return nil }
    return VerificationAssembly(
      points: knowledge.points, taps: knowledge.tapReadings, expanded: budget.expanded
    ).verification
  }

  /// What could not be reached as asked.
  private func mappedNotes(_ profile: CalibrationProfile) -> [String] {
    let mapped = knowledge.points.filter { !$0.isHeldOut && !$0.command.mapping.isInside }
    guard !mapped.isEmpty else { return [] }
    let total = knowledge.points.count { !$0.isHeldOut }
    let worst = mapped.map(\.command.mapping.consistency).max() ?? 0
    return [
      "\(mapped.count) of \(total) points of the grid cannot be reached as asked and are mapped to the "
        + "nearest that can; the furthest is \(text(worst)) just noticeable differences away."
    ]
  }
}
