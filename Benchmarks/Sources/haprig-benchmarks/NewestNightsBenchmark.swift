// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Foundation
import SeededRandom
import SimulatedNights

/// What is said of the newest nights before a change can be found, and what sisters add to a young
/// series.
struct NewestNightsBenchmark {
  private let detector = ChangeDetector()
  private let years = 16
  private let trials = 200
  private let seed: UInt64 = 21_000

  /// Prints suspicions a year and of steps, of a jump after few nights, and changes with sisters.
  func report() {
    print(
      "the newest nights, judged every evening: suspicions of \(years) quiet years, steps of 3 sigmas suspected in"
        + " \(trials) years")
    print(columns("noise", ["a year", "of 30 nights", "evenings", "1st night", "2nd", "3rd"]))
    for noise in SimulatedNoise.allCases {
      let quiet = suspicions(noise)
      let share = { (count: Int) in Double(count) / Double(years) }
      print(
        columns(
          noise.rawValue,
          [
            DetectionBenchmark.estimate(
              share(quiet.episodes), Double(max(quiet.episodes, 1)).squareRoot() / Double(years)),
            String(format: "%.2f", share(quiet.early)),
            String(format: "%.1f", share(quiet.evenings)),
          ] + suspected(noise).map { String(format: "%.2f", $0) }))
    }
    jumps()
    sisters()
    print("")
  }

  private func suspicion(_ series: NightlySeries, prior: NoisePrior? = nil) -> Suspicion? {
    detector.newest(
      in: series, after: detector.changePoints(in: series, prior: prior), prior: prior
    ).suspicion
  }

  /// Suspicions of quiet years: those more than three nights from all before, those of the first
  /// thirty nights among them, and the evenings on which there is one.
  private func suspicions(_ noise: SimulatedNoise) -> (episodes: Int, early: Int, evenings: Int) {
    let trial = NightlyTrial(noise, seed: seed)
    var (episodes, early, evenings) = (0, 0, 0)
    for year in 0..<years {
      let values = trial.quietYear(year)
      var known: [Int] = []
      for count in 1...values.count {
        guard let one = suspicion(DetectionBenchmark.series(Array(values.prefix(count))))
        else { continue }
        evenings += 1
        guard !known.contains(where: { abs($0 - one.point.index) <= 3 }) else { continue }
        known.append(one.point.index)
        episodes += 1
        early += count <= 30 ? 1 : 0
      }
    }
    return (episodes, early, evenings)
  }

  /// The share of steps suspected by their first, second and third night.
  private func suspected(_ noise: SimulatedNoise) -> [Double] {
    let trial = NightlyTrial(noise, seed: seed)
    var counts = [0, 0, 0]
    for year in 0..<trials {
      let (values, first) = trial.yearWithStep(year, size: 3)
      let told = counts.indices.first { night in
        let some = DetectionBenchmark.series(Array(values.prefix(first + night + 1)))
        return suspicion(some).map { abs($0.point.index - first) <= 2 } ?? false
      }
      for night in counts.indices where told.map({ $0 <= night }) ?? false { counts[night] += 1 }
    }
    return counts.map { Double($0) / Double(trials) }
  }

  /// From 406 to 626 us, nights of 2 %, after few nights.
  private func jumps() {
    print(
      "  a jump of +54 % with nights of 2 %: suspected on its first night, and a quiet first night suspected"
    )
    let known: [(name: String, uncertainty: Double, sisters: Int, nights: Int)] = [
      ("nothing known", 0, 0, 0), ("measured to 1 %", 4, 0, 0), ("measured to 0.3 %", 1.2, 0, 0),
      ("5 sisters as young", 0, 5, 0), ("5 sisters of 60 nights", 0, 5, 60),
    ]
    let befores = [1, 2, 3, 5, 10, 20]
    print(columns("nights before", befores.map { "\($0)" }))
    for (name, uncertainty, sisters, nights) in known {
      print(
        columns(
          name,
          befores.map { before in
            let counts = (0..<trials).reduce(into: (told: 0, wrong: 0)) { counts, trial in
              var random = SeededRandom(seed: seed + 3_000_000 + UInt64(trial))
              let prior = prior(.gaussian, sisters, max(nights, before + 1), &random)
              let quiet = (0..<before).map { _ in 406 * (1 + 0.02 * random.gaussian()) }
              let night = 1 + 0.02 * random.gaussian()
              func isSuspected(_ level: Double) -> Bool {
                suspicion(
                  DetectionBenchmark.series(quiet + [level * night], uncertainty: uncertainty),
                  prior: prior)?.point.index == before
              }
              counts.told += isSuspected(626) ? 1 : 0
              counts.wrong += isSuspected(406) ? 1 : 0
            }
            return String(
              format: "%.2f, %.3f", Double(counts.told) / Double(trials),
              Double(counts.wrong) / Double(trials))
          }))
    }
  }

