private import Glibc
import Perception
import Profiles
import SignalAnalysis

extension Findings {
  var outcome: CalibrationOutcome? {
    profile.map { profile in
      CalibrationOutcome(
        profile: profile,
        notes: notes.filter { $0.hasSuffix(".") } + rigNotes + mappedNotes(profile),
        figures: figures(profile))
    }
  }

  var profile: CalibrationProfile? {
    let (model, budget, curve) = (model, budget, motor.curve)
    guard
      let inverse = curve.map({ FeedForward(spinUpTime: $0.spinUpTime.value) }) ?? inverse
    else { return nil }
    return CalibrationProfile(
      actuator: subject.actuator, rig: subject.rig,
      model: curve == nil ? model : motor.model(hasReference: subject.hasReference),
      feedForward: inverse, correction: curve == nil ? correction : .none,
      tapCorrection: tapCorrection,
      ceiling: curve == nil ? reachable(model) : motor.ceiling,
      motorCurve: curve, laws: laws, conditions: conditions,
      noise: rest?.check.quantity,
      verification: summary(expanded: budget.expanded), uncertainty: budget,
      source: ProfileSource(
        run: subject.run, hash: "", program: subject.program, date: subject.date))
  }

  /// The ceiling that was found, and where no steady tone came as far as the end stop a point at the resonance
  /// that says where that is: taps may.
  private func reachable(_ model: ActuatorModel) -> ReachableCeiling {
    var ceiling = self.ceiling.ceiling
    guard let travel = bounds.travel, ceiling.travel == nil,
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
      contour: subject.target.contour, referenceLevel: referenceLevel,
      floorLevel: subject.target.floorLevel)
  }

  private var conditions: ProfileConditions {
    ProfileConditions(
      axis: axisNames.joined(separator: " "), mount: nil,
      source: "voltage drive\(subject.hasReference ? "" : ", not captured")")
  }

  private var rigNotes: [String] {
    var notes = [clock.note].compactMap(\.self)
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

  private func mappedNotes(_ profile: CalibrationProfile) -> [String] {
    guard !verification.points.isEmpty else { return [] }
    let map = DriveMap(profile: profile, fullScaleVolts: subject.fullScaleVolts)
    let mapped = AskedPoint.grid.map { map.command(intensity: $0, sharpness: $1).mapping }
      .filter { !$0.isInside }
    guard !mapped.isEmpty else { return [] }
    let total = AskedPoint.grid.count
    let worst = mapped.map(\.consistency).max() ?? 0
    return [
      "\(mapped.count) of \(total) points of the grid cannot be reached as asked and are mapped to the "
        + "nearest that can; the furthest is \(text(worst)) just noticeable differences away."
    ]
  }
}

extension Findings {
  /// What verification measured, with the expanded relative uncertainty of an acceleration.
  private func summary(expanded: Double) -> ProfileVerification? {
    let points = verification.points
    guard !points.isEmpty else { return nil }
    let common = 20 * log10(1 + expanded)
    let grid = points.map { gridPoint($0, common: common) }
    let inside = points.filter(\.asked.isInside)
    let levels = inside.map { $0.reading.level - $0.asked.command.targetLevel }
    let frequencies = inside.map { $0.reading.feltFrequency / $0.asked.command.targetFrequency - 1 }
    let consistency = zip(levels, frequencies).map {
      JustNoticeable.consistency(levelError: $0, frequencyRatio: 1 + $1)
    }
    return ProfileVerification(
      grid: grid, level: ProfileVerification.Spread(of: levels),
      frequency: ProfileVerification.Spread(of: frequencies),
      consistency: ProfileVerification.Spread(of: consistency),
      levelCrossTalk: crossTalk(inside, along: \.asked.intensity) {
        $0.reading.level - $0.asked.command.targetLevel
      },
      frequencyCrossTalk: crossTalk(inside, along: \.asked.sharpness) {
        $0.reading.feltFrequency / $0.asked.command.targetFrequency
      },
      taps: verification.taps.filter { $0.peak > 0 }.map { tap in
        ProfileVerification.Tap(
          intensity: tap.tap.intensity, sharpness: tap.tap.sharpness, peak: tap.peak,
          tail: tap.tail, pulseToRing: tap.pulseToRing)
      }, pattern: verification.pattern?.account)
  }

  private func gridPoint(
    _ point: VerifiedPoint, common: Double
  ) -> ProfileVerification.GridPoint {
    let (asked, own) = (point.asked, 2 * point.reading.levelUncertainty)
    return ProfileVerification.GridPoint(
      intensity: asked.intensity, sharpness: asked.sharpness,
      targetLevel: asked.command.targetLevel, targetFrequency: asked.command.targetFrequency,
      level: point.reading.level, frequency: point.reading.feltFrequency,
      uncertainty: (own * own + common * common).squareRoot(),
      isInside: asked.isInside, isHeldOut: asked.isHeldOut)
  }

  /// The greatest range of a number among grid points that share the other coordinate.
  private func crossTalk(
    _ inside: [VerifiedPoint], along shared: (VerifiedPoint) -> Double,
    value: (VerifiedPoint) -> Double
  ) -> Double? {
    let grid = inside.filter { !$0.asked.isHeldOut }
    let ranges = Set(grid.map(shared)).compactMap { key -> Double? in
      let values = grid.filter { shared($0) == key }.map(value)
      guard values.count >= 2, let low = values.min(), let high = values.max() else { return nil }
      return high - low
    }
    return ranges.max()
  }
}
