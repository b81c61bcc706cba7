// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

/// A round of shaping the inverse by taps: each tap is played with the three trials of the inverse.
struct TapStage: CalibrationStage {
  let round: Int

  private static let rounds = 2
  /// The share of the peak voltage that taps may ask for while they are shaped.
  private static let peakShare = 0.9
  /// The rate in hertz at which their shape is computed.
  private static let curveRate = 8_000.0
  /// The rate in hertz at which their tails are compared: it says all there is to say of them.
  private static let tailRate = 4_000.0
  private static let tail = (after: 0.001, before: 0.01)
  /// The band of the tails in hertz, and the share of the rate that it may reach.
  private static let band = (low: 10.0, high: 1_000.0, rate: 0.4)
  private static let leastNoise = 1e-3

  var outlook: StageOutlook {
    .init("shaping taps", segments: max(7, 8 - round), seconds: round == 0 ? 30 : 28)
  }

  /// The taps that the inverse is shaped by: at and beside the resonance, strong and half as strong.
  private func places(_ findings: Findings) -> [(intensity: Double, sharpness: Double)] {
    let sharpness = findings.subject.sharpness
    let near = sharpness.nearest(to: findings.resonance?.limit.frequency.value ?? 0, steps: 20)
    return [(1, near), (0.6, near), (1, 0.3), (1, 0.8)]
  }

  func draft(_ findings: inout Findings) -> SegmentDraft<TapPlan>? {
    let subject = findings.subject
    let shape = subject.tapShape
    let own = findings.inverse
    let trials = (findings.taps?.trials ?? []).compactMap { trial in
      var tried = findings
      tried.taps = TapRefinement(frequency: trial.frequency, q: trial.q)
      return tried.inverse
    }
    let target = IntensityTarget(
      law: subject.target.law, contour: subject.target.contour,
      referenceLevel: findings.referenceLevel, floorLevel: subject.target.floorLevel)
    let taps = places(findings).flatMap { place -> [TapPlan.Tap] in
      let frequency = subject.sharpness.frequency(of: place.sharpness)
      let asked = target.acceleration(intensity: place.intensity, frequency: frequency)
      let curve = own?.tapCurve(
        frequency: frequency, shape: shape, peakVolts: Self.peakShare * subject.peakVolts,
        rate: min(subject.rate.hertz, Self.curveRate),
        travel: findings.bounds.travel?.metres ?? .infinity)
      let wanted = min(asked, curve?.ceiling ?? asked)
      return trials.map { inverse in
        TapPlan.Tap(
          intensity: place.intensity, sharpness: place.sharpness, frequency: frequency,
          amplitude: curve?.asked(for: wanted) ?? wanted, wanted: wanted, inverse: inverse)
      }
    }
    let plan = TapPlan(taps: taps, spacing: findings.tapSpacing, shape: shape)
    return plan.draft("", subject)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: TapPlan, _ findings: inout Findings
  ) -> StageStep {
    let noise = max(
      findings.motion.noise, Self.leastNoise * (plan.taps.map(\.wanted).max() ?? 0))
    let tails = tails(answer.capture, plan, findings)
    findings.taps?.refine(tails: tails, noise: noise)
    let again = 2 * findings.duration(of: .taps)
    let hasTime = findings.hasTime(for: again, before: TimedStage.from(.grid))
    return .next(
      round + 1 < Self.rounds && hasTime ? TapStage(round: round + 1) : GridStage(findings))
  }

  private func tails(
    _ capture: Capture, _ plan: TapPlan, _ findings: Findings
  ) -> [[[Double]]] {
    let high = min(Self.band.high, Self.band.rate * findings.subject.rate.hertz)
    let output = BandPass(Self.band.low...high).apply(
      to: capture.output(along: findings.motion.weights), rate: capture.rate)
    let delay = findings.resonance?.limit.delay.value ?? 0
    return Swift.stride(from: 0, to: plan.taps.count - 2, by: 3).map { first in
      (first..<first + 3).map { index -> [Double] in
        let start = plan.start(of: index, rate: capture.rate)
        let end = start + capture.rate.wholeFrames(TapPlan.length + Self.tail.after)
        let room = start + capture.rate.wholeFrames(plan.spacing - Self.tail.before)
        let frames = capture.frames(of: end..<room, after: delay)
        let step = max(1, Int(capture.rate.hertz / Self.tailRate))
        return Swift.stride(from: frames.lowerBound, to: frames.upperBound, by: step).map {
          output[$0]
        }
      }
    }
  }
}

