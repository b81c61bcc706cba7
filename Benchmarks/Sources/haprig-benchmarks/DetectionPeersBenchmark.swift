// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Foundation
import SimulatedNights

/// The nightly detector beside Otava's e-divisive, PELT and CUSUM, each tuned to the same rate of
/// false alarms on normal noise, on the same years.
struct DetectionPeersBenchmark {
  let corpus: Corpus

  private let noises: [SimulatedNoise] = [.gaussian, .correlated, .wandering, .drift]
  private let wanted = 0.5
  private let years = 16
  private let steps = 60
  /// Sizes in deviations of a night, and the nights within which they are to be told.
  private let sizes: [(size: Double, patience: Int)] = [(3.0, 4), (2.5, 40), (1.5, 30), (1.0, 90)]
  private let seed: UInt64 = 20_000
  private let seedOfTuning: UInt64 = 40_000

  private struct Row {
    var alarms: Int
    var found: [NightlyTrial.Steps]
  }

  /// Prints a line for each rule and noise.
  func report() {
    print(
      "change detection beside peers: each tuned to \(wanted) false alarms a year on normal noise (\(years) other"
        + " years), \(years) years and \(steps) steps each; 'as it is' is not tuned")
    print(
      "  "
        + columns(
          "rule", "setting", "noise",
          [
            "false/year", "3.0 by 4", "2.5 in 40", "median", "1.5 in 30", "median", "1.0 in 90",
            "median",
          ]))
    let usual = DetectorSettings()
    line("haprig as it is", usual.significance, rule(usual))
    let tuned = tunedSettings()
    line("haprig", tuned.significance, rule(tuned))
    peers()
    print("")
  }

  private func line(_ name: String, _ setting: Double, _ rule: NightlyRule) {
    for noise in noises {
      let trial = NightlyTrial(noise, seed: seed)
      let found = sizes.map { size, patience in
        trial.steps(years: steps, size: size, before: 100...250, patience: patience, rule: rule)
      }
      show(
        name, String(format: "%.2g", setting), noise,
        Row(alarms: trial.falseAlarms(years: years, rule: rule), found: found))
    }
  }

  private func show(_ name: String, _ setting: String, _ noise: SimulatedNoise, _ row: Row) {
    let rate = String(format: "%.2f", Double(row.alarms) / Double(years))
    let told = row.found.flatMap { found -> [String] in
      let share = String(format: "%.2f", Double(found.told) / Double(max(found.count, 1)))
      return found.patience < 10 ? [share] : [share, "\(found.delay(quantile: 0.5))"]
    }
    print("  " + columns(name, setting, noise.rawValue, [rate] + told))
  }

  private func rule(_ settings: DetectorSettings) -> NightlyRule {
    DetectionBenchmark.rule(ChangeDetector(settings))
  }

  /// The chance by noise at which the rate is as wanted; a candidate's stays a hundred times that.
  private func tunedSettings() -> DetectorSettings {
    var (low, high) = (-4.0, -2.0)
    func settings(_ exponent: Double) -> DetectorSettings {
      var settings = DetectorSettings()
      settings.significance = pow(10, exponent)
      settings.candidateSignificance = min(100 * settings.significance, 0.2)
      return settings
    }
    let trial = NightlyTrial(.gaussian, seed: seedOfTuning)
    for _ in 0..<6 {
      let middle = 0.5 * (low + high)
      let alarms = trial.falseAlarms(years: years, rule: rule(settings(middle)))
      if Double(alarms) > wanted * Double(years) { high = middle } else { low = middle }
    }
    return settings(low)
  }

  /// As detection_peer.py says at its top.
  private func peers() {
    let tuning = NightlyTrial(.gaussian, seed: seedOfTuning)
    var numbers = [365, wanted, Double(years)]
    for index in 0..<years { numbers += tuning.quietYear(index) }
    numbers.append(Double(noises.count))
    for noise in noises {
      let trial = NightlyTrial(noise, seed: seed)
      numbers.append(Double(years))
      for index in 0..<years { numbers += trial.quietYear(index) }
      numbers.append(Double(sizes.count))
      for (size, patience) in sizes {
        numbers += [Double(patience), Double(steps)]
        for index in 0..<steps {
          let (values, first) = trial.yearWithStep(index, size: size, before: 100...250)
          numbers += [Double(first)] + values
        }
      }
    }
    let text = PythonPeer(corpus: corpus, script: "detection_peer.py")
      .output(for: numbers.withUnsafeBytes { Data($0) })
    guard let text else {
      print("  the peers need python3 with NumPy, SciPy, ruptures and apache-otava")
      return
    }
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: "\t").map(String.init)
      if fields.count == 3, fields[1] == "missing" {
        print("  \(fields[0]): not measured, python3 has no \(fields[2])")
      }
      guard fields.count == 4 + sizes.count, let number = Int(fields[2]),
        let alarms = Int(fields[3]),
        noises.indices.contains(number)
      else { continue }
      let found = zip(sizes, fields.dropFirst(4)).map { size, delays in
        NightlyTrial.Steps(
          count: steps, patience: size.patience,
          delays: delays.split(separator: " ").compactMap { Int($0) }.filter { $0 > 0 })
      }
      show(fields[0], fields[1], noises[number], Row(alarms: alarms, found: found))
    }
  }

  private func columns(
    _ rule: String, _ setting: String, _ noise: String, _ numbers: [String]
  ) -> String {
    [(rule, 22), (setting, 9), (noise, 28)].reduce(into: "") {
      $0 += $1.0.padding(toLength: $1.1, withPad: " ", startingAt: 0)
    } + numbers.map { $0.padding(toLength: 11, withPad: " ", startingAt: 0) }.joined()
  }
}
