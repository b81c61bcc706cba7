private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

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
    let highest = subject.steadyVolts(at: frequency) / inverse.response(at: frequency).magnitude
    return min(command, highest)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: Plan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let readings = findings.read(answer.capture, plan.tones)
    if let reason = try findings.disturbance(of: readings) { return .again(because: reason) }
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
  /// The first round, below the ceiling that was found.
  init(_ findings: Findings) {
    let target = findings.subject.target
    self.init(
      round: 0,
      grid: RefinementGrid(
        ceiling: findings.ceiling.ceiling, contour: target.contour, floor: target.floorLevel,
        reference: findings.referenceLevel),
      residual: .none)
  }
}

extension Findings {
  /// The table of the correction: steps over level and over frequency, and the dB that it reaches above the
  /// highest level.
  private static let table = (levels: 8, frequencies: 24, above: 3.0)

  /// Makes the correction of what a grid knows now.
  ///
  /// - Returns: What the level model leaves over: as the grid's tones say, or else as before.
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
      } + grid.frequencies
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