extension TapPlan {
  func draft(_ title: String, _ subject: CalibrationSubject) -> SegmentDraft<TapPlan> {
    SegmentDraft(
      purpose: .taps, title: "\(taps.count) taps\(title)",
      volts: volts(at: subject.rate, peak: subject.peakVolts), plan: self)
  }
}

extension CalibrationSubject {
  var tapShape: TapShape { limits.tapShape(length: TapPlan.length) }
}

extension SharpnessLaw {
  func nearest(to frequency: Double, steps: Int) -> Double {
    func distance(_ sharpness: Double) -> Double {
      abs(log(self.frequency(of: sharpness) / max(1, frequency)))
    }
    return (0...steps).map { Double($0) / Double(steps) }.min { distance($0) < distance($1) }
      ?? 0.5
  }
}

extension Findings {
  /// How many times the highest frequency that is asked for a resonance may lie for taps to tell of the inverse.
  private static let tellingTaps = 2.0

  /// Whether taps tell anything of the inverse: not where the resonance is far above all of them.
  var hasTapsToShape: Bool {
    guard let f0 = resonance?.limit.frequency.value else { return false }
    let ends = [subject.sharpness.frequency(of: 0), subject.sharpness.frequency(of: 1)]
    return f0 < Self.tellingTaps * (ends.max() ?? f0)
  }
}

/// A round of refining the correction: tones over frequency and level until their error stands.
struct GridStage: CalibrationStage {
  private let round: Int
  private let grid: RefinementGrid
  /// What the level model leaves over, as far as tones told it.
  private let residual: ResponseCorrection

  struct Plan: Sendable {
    let tones: TonePlan
    let inverse: FeedForward
    let residual: ResponseCorrection
  }

  /// The error in dB of a first tone from which on something else is wrong.
  private static let wrong = 12.0
  /// The error in dB that a person is told of where it stayed.
  private static let told = 0.5
  /// The relative uncertainty up to which a tone says something of the steady response.
  private static let sure = 0.02

  var outlook: StageOutlook {
    .init("refining the grid", segments: 6, seconds: round == 0 ? 26 : 18)
  }

  func draft(_ findings: inout Findings) -> SegmentDraft<Plan>? {
    guard let inverse = findings.inverse else { return nil }
    let residual = findings.correct(by: grid, inverse, residual)
    let tones = grid.nodes(round: round).map { node in
      let frequency = grid.frequencies[node.row]
      return TonePlan.Tone(
        frequency: frequency,
        amplitude: command(grid.levels[node.column], at: frequency, inverse, findings))
    }
    let plan = TonePlan(
      tones: tones, settling: findings.gridSettling, window: findings.window, inverse: inverse)
    return plan.draft(
      "of the grid", purpose: .grid, findings.subject,
      plan: Plan(tones: plan, inverse: inverse, residual: residual))
  }

