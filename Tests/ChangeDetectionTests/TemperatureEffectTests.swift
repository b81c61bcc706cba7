// SPDX-License-Identifier: Apache-2.0

import Foundation
import SeededRandom
import Testing
import Units

@testable import ChangeDetection

/// Slopes on the temperature, by statsmodels' and by nights whose truth is known.
struct TemperatureEffectTests {
  struct Reference: Decodable, Sendable {
    let days: [Int]
    let celsius: [Double]
    let values: [Double]
    let steps: [Int]
    let slope: Double
    let error: Double
  }

  static let references = {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "References/temperature.json")
    return (try? JSONDecoder().decode([Reference].self, from: Data(contentsOf: file))) ?? []
  }()

  @Test func `there are four of them`() { #expect(Self.references.count == 4) }

  @Test(arguments: TemperatureEffectTests.references.indices)
  func `slope and uncertainty are those of statsmodels`(index: Int) throws {
    let reference = Self.references[index]
    let middle = Double(reference.days.reduce(0, +)) / Double(reference.days.count)
    let mean = reference.celsius.reduce(0, +) / Double(reference.celsius.count)
    let segments = reference.days.indices.map { night in reference.steps.count { $0 <= night } }
    let columns =
      (0...reference.steps.count).map { segment in segments.map { $0 == segment ? 1.0 : 0 } }
      + [reference.days.map { (Double($0) - middle) / 100 }, reference.celsius.map { $0 - mean }]
    let fit = try #require(HuberFit(reference.values, on: columns))
    #expect(
      abs(try #require(fit.coefficients.last) - reference.slope) < 1e-6 * abs(reference.slope))
    #expect(abs(try #require(fit.deviations.last) - reference.error) < 1e-6 * reference.error)
    // Whole, with what neighbours have in common: the slope is the same, and never surer.
    let effect = TemperatureEffect(
      of: series(reference.values, days: reference.days),
      temperatures: Dictionary(uniqueKeysWithValues: zip(reference.days, reference.celsius)),
      steps: reference.steps)
    let found = try #require(effect)
    #expect(abs(found.perKelvin - reference.slope) < 1e-6 * abs(reference.slope))
    #expect(found.uncertainty >= reference.error * (1 - 1e-6))
    #expect(found.count == reference.days.count)
  }

  /// Nights of a resonance at 175 Hz that goes with the temperature, with a step, a drift and bad nights.
  private func nights(
    _ random: inout SeededRandom, count: Int, slope: Double, correlation: Double = 0,
    step: Double = 0
  ) -> (values: [Double], celsius: [Int: Double]) {
    var (values, celsius) = ([Double](), [Int: Double]())
    var (noise, weather) = (0.0, 0.0)
    for day in 0..<count {
      weather = 0.8 * weather + random.gaussian()
      let temperature = 22 + 3 * sin(2 * Double.pi * Double(day) / 365) + weather
      noise =
        correlation * noise + (1 - correlation * correlation).squareRoot() * 0.3 * random.gaussian()
      let bad = random.integer(0...19) == 0 ? 8.0 : 0
      values.append(
        175 + slope * (temperature - 22) + 0.003 * Double(day) + (day >= count / 2 ? step : 0)
          + noise
          + bad)
      celsius[day] = temperature
    }
    return (values, celsius)
  }

  @Test(arguments: [0.0, 0.5])
  func `a known slope of -0.1 % a kelvin is found, within its uncertainty`(
    correlation: Double
  ) throws {
    var random = SeededRandom(seed: 417)
    var (inside, sure) = (0, 0)
    for _ in 0..<100 {
      let (values, celsius) = nights(
        &random, count: 120, slope: -0.175, correlation: correlation, step: 4)
      let effect = try #require(
        TemperatureEffect(of: series(values), temperatures: celsius, steps: [60]))
      #expect(effect.significance < 0.05, "\(random)")
      if effect.isSure { sure += 1 }
      #expect(abs(100 * effect.perKelvin / effect.level + 0.1) < 0.06, "\(random)")
      if abs(effect.perKelvin + 0.175) <= 2 * effect.uncertainty { inside += 1 }
    }
    #expect(sure >= 90, "\(sure) of 100 are sure, \(random)")
    #expect((88...100).contains(inside), "\(inside) of 100 within two sigmas, \(random)")
  }

  @Test(arguments: [0.0, 0.5, 0.9]) func `where temperature does nothing, nothing is told`(
    correlation: Double
  ) {
    var random = SeededRandom(seed: 98)
    let sure = (0..<200).count { _ in
      let (values, celsius) = nights(&random, count: 120, slope: 0, correlation: correlation)
      return TemperatureEffect(of: series(values), temperatures: celsius)?.isSure == true
    }
    #expect(sure <= 1, "\(sure) of 200, \(random)")
  }

  @Test func `a season that a drift explains as well is not told`() throws {
    let days = Array(0..<60)
    let celsius = Dictionary(uniqueKeysWithValues: days.map { ($0, 15 + 0.1 * Double($0)) })
    let values = days.map { 175 - 0.0175 * Double($0) }
    #expect(TemperatureEffect(of: series(values), temperatures: celsius) == nil)
  }

  @Test func `few nights, and nights of one temperature, say nothing`() {
    var random = SeededRandom(seed: 5)
    let (values, celsius) = nights(&random, count: 19, slope: -0.175)
    #expect(TemperatureEffect(of: series(values), temperatures: celsius) == nil)
    let (more, _) = nights(&random, count: 60, slope: -0.175)
    let alike = Dictionary(uniqueKeysWithValues: (0..<60).map { ($0, 22 + 0.9 * random.uniform()) })
    #expect(TemperatureEffect(of: series(more), temperatures: alike) == nil)
    #expect(TemperatureEffect(of: series(more), temperatures: [:]) == nil)
    let flat = [Double](repeating: 3, count: 60)
    let (_, warm) = nights(&random, count: 60, slope: 0)
    #expect(TemperatureEffect(of: series(flat), temperatures: warm) == nil)
  }

  @Test func `the temperature itself has no changes`() {
    let values = (0..<60).map { $0 < 30 ? 20.0 : 26 }
    let key = SeriesKey(rig: "r", reading: "temperature")
    let nightly = NightlySeries(
      key: key, unit: .celsius,
      nights: values.enumerated().map { Night(day: $0.offset, value: $0.element) })
    #expect(SeriesHistory(nightly).points.isEmpty)
  }

  @Test func `numbers with one unit are compared as numbers`() throws {
    let nights = { (values: [Double]) in values.map { ["temperature": "\($0) degC"] } }
    let differences = EnvironmentDifference.between(
      good: nights([20.1, 20.4, 20.9, 21]), bad: nights([25, 25.3, 26, 26.1]))
    #expect(
      differences.map(\.good) == [["20.65 degC"]] && differences.map(\.bad) == [["25.65 degC"]])
    #expect(differences.first?.separation == 1)
    // Another unit makes words of them, each another: nothing is told.
    #expect(
      EnvironmentDifference.between(
        good: nights([20.1, 20.4]), bad: [["temperature": "298 K"], ["temperature": "299 K"]]
      ).isEmpty)
  }
}
