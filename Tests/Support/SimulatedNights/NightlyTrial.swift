// SPDX-License-Identifier: Apache-2.0

import SeededRandom

/// What a rule says on an evening: the indices at which it holds the level to have changed.
public typealias NightlyRule = (_ values: [Double]) -> [Int]

/// Plays simulated years to a rule, night by night, as a rig would.
public struct NightlyTrial: Sendable {
  /// The noise.
  public var noise: SimulatedNoise
  /// The level, in the unit of the values.
  public var level = 10.0
  /// The standard deviation of a good night, as a share of the level.
  public var variation = 0.02
  /// The seed of the first year; every further one has the next.
  public var seed: UInt64 = 1

  /// Makes a trial.
  public init(_ noise: SimulatedNoise, seed: UInt64 = 1) {
    self.noise = noise
    self.seed = seed
  }

  /// Counts the alarms of years in which nothing changed.
  ///
  /// Every evening from the fifth the rule sees the nights so far. A change that lies more than three
  /// nights from every one told before is an alarm.
  ///
  /// - Parameters:
  ///   - years: How many years of 365 nights.
  ///   - interval: Every how many nights the rule is asked.
  ///   - rule: The rule.
  /// - Returns: The alarms of all years.
  public func falseAlarms(years: Int, stride interval: Int = 1, rule: NightlyRule) -> Int {
    var alarms = 0
    for year in 0..<years {
      let values = quietYear(year)
      var told: [Int] = []
      for count in stride(from: 5, through: 365, by: interval) {
        for index in rule(Array(values.prefix(count)))
        where !told.contains(where: { abs($0 - index) <= 3 }) {
          alarms += 1
          told.append(index)
        }
      }
    }
    return alarms
  }

  /// How steps were found.
  public struct Steps: Sendable {
    /// How many steps there were.
    public var count = 0
    /// How many lie within three nights of a change that the rule finds in the whole year.
    public var located = 0
    /// Within how many nights of its first one a step counts as told.
    public var patience = 40
    /// How many were told in that time, to within five nights.
    public var told = 0
    /// The nights from each step to its alarm, the step's first night counting as 1; ascending.
    public var delays: [Int] = []

    /// Counts steps of which those told were told after some nights each.
    public init(count: Int = 0, patience: Int = 40, delays: [Int] = []) {
      self.count = count
      self.patience = patience
      self.delays = delays.sorted()
      told = delays.count
    }

    /// A quantile of the delays, steps not told counting as one night more than there was patience for.
    public func delay(quantile: Double) -> Int {
      let all = delays + [Int](repeating: patience + 1, count: count - told)
      return all.isEmpty ? 0 : all[min(Int(quantile * Double(all.count)), all.count - 1)]
    }
  }

  /// Plays years with one step each, up or down.
  ///
  /// - Parameters:
  ///   - years: How many.
  ///   - size: The step in standard deviations of a good night.
  ///   - before: How many nights may lie before it, at least and at most.
  ///   - patience: Within how many nights it is to be told; no more than are left of 365.
  ///   - rule: The rule.
  /// - Returns: How they were found.
  public func steps(
    years: Int, size: Double, before: ClosedRange<Int> = 60...300, patience: Int = 40,
    rule: NightlyRule
  ) -> Steps {
    var result = Steps()
    result.patience = patience
    for year in 0..<years {
      let (values, first) = yearWithStep(year, size: size, before: before)
      result.count += 1
      if rule(values).contains(where: { abs($0 - first) <= 3 }) { result.located += 1 }
      let delay = (1...patience).first { nights in
        rule(Array(values.prefix(first + nights))).contains { abs($0 - first) <= 5 }
      }
      if let delay {
        result.told += 1
        result.delays.append(delay)
      }
    }
    result.delays.sort()
    return result
  }

  /// A year in which nothing changes.
  public func quietYear(_ year: Int) -> [Double] {
    var random = SeededRandom(seed: seed + UInt64(year))
    return values(of: noise.nights(365, using: &random))
  }

  /// A year with one step, up or down, and its first night.
  public func yearWithStep(
    _ year: Int, size: Double, before: ClosedRange<Int> = 60...300
  ) -> (values: [Double], first: Int) {
    var random = SeededRandom(seed: seed + 1_000_000 + UInt64(year))
    var nights = noise.nights(365, using: &random)
    let first = random.integer(before)
    let step = random.chance(0.5) ? size : -size
    for index in first..<365 { nights[index] += step }
    return (values(of: nights), first)
  }

  private func values(of nights: [Double]) -> [Double] {
    nights.map { level * (1 + variation * $0) }
  }
}
