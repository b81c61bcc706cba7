// SPDX-License-Identifier: Apache-2.0

import Foundation
import SeededRandom
import Testing

@testable import GaugeStudy

struct GaugeAnalysisTests {
  private static func analysis(
    _ observations: [Observation], draws: Int = 2000
  ) throws -> GaugeAnalysis {
    try #require(GaugeAnalysis(observations, draws: draws))
  }

  @Test(arguments: 1...5) func `the order of the runs changes nothing`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    // With gaps, where it could.
    let observations = SimulatedStudy().observations(seed: seed).filter { _ in random.chance(0.9) }
    let first = try Self.analysis(observations)
    let other = try Self.analysis(observations.shuffled(using: &random))
    for (one, two) in zip(first.components, other.components) {
      #expect(one.source == two.source)
      #expect(abs(one.variance - two.variance) < 1e-9, "\(random)")
    }
    #expect(abs(first.gauge.high - other.gauge.high) < 1e-9 * first.gauge.high, "\(random)")
  }

  @Test(arguments: [1e-6, 1e3]) func `another unit scales deviations and no share`(
    factor: Double
  ) throws {
    let observations = SimulatedStudy().observations(seed: 7)
    let first = try Self.analysis(observations)
    let other = try Self.analysis(
      observations.map {
        Observation(
          actuator: $0.actuator, rig: $0.rig, day: $0.day, mount: $0.mount, value: $0.value * factor
        )
      })
    func isSame(_ one: Double, _ two: Double) -> Bool { abs(one - two) <= 1e-7 * abs(one) }
    for (one, two) in zip(first.components, other.components) {
      #expect(isSame(one.deviation.value * factor, two.deviation.value))
      #expect(isSame(one.deviation.high * factor, two.deviation.high))
    }
    #expect(isSame(first.gauge.low * factor, other.gauge.low))
    let classes = try (#require(first.classes), #require(other.classes))
    #expect(isSame(classes.0.low, classes.1.low))
    let shares = try (#require(first.studyVariation), #require(other.studyVariation))
    #expect(isSame(shares.0.high, shares.1.high))
    for (one, two) in zip(first.rows, other.rows) {
      #expect(isSame(one.probability ?? 0, two.probability ?? 0))
    }
  }

  @Test func `factors of one level drop out and are told`() throws {
    let one = SimulatedStudy(sizes: (4, 1, 1, 3, 2))
    let analysis = try Self.analysis(one.observations(seed: 2))
    #expect(analysis.components.map(\.source) == [.actuator, .mount, .repeat])
    #expect(analysis.absent == [.rig, .day])
    #expect(analysis.components.allSatisfy { $0.includes.isEmpty })
  }

  @Test func `one mount a day is called remount, and says what it includes`() throws {
    let study = SimulatedStudy(sizes: (4, 1, 3, 1, 2))
    let analysis = try Self.analysis(study.observations(seed: 2))
    #expect(analysis.components.map(\.source) == [.actuator, .day, .mount, .repeat])
    #expect(analysis.components[2].includes == [.actuatorByDay])
  }

  @Test func `without repeats their scatter and that of the remounts are one`() throws {
    let study = SimulatedStudy(sizes: (4, 1, 1, 5, 1))
    let analysis = try Self.analysis(study.observations(seed: 2))
    #expect(analysis.components.map(\.source) == [.actuator, .repeat])
    #expect(analysis.components[1].includes == [.mount])
  }

  @Test func `one actuator alone has no classes and no share`() throws {
    let study = SimulatedStudy(sizes: (1, 2, 2, 3, 2))
    let analysis = try Self.analysis(study.observations(seed: 2))
    #expect(analysis.components.map(\.source) == [.rig, .day, .mount, .repeat])
    #expect(analysis.classes == nil)
    #expect(analysis.studyVariation == nil)
    #expect(analysis.absent == [.actuator])
  }

  @Test func `what was measured once tells nothing`() {
    let study = SimulatedStudy(sizes: (4, 1, 1, 1, 1))
    #expect(GaugeAnalysis(study.observations(seed: 2)) == nil)
    #expect(GaugeAnalysis([]) == nil)
    var broken = SimulatedStudy().observations(seed: 1)
    broken[3].value = .nan
    #expect(GaugeAnalysis(broken) == nil)
  }

  @Test func `values that never change scatter by nothing`() throws {
    let still = SimulatedStudy(deviations: [0, 0, 0, 0, 0, 0, 0]).observations(seed: 1)
    let analysis = try Self.analysis(still)
    #expect(analysis.gauge.value < 1e-10)
    #expect(analysis.classes == nil || analysis.gauge.value > 0)
  }

  @Test func `scatter that grows with the level is told, and even scatter is not`() throws {
    let study = SimulatedStudy(
      sizes: (5, 1, 1, 3, 4), deviations: [0, 0, 0, 0, 0, 0, 0.1])
    let even = study.observations(seed: 5)
    let spread = even.map { value in
      var value = value
      let level = pow(2, Double(value.actuator) ?? 0)
      value.value = level * (1 + (value.value - 100))
      return value
    }
    #expect(try Self.analysis(spread).scaleNote != nil)
    #expect(try Self.analysis(even).scaleNote == nil)
  }

  /// How often the interval of the gauge's and of a remount's deviation, and of the classes, hold
  /// the truth.
  ///
  /// `GAUGE_STUDIES=2000` prints the table of docs/GAUGE.md; every study has a seed of its own,
  /// from 1.
  @Test(arguments: [
    ("5 actuators, 3 mounts, 3 repeats", (5, 1, 1, 3, 3), 5.0, 0.0),
    ("the same, actuators all but alike", (5, 1, 1, 3, 3), 0.5, 0),
    ("10 actuators, 2 mounts, 2 repeats", (10, 1, 1, 2, 2), 5, 0),
    ("4 actuators, 5 days, 2 mounts, 2 repeats", (4, 1, 5, 2, 2), 5, 0),
    ("5 actuators, 2 rigs, 3 mounts, 2 repeats", (5, 2, 1, 3, 2), 5, 0),
    ("5 actuators, 3 rigs, 2 days, 2 mounts, 2 repeats", (5, 3, 2, 2, 2), 5, 0),
    ("the same, a tenth of the mounts missing", (5, 3, 2, 2, 2), 5, 0.1),
    ("5 actuators, 3 mounts, 3 repeats, a quarter of the mounts missing", (5, 1, 1, 3, 3), 5, 0.25),
  ])
  func `intervals hold the truth`(
    name: String, sizes: (Int, Int, Int, Int, Int), actuators: Double, gaps: Double
  ) throws {
    let wanted = ProcessInfo.processInfo.environment["GAUGE_STUDIES"].flatMap { Int($0) }
    let count = wanted ?? 250
    let study = SimulatedStudy(sizes: sizes, deviations: [actuators, 2, 1, 1.5, 0.7, 2, 1])
    var held = [0, 0, 0, 0]
    for seed in 1...UInt64(count) {
      var random = SeededRandom(seed: seed &* 0x9E37)
      let observations = study.observations(seed: seed)
      let mounts = Set(observations.map { $0.label(of: .mount) })
      let missing = Set(
        mounts.sorted { $0.lexicographicallyPrecedes($1) }.filter { _ in random.chance(gaps) })
      let analysis = try Self.analysis(
        observations.filter { !missing.contains($0.label(of: .mount)) },
        draws: wanted == nil ? 1000 : 4000)
      func holds(_ bounded: Bounded?, _ truth: Double) -> Int {
        bounded.map { ($0.low...$0.high).contains(truth) ? 1 : 0 } ?? 0
      }
      func deviation(_ source: Source) -> Bounded? {
        analysis.components.first { $0.source == source }?.deviation
      }
      held[0] += holds(analysis.gauge, study.gauge)
      held[1] += holds(deviation(.mount), study.deviations[5])
      held[2] += holds(deviation(.actuator), study.deviations[0])
      held[3] += holds(analysis.classes, 1.41 * study.deviations[0] / study.gauge)
    }
    let shares = held.map { Double($0) / Double(count) }
    if wanted != nil { print("COVERAGE \(name): gauge, remount, actuator, classes \(shares)") }
    // Three standard deviations of so few studies below 0.94.
    let least = 0.94 - 3 * (0.95 * 0.05 / Double(count)).squareRoot()
    #expect(shares.allSatisfy { $0 >= least }, "\(name): \(shares)")
  }
}
