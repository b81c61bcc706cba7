// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

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
          tail: tap.figure.t20, pulseToRing: tap.figure.pulseToRing)
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

  /// What deconvolution, gate and the sensor's filter leave unknown of a frequency, as a share.
  private static let reading = 3e-5

  /// How unevenly a converter may hold a sample: half a frame to each side, even.
  private var holding: Double { 0.5 * subject.rate.period / 3.0.squareRoot() }

  /// How well the sensor's own delay is known, in seconds: as a comparison says, else by its low-pass.
  ///
  /// The corner of its low-pass is known to a tenth, evenly: a Butterworth filter of second order delays
  /// by 0.225 over its corner.
  private var sensorDelayDoubt: Double {
    if let compared = subject.sensorDelayUncertainty { return compared }
    guard let corner = subject.sensorBandwidth else { return CalibrationSubject.unknownFilterDelay }
    return 0.225 * 0.1 / corner / 3.0.squareRoot()
  }

  var model: ActuatorModel {
    if let piezo {
      return ActuatorModel(
        kind: .piezo,
        piezoGain: quantity(
          piezo.gain.widened(byShare: sensorDoubt), .metrePerSecondSquaredPerVolt),
        delay: delay(piezo.delay), misfit: sweeps.coarse?.model.quality?.misfit ?? 0)
    }
    let modes = [resonance?.limit, resonance?.second].compactMap(\.self).map(mode)
    return ActuatorModel(
      kind: subject.isPiezo ? .piezo : modes.count > 1 ? .modes : .resonator,
      modes: modes, coupling: modes.count > 1 ? modelCoupling : nil,
      delay: delay(resonance?.limit.delay ?? Estimate(0, uncertainty: 0)),
      levels: modelLevels, resistance: sweeps.coil.map { quantity($0.resistance, .ohm) },
      inductance: sweeps.coil.map { quantity($0.inductance, .henry) },
      misfit: resonance?.limit.misfit ?? 0)
  }

  private var modelCoupling: MeasuredQuantity? {
    guard let coupling = resonance?.limit.coupling, coupling.value != 0 else { return nil }
    return quantity(coupling.widened(byShare: sensorDoubt), .metrePerSecondSquaredPerVolt)
  }

  private func mode(_ limit: SmallSignalLimit) -> ActuatorModel.Mode {
    // Warming up between the sweeps and the end moves the numbers by as much as it did.
    let moved = movement
    return mode(
      frequency: limit.frequency.widened(byShare: moved.frequency / 3.0.squareRoot())
        .widened(byShare: Self.reading),
      q: limit.q.widened(byShare: moved.q / 3.0.squareRoot()),
      gain: limit.gain.widened(byShare: moved.gain / 3.0.squareRoot()).widened(byShare: sensorDoubt)
    )
  }

  /// How well the sensor's accelerations are known, as a share: its certificate, what gravity says of it,
  /// and its low-pass.
  private var sensorDoubt: Double {
    sensorLines.reduce(0) { $0 + $1.relative * $1.relative }.squareRoot()
  }

  /// One level each, the mean of its sweeps; those that the amplifier turned out not to give are left out.
  private var modelLevels: [ActuatorModel.Level] {
    let drives = Set(sweeps.all.map(\.level)).filter { $0 <= subject.peakVolts }.sorted()
    return drives.map { drive in
      let modes = sweeps.all.filter { $0.level == drive }.map(\.mode)
      return ActuatorModel.Level(
        drive: drive,
        mode: mode(
          frequency: .mean(modes.map(\.frequency)), q: .mean(modes.map(\.q)),
          gain: .mean(modes.map(\.gain))))
    }
  }

  private func mode(frequency: Estimate, q: Estimate, gain: Estimate) -> ActuatorModel.Mode {
    let stretch = 1 + clock.share
    return ActuatorModel.Mode(
      f0: quantity(
        Estimate(stretch * frequency.value, uncertainty: stretch * frequency.uncertainty), .hertz),
      q: quantity(q, .one), gain: quantity(gain, .metrePerSecondSquaredPerVolt))
  }

  /// The delay after the reference; nil without one: nobody knows how much of it is the converters'.
  private func delay(_ fitted: Estimate) -> MeasuredQuantity? {
    guard subject.hasReference else { return nil }
    let value = fitted.value / (1 + clock.share) - subject.sensorDelay
    let (own, spread, filter) = (fitted.uncertainty, clock.delaySpread, sensorDelayDoubt)
    let variance = own * own + holding * holding + spread * spread + filter * filter
    return MeasuredQuantity(value, .second, uncertainty: variance.squareRoot())
  }

  private func quantity(_ estimate: Estimate, _ unit: ProfileUnit) -> MeasuredQuantity {
    MeasuredQuantity(estimate.value, unit, uncertainty: estimate.uncertainty)
  }

  /// The inverse of the model with the resonance and Q that taps asked for.
  var inverse: FeedForward? {
    var shaped = model
    if let taps, !shaped.modes.isEmpty {
      shaped.modes[0].f0.value = taps.frequency * (1 + clock.share)
      // The stiffness of the gain, g / Q, belongs to the magnet and not to the damping.
      shaped.modes[0].gain.value *= taps.q / shaped.modes[0].q.value
      shaped.modes[0].q.value = taps.q
    }
    var inverse = FeedForward(inverting: shaped)
    inverse?.spring = spring.map { quantity($0, .perSquareMetre) }
    return inverse
  }

  /// The relative standard uncertainty that a sensor without a certificate is taken to have.
  static let unknownSensor = 0.05

  var budget: UncertaintyBudget {
    var lines = sensorLines
    if let limit = resonance?.limit {
      lines.append(
        .init(
          name: "fit and repeats", relative: limit.gain.relativeUncertainty, evaluation: .typeA,
          degreesOfFreedom: Double(max(1, 2 * sweeps.all.count - 4))))
    }
    lines.append(
      .init(name: "alignment and cross axis", relative: alignment, evaluation: .typeB))
    lines.append(mounting)
    let moved = movement.gain / 3.0.squareRoot()
    lines.append(.init(name: "drift while measured", relative: moved, evaluation: .typeB))
    if subject.hasReference {
      lines.append(.init(name: "drive voltage", relative: 0.002, evaluation: .typeB))
    } else {
      lines.append(
        .init(name: UncertaintyBudget.Line.unseenDrive, relative: 0.01, evaluation: .typeB))
    }
    if !verification.points.isEmpty {
      lines.append(
        .init(
          name: "noise of a tone", relative: toneNoise, evaluation: .typeA,
          degreesOfFreedom: Double(verification.points.count)))
    }
    return UncertaintyBudget(lines: lines)
  }

  var sensorLines: [UncertaintyBudget.Line] {
    var lines = [sensor]
    if !subject.sensorIsCompared {
      lines.append(
        .init(
          name: subject.sensorBandwidth == nil
            ? UncertaintyBudget.Line.unknownBandwidth : "sensor flatness",
          relative: flatness, evaluation: .typeB))
    }
    if let deviation = rest?.check.gravity.deviation {
      lines.append(.init(name: "gravity on the sensor", relative: deviation, evaluation: .typeB))
    }
    return lines
  }

  /// What mounting the actuator or the sensor anew does: measured where that was done, else as usual.
  ///
  /// 0.8 % for a sensor with a certificate, 1 % for one without (design examples of a budget).
  private var mounting: UncertaintyBudget.Line {
    let gains = ([identity.closing].compactMap(\.self) + identity.remounts).map(
      \.mode.gain)
    guard !identity.remounts.isEmpty, gains.count >= 2 else {
      return .init(
        name: "mounting, assumed", relative: subject.sensorUncertainty == nil ? 0.01 : 0.008,
        evaluation: .typeB)
    }
    let count = Double(gains.count)
    let mean = gains.reduce(0) { $0 + $1.value } / count
    let square = gains.reduce(0) { $0 + ($1.value - mean) * ($1.value - mean) } / (count - 1)
    return .init(
      name: "mounting, \(identity.remounts.count) times anew",
      relative: square.squareRoot() / abs(mean), evaluation: .typeA,
      degreesOfFreedom: count - 1)
  }

  private var sensor: UncertaintyBudget.Line {
    guard let certified = subject.sensorUncertainty else {
      return .init(
        name: UncertaintyBudget.Line.noCertificate, relative: Self.unknownSensor, evaluation: .typeB
      )
    }
    return .init(name: UncertaintyBudget.Line.sensitivity, relative: certified, evaluation: .typeB)
  }

  /// The corner of the low-pass is known to a tenth: what that does at 230 Hz.
  private var flatness: Double {
    guard let corner = subject.sensorBandwidth else {
      return CalibrationSubject.unknownFilterGain(at: resonance?.limit.frequency.value ?? 230)
    }
    let filter = KnownFilter.butterworth(corner: corner)
    let other = KnownFilter.butterworth(corner: 0.9 * corner)
    return abs(other.response(at: 230).magnitude / filter.response(at: 230).magnitude - 1) + 0.002
  }

  /// 5 degrees out of line where one axis is measured; what is left across where there are three, and
  /// a hundredth of what their cross-axis sensitivity adds to an oblique motion.
  private var alignment: Double {
    axisNames.count >= 3
      ? 0.002 + 0.01 * motion.offAxis : (1 - cos(5 * .pi / 180)) / 3.0.squareRoot()
  }

  private var toneNoise: Double {
    let relative = verification.points.map { $0.reading.levelUncertainty * log(10) / 20 }
    return Statistics.median(relative)
  }
}
