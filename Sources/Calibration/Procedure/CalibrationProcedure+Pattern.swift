private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// The pattern that nothing was fitted to, as the renderer would play it.
  mutating func patternDraft() -> SegmentDraft? {
    guard let profile = OutcomeAssembly(subject: subject, knowledge: knowledge).profile else {
      return nil
    }
    let places = (0...40).map { Double($0) / 40 }
    let strongest = strongestFrequency
    let near = places.min {
      abs(log(subject.sharpness.frequency(of: $0) / strongest))
        < abs(log(subject.sharpness.frequency(of: $1) / strongest))
    }
    let plan = PatternPlan(strongest: near ?? 0.5)
    let course = PatternCourse(
      plan, profile: profile, fullScaleVolts: subject.fullScaleVolts, rate: subject.rate)
    return SegmentDraft(
      purpose: .heldOut, title: "a pattern to verify",
      volts: course.volts(profile.feedForward, rate: subject.rate, peak: subject.peakVolts),
      plan: .pattern(plan))
  }

  /// Where the actuator holds the highest level, in hertz.
  private var strongestFrequency: Double {
    let contour = subject.target.contour
    func level(_ point: ReachableCeiling.Point) -> Double {
      contour.sensationLevel(acceleration: point.acceleration, at: point.frequency)
    }
    return knowledge.ceiling.ceiling.points.max { level($0) < level($1) }?.frequency ?? 150
  }

  /// The pattern as it came out.
  mutating func acceptPattern(_ capture: Capture, _ plan: PatternPlan) -> SegmentVerdict {
    stage = .closing
    guard let profile = OutcomeAssembly(subject: subject, knowledge: knowledge).profile else {
      return .accepted
    }
    let course = PatternCourse(
      plan, profile: profile, fullScaleVolts: subject.fullScaleVolts, rate: subject.rate)
    knowledge.pattern = PatternReading(
      course, output: capture.output(along: knowledge.weights), capture: capture,
      delay: knowledge.limit?.delay.value ?? knowledge.piezo?.delay.value ?? 0,
      noise: knowledge.noise, filter: subject.filter)
    return .accepted
  }
}
