private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// The inverse filter as taps have shaped it.
  var inverse: FeedForward? { ModelAssembly(subject: subject, knowledge: knowledge).inverse }

  /// The tones of a round of the refinement.
  mutating func gridDraft() -> SegmentDraft? {
    guard case .grid(let round) = stage, let inverse else { return nil }
    if knowledge.grid == nil {
      knowledge.grid = RefinementGrid(
        ceiling: knowledge.ceiling.ceiling, contour: subject.target.contour,
        floor: subject.target.floorLevel, reference: knowledge.referenceLevel)
    }
    correct(inverse)
    guard let grid = knowledge.grid else { return nil }
    let tones = grid.nodes(round: round).map { node in
      let frequency = grid.frequencies[node.row]
      return TonePlan.Tone(
        frequency: frequency,
        amplitude: command(level: grid.levels[node.column], frequency: frequency, inverse))
    }
    let plan = TonePlan(
      tones: tones, settling: gridSettling, window: window, inverse: inverse)
    return SegmentDraft(
      purpose: .grid, title: "\(tones.count) tones of the grid",
      volts: plan.volts(at: subject.rate, peak: subject.peakVolts), plan: .tones(plan))
  }

  /// What the inverse is to be fed with for a level, no more than what lasts.
  private func command(level: Double, frequency: Double, _ inverse: FeedForward) -> Double {
    let wanted = subject.target.contour.acceleration(sensationLevel: level, at: frequency)
    let decibels = knowledge.correction.decibels(at: frequency, level: level)
    let command = wanted * pow(10, decibels / 20) / inverse.leakFactor(at: frequency)
    let highest = subject.steadyVolts(at: frequency) / inverse.response(at: frequency).magnitude
    return min(command, highest)
  }

  /// Makes the correction of what is known now.
  private mutating func correct(_ inverse: FeedForward) {
    guard let levels = knowledge.levels, let grid = knowledge.grid else { return }
    knowledge.builder.learn(
      frequencies: grid.frequencies, levels: grid.levels, right: grid.right, model: levels,
      inverse: inverse, contour: subject.target.contour)
    let floor = grid.levels[0]
    let top = grid.levels[grid.levels.count - 1]
    let columns = (0...8).map { step -> Double in
      let share = Double(step) / 8
      // Closer together at the top, where it changes most.
      return floor + (top + 3 - floor) * (1 - (1 - share) * (1 - share))
    }
    let (low, high) = (grid.frequencies[0], grid.frequencies[grid.frequencies.count - 1])
    let rows = (0...24).map { low * pow(high / low, Double($0) / 24) } + grid.frequencies
    knowledge.correction = knowledge.builder.table(
      model: levels, inverse: inverse, contour: subject.target.contour,
      frequencies: rows.sorted().distinct(), levels: (columns + grid.levels).sorted().distinct())
  }

  /// A round of the refinement.
  mutating func acceptGrid(
    _ capture: Capture, _ plan: TonePlan, round: Int
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let readings = read(capture, plan)
    if let reason = try disturbed(readings) { return .again(because: reason) }
    guard var grid = knowledge.grid, let inverse else { return .accepted }
    for (node, (tone, reading)) in zip(grid.nodes(round: round), zip(plan.tones, readings)) {
      guard let reading, reading.level.isFinite else { continue }
      let frequency = grid.frequencies[node.row]
      let wanted = subject.target.contour.acceleration(
        sensationLevel: grid.levels[node.column], at: frequency)
      let used = 20 * log10(tone.amplitude * inverse.leakFactor(at: frequency) / wanted)
      let error = reading.level - grid.levels[node.column]
      grid.errors[node.row][node.column] = error
      grid.right[node.row][node.column] = used - error
      if reading.uncertainty < 0.02 * reading.acceleration {
        knowledge.tones.append(LevelModel.Point(reading))
      }
    }
    knowledge.grid = grid
    if round == 0, grid.greatestError > 12 {
      stage = .diagnosis("a tone of the grid is \(text(grid.greatestError)) dB off")
      return .accepted
    }
    if round == 0 { knowledge.levels?.fit(knowledge.tones) }
    let open = grid.nodes(round: round + 1).count
    // The round under way is not counted yet.
    let both = Double(plan.tones.count + open) * (gridSettling + window) + RigTime.overhead
    let isDone =
      open == 0 || round + 1 == RefinementGrid.rounds
      || !hasTime(for: both, before: RigTimeStep.from(.verification))
    stage = isDone ? .verification : .grid(round + 1)
    if isDone {
      correct(inverse)
      if grid.greatestError > 0.5 {
        knowledge.notes.append(
          "A tone of the grid stayed \(text(grid.greatestError)) dB off after "
            + "\(RefinementGrid.rounds) rounds.")
      }
    }
    return .accepted
  }
}

extension [Double] {
  /// The sorted numbers without those that all but repeat the one before.
  fileprivate func distinct() -> [Double] {
    reduce(into: []) { kept, value in
      if let last = kept.last, value - last < 1e-4 * abs(value) { return }
      kept.append(value)
    }
  }
}