  /// What the inverse is to be fed with for a level in dB, no more than what lasts.
  private func command(
    _ level: Double, at frequency: Double, _ inverse: FeedForward, _ findings: Findings
  ) -> Double {
    let subject = findings.subject
    let wanted = subject.target.contour.acceleration(sensationLevel: level, at: frequency)
    let decibels = findings.correction.decibels(at: frequency, level: level)
    let command = wanted * pow(10, decibels / 20) / inverse.leakFactor(at: frequency)
    return inverse.held(command, at: frequency, volts: subject.steadyVolts(at: frequency))
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: Plan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let readings = findings.read(answer.capture, plan.tones)
    if let reason = try findings.disturbance(of: readings, to: plan.tones, in: answer.capture) {
      return .again(because: reason)
    }
    let grid = learned(readings, plan, &findings)
    if round == 0, grid.greatestError > Self.wrong {
      return .next(
        DiagnosisStage(suspicion: "a tone of the grid is \(text(grid.greatestError)) dB off"))
    }
    if round == 0 { findings.levels?.fit(findings.tones) }
    let open = grid.nodes(round: round + 1).count
    // The round under way is not counted yet.
    let both =
      Double(plan.tones.tones.count + open) * (findings.gridSettling + findings.window)
      + RigTime.overhead
    if open > 0, round + 1 < RefinementGrid.rounds,
      findings.hasTime(for: both, before: TimedStage.from(.verification))
    {
      return .next(GridStage(round: round + 1, grid: grid, residual: plan.residual))
    }
    _ = findings.correct(by: grid, plan.inverse, plan.residual)
    if let held = findings.correction.hold() {
      let side = held.decibels < 0 ? "below" : "above"
      findings.notes.append(
        "The correction at \(text(held.frequency)) Hz is held \(text(abs(held.decibels))) dB \(side) what its "
          + "tones ask for: a limit of this program.")
    }
    if grid.greatestError > Self.told {
      findings.notes.append(
        "A tone of the grid stayed \(text(grid.greatestError)) dB off after "
          + "\(RefinementGrid.rounds) rounds.")
    }
    return .next(VerificationStage())
  }

  private func learned(
    _ readings: [ToneReading?], _ plan: Plan, _ findings: inout Findings
  ) -> RefinementGrid {
    var grid = grid
    let contour = findings.subject.target.contour
    for (node, (tone, reading)) in zip(
      grid.nodes(round: round), zip(plan.tones.tones, readings))
    {
      guard let reading, reading.level.isFinite else { continue }
      let frequency = grid.frequencies[node.row]
      let wanted = contour.acceleration(sensationLevel: grid.levels[node.column], at: frequency)
      let used = 20 * log10(tone.amplitude * plan.inverse.leakFactor(at: frequency) / wanted)
      let error = reading.level - grid.levels[node.column]
      grid.errors[node.row][node.column] = error
      grid.right[node.row][node.column] = used - error
      if reading.uncertainty < Self.sure * reading.acceleration {
        findings.tones.append(LevelModel.Point(reading))
      }
    }
    return grid
  }
}

extension GridStage {
  init(_ findings: Findings) {
    let target = findings.subject.target
    self.init(
      round: 0,
      grid: RefinementGrid(
        ceiling: findings.ceiling.ceiling, holding: findings.inverse, contour: target.contour,
        floor: target.floorLevel,
        reference: findings.referenceLevel),
      residual: .none)
  }
}

extension Findings {
  /// The table of the correction: steps over level and over frequency, and the dB that it reaches above the
  /// highest level.
  private static let table = (levels: 8, frequencies: 24, above: 3.0)

  /// Makes the correction of what a grid knows now.
  fileprivate mutating func correct(
    by grid: RefinementGrid, _ inverse: FeedForward, _ before: ResponseCorrection
  ) -> ResponseCorrection {
    guard let levels else { return before }
    let builder = CorrectionBuilder(
      model: levels, inverse: inverse, contour: subject.target.contour)
    let residual = builder.residual(grid) ?? before
    let floor = grid.levels[0]
    let top = grid.levels[grid.levels.count - 1]
    let columns = (0...Self.table.levels).map { step -> Double in
      let share = Double(step) / Double(Self.table.levels)
      // Closer together at the top, where it changes most.
      return floor + (top + Self.table.above - floor) * (1 - (1 - share) * (1 - share))
    }
    let (low, high) = (grid.frequencies[0], grid.frequencies[grid.frequencies.count - 1])
    let rows =
      (0...Self.table.frequencies).map {
        low * pow(high / low, Double($0) / Double(Self.table.frequencies))
      } + grid.frequencies + levels.bends.filter { low < $0 && $0 < high }
    correction = builder.table(
      frequencies: rows.sorted().distinct(),
      levels: (columns + grid.levels).sorted().distinct(), residual: residual)
    return residual
  }
}

extension [Double] {
  /// The share of a number within which another repeats it.
  private static var same: Double { 1e-4 }

  fileprivate func distinct() -> [Double] {
    reduce(into: []) { kept, value in
      if let last = kept.last, value - last < Self.same * abs(value) { return }
      kept.append(value)
    }
  }
}
