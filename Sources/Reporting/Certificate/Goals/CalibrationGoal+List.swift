import Calibration
import Perception
import Profiles

extension CalibrationGoal {
  /// Every goal that makes sense for the kind of actuator.
  static func all(
    profile: CalibrationProfile, figures: CalibrationFigures
  ) -> [CalibrationGoal] {
    let reasons = GoalReasons(profile: profile, figures: figures)
    return feeling(profile.verification, reasons)
      + clicks(TapSummary(profile: profile, figures: figures), reasons)
      + (profile.motorCurve == nil ? distortion(profile) + [coherence(profile, figures)] : [])
      + [noise(profile, figures)].compactMap(\.self) + knowledge(profile)
  }

  private static func feeling(
    _ found: ProfileVerification?, _ reasons: GoalReasons
  ) -> [CalibrationGoal] {
    let heldOut = found?.grid.filter { $0.isHeldOut && $0.isInside } ?? []
    let errors = ProfileVerification.Spread(of: heldOut.map { $0.level - $0.targetLevel })
    let inside = "over the measured points that the actuator reaches"
    return [
      CalibrationGoal(
        "Intensity error, rms", found?.level?.rms, atMost: 0.5, .decibel, basis: inside
      ).unmeasured(because: reasons.noPoint),
      CalibrationGoal(
        "Intensity error, 95 %", found?.level?.percentile95, atMost: 1.1, .decibel,
        basis: "half a just noticeable difference"
      ).unmeasured(because: reasons.noPoint),
      CalibrationGoal(
        "Intensity error of held-out points, rms", errors?.rms, atMost: 0.5, .decibel,
        basis: "points that nothing was fitted to"
      ).unmeasured(because: reasons.noHeldOut),
      CalibrationGoal(
        "Sharpness error, rms", found?.frequency?.rms, atMost: 0.03, .share, basis: inside
      ).unmeasured(because: reasons.noPoint),
      CalibrationGoal(
        "Sharpness error, greatest", found?.frequency?.greatest, atMost: 0.09, .share,
        basis: "half a just noticeable difference"
      ).unmeasured(because: reasons.noPoint),
      CalibrationGoal(
        "Intensity along sharpness", found?.levelCrossTalk, atMost: 1, .decibel,
        basis: "cross-talk: the greatest change at one intensity"
      ).unmeasured(because: reasons.noCrossTalk),
      CalibrationGoal(
        "Sharpness along intensity", found?.frequencyCrossTalk, atMost: 0.05, .share,
        basis: "cross-talk: the greatest change at one sharpness"
      ).unmeasured(because: reasons.noCrossTalk),
      CalibrationGoal(
        "Envelope of a held-out pattern, rms", found?.pattern?.envelope.rms, atMost: 1, .decibel,
        basis: "curves, glides and taps that nothing was fitted to"
      ).unmeasured(because: reasons.noPattern),
    ]
  }

  private static func clicks(
    _ taps: TapSummary, _ reasons: GoalReasons
  ) -> [CalibrationGoal] {
    let share = Shown.percent(CalibrationFigures.Tap.highestNoise, decimals: 0)
    let noisy = reasons.noTap ?? "noise is above \(share) of every tap's peak"
    return [
      CalibrationGoal(
        "Tap tail to -20 dB, longest", taps.longestTail, atMost: 15e-3, .second,
        basis: "from the intended end"
      ).unmeasured(because: reasons.noTap ?? "noise hides the tail of a tap"),
      CalibrationGoal(
        "Tap pulse-to-ring ratio, least", taps.leastPulseToRing, atLeast: 15, .decibel,
        basis: "energy, less that of the noise"
      ).unmeasured(because: reasons.noTap ?? "noise hides the ring of every tap"),
      CalibrationGoal(
        "Tap peak error, greatest", taps.greatestPeakError, atMost: 0.1, .share,
        basis: "against the wanted tap"
      ).unmeasured(because: noisy),
      CalibrationGoal(
        "Tap energy error, greatest", taps.greatestEnergyError, atMost: 1, .decibel,
        basis: "against the wanted tap"
      ).unmeasured(because: noisy),
    ]
  }

  private static func distortion(_ profile: CalibrationProfile) -> [CalibrationGoal] {
    let law = profile.laws.sharpness
    let ends = [law.frequency(of: 0), law.frequency(of: 1)].sorted()
    let inside = profile.ceiling.points.filter {
      ends[0] <= $0.frequency && $0.frequency <= ends[1]
    }
    let resonance = profile.model.modes.first?.f0.value ?? .infinity
    let below = inside.filter { $0.frequency < resonance }.compactMap(\.distortion).max()
    let above = inside.filter { $0.frequency >= resonance }.compactMap(\.distortion).max()
    return [
      CalibrationGoal(
        "Harmonics below resonance", below, atMost: 0.1, .share,
        basis: "at the strongest steady vibration"
      ).limited(by: "what the actuator itself distorts"),
      CalibrationGoal(
        "Harmonics from resonance up", above, atMost: 0.03, .share,
        basis: "at the strongest steady vibration"
      ).limited(by: "what the actuator itself distorts"),
    ].filter { $0.value != nil || inside.contains { $0.distortion == nil } }
  }

