// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Foundation
import SeededRandom
import SimulatedNights
import Units

/// The nightly detector on simulated years, asked every evening, beside two plain rules.
struct DetectionBenchmark {
  private let detector = ChangeDetector()
  private let falseYears = 60
  private let steps = 400
  private let otherSteps = 200

  /// Prints false alarms, steps found and their delay for each noise, then the time a series takes.
  func report() {
    print(
      "nightly change detection: years of 365 nights, scatter 2 %, asked every evening (\(falseYears) years"
        + " without a change, \(steps) with one step of 2.5 sigmas, \(otherSteps) with others)")
    print(
      "  goals: at most 0.5 false alarms a year; 0.95 of the steps found; at most 5 nights, median")
    print(
      "  after +-: one standard deviation by the number of years; 'others' were not chosen on"
    )
    print(
      "  "
        + columns(
          "noise", "rule",
          [
            "false/year", "<=3 nights", "told", "median", "p90", "3.0 by 4", "1.5 in 30", "median",
            "1.0 in 90", "median",
          ]))
    for noise in SimulatedNoise.allCases {
      if noise == SimulatedNoise.heldOut.first { print("  others") }
      line(noise, "haprig", years: falseYears, rule: Self.rule(detector))
      guard [.gaussian, .smallOutliers, .correlated].contains(noise) else { continue }
      line(noise, "3 sigma of 14", years: falseYears, rule: PlainRules.threeSigma)
      line(noise, "t-test 12/12", years: falseYears, rule: PlainRules.tTest)
    }
    young()
    speed()
    print("")
  }

  /// Steps of 3 sigmas after few nights, on normal noise.
  private func young() {
    for before in [20, 30, 45, 60, 90] {
      let found = NightlyTrial(.gaussian, seed: 20_000)
        .steps(years: otherSteps, size: 3, before: before...before, rule: Self.rule(detector))
      let shares = [4, 5, 7, 40].map { nights in
        String(
          format: "%.2f by %d", Double(found.delays.count { $0 <= nights }) / Double(found.count),
          nights)
      }
      row(
        "3 sigmas after \(before) nights", "median \(found.delay(quantile: 0.5))",
        shares.joined(separator: ", "))
    }
  }

  private func line(_ noise: SimulatedNoise, _ name: String, years: Int, rule: NightlyRule) {
    let trial = NightlyTrial(noise, seed: 20_000)
    let alarms = trial.falseAlarms(years: years, rule: rule)
    let found = trial.steps(years: steps, size: 2.5, rule: rule)
    let share = { (count: Int, steps: Int) in
      let share = Double(count) / Double(steps)
      return Self.estimate(share, (share * (1 - share) / Double(steps)).squareRoot())
    }
    // Enough nights before, and enough after for the longest patience.
    let large = trial.steps(
      years: otherSteps, size: 3, before: 100...250, patience: 4, rule: rule)
    let others = [(1.5, 30), (1.0, 90)].map { size, patience in
      trial.steps(years: otherSteps, size: size, before: 100...250, patience: patience, rule: rule)
    }
    let numbers = [
      Self.estimate(
        Double(alarms) / Double(years), Double(max(alarms, 1)).squareRoot() / Double(years)),
      share(found.located, steps), share(found.told, steps),
      "\(found.delay(quantile: 0.5))", "\(found.delay(quantile: 0.9))",
      share(large.told, otherSteps),
    ]
    let smaller = others.flatMap { [share($0.told, otherSteps), "\($0.delay(quantile: 0.5))"] }
    print("  " + columns(noise.rawValue, name, numbers + smaller))
  }

  static func estimate(_ value: Double, _ deviation: Double) -> String {
    String(format: "%.2f +-%.2f", value, deviation)
  }

  private func speed() {
    let many = 1_000
    var random = SeededRandom(seed: 7)
    let all = (0..<many).map { index in
      Self.series(
        SimulatedNoise.correlated.nights(365, using: &random).enumerated().map {
          10 + 0.2 * $1 + (index % 4 == 0 && $0 > 200 ? 0.5 : 0)
        })
    }
    let seconds = best(of: 3) { for one in all { _ = detector.changePoints(in: one) } }
    row(
      "a series of 365 nights", String(format: "%.0f us", 1e6 * seconds / Double(many)),
      "aim: 2000 us")
  }

  /// What a detector confirms in a series of consecutive nights.
  static func rule(_ detector: ChangeDetector) -> NightlyRule {
    { values in
      detector.changePoints(in: series(values)).filter { $0.state == .confirmed }.map(\.index)
    }
  }

  /// Makes a series of consecutive nights.
  static func series(_ values: [Double], uncertainty: Double = 0) -> NightlySeries {
    NightlySeries(
      key: SeriesKey(rig: "bench", reading: "latency.onset"), unit: .millisecond,
      nights: values.enumerated().map {
        Night(day: $0, value: $1, uncertainty: uncertainty)
      })
  }

  private func columns(_ noise: String, _ rule: String, _ numbers: [String]) -> String {
    noise.padding(toLength: 36, withPad: " ", startingAt: 0)
      + rule.padding(toLength: 15, withPad: " ", startingAt: 0)
      + numbers.map { $0.padding(toLength: 13, withPad: " ", startingAt: 0) }.joined()
  }
}

/// What is usually done instead.
enum PlainRules {
  /// Tonight is more than three standard deviations from the mean of the fourteen nights before.
  static func threeSigma(_ values: [Double]) -> [Int] {
    (14..<max(values.count, 14)).filter { night in
      let (mean, deviation) = moments(values[night - 14..<night])
      return abs(values[night] - mean) > 3 * deviation
    }
  }

  /// As Perfherder does: Welch's t of the twelve nights before and the twelve after is above 7 and
  /// the highest of its neighbours, and the means are 2 % apart.
  static func tTest(_ values: [Double]) -> [Int] {
    guard values.count >= 24 else { return [] }
    let statistics = (12...values.count - 12).map { split -> Double in
      let (before, left) = moments(values[split - 12..<split])
      let (after, right) = moments(values[split..<split + 12])
      guard abs(after - before) > 0.02 * abs(before) else { return 0 }
      return abs(after - before) / ((left * left + right * right) / 12).squareRoot()
    }
    return statistics.indices.filter { at in
      let near = statistics[max(at - 11, 0)...min(at + 11, statistics.count - 1)]
      return statistics[at] > 7 && statistics[at] == near.max()
    }.map { $0 + 12 }
  }

  private static func moments(_ values: ArraySlice<Double>) -> (mean: Double, deviation: Double) {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (mean, (squares / (count - 1)).squareRoot())
  }
}