  /// Sisters whose nights scatter by 2 % of their level, times exp(0.3 z) of each.
  private func prior(
    _ noise: SimulatedNoise, _ count: Int, _ nights: Int, _ random: inout SeededRandom
  ) -> NoisePrior? {
    NoisePrior(
      sisters: (0..<count).map { sister in
        let deviation = 0.02 * exp(0.3 * random.gaussian())
        let level = 300 + 50 * Double(sister)
        return DetectionBenchmark.series(
          noise.nights(nights, using: &random).map { level * (1 + deviation * $0) })
      })
  }

  /// A step of 3 sigmas after twenty nights, and the false alarms of the first ninety.
  private func sisters() {
    print(
      "  a young series with sisters: 3 sigmas after 20 nights told by the 4th, 5th, 7th, 40th; false alarms of the"
        + " first 90 nights (\(trials) series each)")
    for noise in [
      SimulatedNoise.gaussian, .manyOutliers, .weaklyCorrelated, .correlated, .stronglyCorrelated,
      .wandering, .leaping,
    ] {
      for (name, count, nights) in [
        ("alone", 0, 0), ("10 sisters as young", 10, 20), ("3 sisters of a year", 3, 365),
        ("10 sisters of a year", 10, 365),
      ] {
        var (told, alarms) = ([Int](), 0)
        for trial in 0..<trials {
          var random = SeededRandom(seed: seed + 4_000_000 + UInt64(trial))
          var values = noise.nights(90, using: &random)
          let prior = prior(noise, count, nights, &random)
          alarms += confirmed(values, prior, from: 5).count
          for index in 20..<90 { values[index] += trial % 2 == 0 ? 3 : -3 }
          if let delay = confirmed(Array(values.prefix(60)), prior, from: 21).first(where: {
            abs($0.index - 20) <= 5
          }) {
            told.append(delay.evening - 20)
          }
        }
        let shares = [4, 5, 7, 40].map { nights in
          String(format: "%.2f", Double(told.count { $0 <= nights }) / Double(trials))
        }
        print(
          columns(
            noise.rawValue,
            [name.padding(toLength: 22, withPad: " ", startingAt: 0)] + shares + [
              DetectionBenchmark.estimate(
                Double(alarms) / Double(trials),
                Double(max(alarms, 1)).squareRoot() / Double(trials))
            ]))
      }
    }
  }

  /// The changes told evening by evening, each once.
  private func confirmed(
    _ values: [Double], _ prior: NoisePrior?, from first: Int
  ) -> [(index: Int, evening: Int)] {
    var told: [(index: Int, evening: Int)] = []
    for count in first...values.count {
      let some = DetectionBenchmark.series(values.prefix(count).map { 406 * (1 + 0.02 * $0) })
      for point in detector.changePoints(in: some, prior: prior)
      where point.state == .confirmed && !told.contains(where: { abs($0.index - point.index) <= 3 })
      {
        told.append((point.index, count))
      }
    }
    return told
  }

  private func columns(_ name: String, _ numbers: [String]) -> String {
    "  " + name.padding(toLength: 36, withPad: " ", startingAt: 0)
      + numbers.map { $0.padding(toLength: max(13, $0.count + 1), withPad: " ", startingAt: 0) }
      .joined()
  }
}