  /// The least coherence of the frequencies that the laws ask for, at the level that tells it best.
  private static func coherence(
    _ profile: CalibrationProfile, _ figures: CalibrationFigures
  ) -> CalibrationGoal {
    let law = profile.laws.sharpness
    let ends = [law.frequency(of: 0), law.frequency(of: 1)].sorted()
    let least = figures.coherence.compactMap { curve in
      zip(curve.x, curve.y).filter { ends[0] <= $0.0 && $0.0 <= ends[1] }.map(\.1).min()
    }
    return CalibrationGoal(
      "Coherence, least", least.max(), atLeast: 0.99, .share,
      basis: "drive and response of repeated sweeps, in the law's band, at the best level"
    ).limited(by: "noise and what moved between the sweeps")
      .unmeasured(because: "no level was swept twice")
  }

  /// How far the noise of the whole band lies below the weakest level that the laws ask for.
  private static func noise(
    _ profile: CalibrationProfile, _ figures: CalibrationFigures
  ) -> CalibrationGoal? {
    guard let noise = figures.noise else { return nil }
    let band = zip(noise.x, noise.y).filter { 20 <= $0.0 && $0.0 <= 1000 && $0.1.isFinite }
    let power = zip(band, band.dropFirst()).reduce(0) { sum, pair in
      let (a, b) = pair
      return sum + (b.0 - a.0) * (a.1 * a.1 + b.1 * b.1) / 2
    }
    let resonance = profile.model.modes.first?.f0.value ?? profile.laws.sharpness.frequency(of: 0.5)
    let level = profile.laws.contour.sensationLevel(
      acceleration: (2 * power).squareRoot(), at: resonance)
    return CalibrationGoal(
      "Noise below the weakest level", power > 0 ? profile.laws.floorLevel - level : nil,
      atLeast: 20, .decibel, basis: "all of 20 Hz to 1 kHz against one tone"
    ).limited(by: "the noise of the sensor").unmeasured(because: "the sensor at rest shows none")
  }

  /// What the rig does not tell of the delay.
  private static func delayLimit(_ budget: UncertaintyBudget) -> String? {
    let names = budget.lines.map(\.name)
    if names.contains(UncertaintyBudget.Line.unseenDrive) {
      return "the drive, which is not captured"
    }
    return names.contains(UncertaintyBudget.Line.unknownBandwidth)
      ? "the sensor's bandwidth, which is not given" : nil
  }

  /// The largest of the sensor's own lines of the budget, where all the others together keep the goal.
  private static func sensorLimit(_ budget: UncertaintyBudget) -> String? {
    let names: [String] = [
      UncertaintyBudget.Line.sensitivity, UncertaintyBudget.Line.noCertificate,
      UncertaintyBudget.Line.unknownBandwidth,
    ]
    let others = UncertaintyBudget(lines: budget.lines.filter { !names.contains($0.name) })
    let all = budget.lines.filter { names.contains($0.name) }
    guard let own = all.max(by: { $0.relative < $1.relative }), others.expanded <= 0.05
    else { return nil }
    return "\(own.name), \(Shown.percent(2 * own.relative, decimals: 1))"
  }

  private static func knowledge(_ profile: CalibrationProfile) -> [CalibrationGoal] {
    let model = profile.model
    func expanded(_ quantity: MeasuredQuantity?) -> Double? {
      quantity.flatMap { $0.value == 0 ? nil : 2 * $0.uncertainty / abs($0.value) }
    }
    var goals: [CalibrationGoal] = []
    if let mode = model.modes.first {
      goals = [
        CalibrationGoal(
          "Uncertainty of f0", expanded(mode.f0), atMost: 0.003, .share, basis: "k = 2"),
        CalibrationGoal(
          "Uncertainty of Q", expanded(mode.q), atMost: 0.05, .share, basis: "k = 2"),
      ]
    }
    if profile.motorCurve == nil {
      goals.append(
        CalibrationGoal(
          "Uncertainty of the delay", model.delay.map { 2 * $0.uncertainty }, atMost: 1e-4, .second,
          basis: "k = 2"
        ).limited(
          by: delayLimit(profile.uncertainty)
        ).unmeasured(because: "no reference is captured"))
    }
    if let resistance = model.resistance {
      goals.append(
        CalibrationGoal(
          "Uncertainty of the resistance", expanded(resistance), atMost: 0.01, .share,
          basis: "k = 2"))
    }
    return goals + [
      CalibrationGoal(
        "Uncertainty of acceleration",
        profile.uncertainty.lines.isEmpty
          ? nil : profile.uncertainty.expanded, atMost: 0.05, .share,
        basis: "k = 2; 3 % with a laboratory's sensor"
      ).limited(by: sensorLimit(profile.uncertainty)).unmeasured(because: "no budget was made")
    ]
  }
}
