extension Limit {
  /// Judges a value with its standard uncertainty.
  ///
  /// A value inside its limit that two standard uncertainties would take outside is marginal.
  public func judge(_ value: Double, uncertainty: Double?) -> Verdict {
    let doubt = 2 * max(0, uncertainty ?? 0)
    switch bound {
    case .below(let limit, let marginal):
      return grade(value, fail: limit, marginal: marginal ?? limit, doubt: doubt)
    case .above(let limit, let marginal):
      return grade(-value, fail: -limit, marginal: -(marginal ?? limit), doubt: doubt)
    case .within(let limit, let marginal):
      return grade(abs(value), fail: limit, marginal: marginal ?? limit, doubt: doubt)
    case .syncBands:
      // Haptic minus audio: positive means that the audio leads, which people notice sooner.
      let scale = value > 0 ? 0.5 : 1
      return grade(abs(value), fail: 24e-3 * scale, marginal: 10e-3 * scale, doubt: 0)
    }
  }

  private func grade(_ value: Double, fail: Double, marginal: Double, doubt: Double) -> Verdict {
    if value > fail { return .fail }
    if value > marginal || value + doubt > fail { return .marginal }
    return .pass
  }
}

/// Judging a run's readings by a plan's limits.
public enum Judgement {
  /// Writes limit and verdict into each reading and returns the run's verdict.
  ///
  /// A run is as its heaviest judged reading: fail, then a required reading that was not measured,
  /// then marginal, then pass. A required limit asks for at least one measured reading of its name
  /// for each pattern it holds for, or for the run where the reading is of the run.
  public static func apply(
    _ limits: [Limit], to readings: inout [Reading], patterns: [String]
  ) -> Verdict {
    var verdicts: [Verdict] = []
    for index in readings.indices {
      let reading = readings[index]
      guard
        let limit = limits.first(where: {
          $0.reading == reading.name && $0.applies(to: reading.pattern)
        })
      else { continue }
      readings[index].limit = limit.text
      guard let value = reading.value else { continue }
      let verdict = limit.judge(value, uncertainty: reading.uncertainty)
      readings[index].verdict = verdict
      verdicts.append(verdict)
    }
    for limit in limits where limit.required {
      if isMissing(limit, in: readings, patterns: patterns) { verdicts.append(.notMeasured) }
    }
    return Verdict.worst(verdicts)
  }

  private static func isMissing(
    _ limit: Limit, in readings: [Reading], patterns: [String]
  ) -> Bool {
    let measured = readings.filter { $0.name == limit.reading && $0.value != nil }
    if measured.contains(where: { $0.pattern == nil }) { return false }
    let wanted = patterns.filter { limit.applies(to: $0) }
    guard !wanted.isEmpty else { return measured.isEmpty }
    // A reading that no pattern has at all is of the run; otherwise every pattern owes one.
    return wanted.contains { name in !measured.contains { $0.pattern == name } }
  }
}
