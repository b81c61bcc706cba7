// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Glibc
import Perception
import SignalAnalysis
import Testing

@testable import Bench

/// Points by the formulas of docs/MEASUREMENT.md.
struct HarmonyTests {
  private func points(_ part: HarmonyPart, _ values: Double...) throws -> Double {
    try #require(part.points(values.map { Estimate($0, uncertainty: 0) })).value
  }

  @Test func `no error is a hundred, one just noticeable difference fifty, two six`() throws {
    let octave = log2(1.18)
    let differences: [(HarmonyPart, Double)] = [
      (.sync, -24e-3), (.sync, 12e-3), (.intensity, 2.2), (.intensity, -2.2),
      (.sharpness, octave), (.sharpness, -octave), (.decay, 57e-3),
    ]
    for (part, difference) in differences {
      #expect(abs(try points(part, 0) - 100) < 1e-9)
      #expect(abs(try points(part, difference) - 50) < 1e-9, "\(part)")
      #expect(abs(try points(part, 2 * difference) - 6.25) < 1e-9, "\(part)")
    }
    // Of several events the mean of the squares: (0 + 4) / 2 = 2.
    #expect(abs(try points(.intensity, 0, 4.4) - 25) < 1e-9)
  }

  @Test func `shares are shares`() throws {
    #expect(abs(try points(.envelope, 0.9) - 81) < 1e-9)
    #expect(try points(.envelope, -0.5) == 1)
    #expect(abs(try points(.outside, -10) - 100 / 1.1) < 1e-9)
    #expect(abs(try points(.outside, 0) - 50) < 1e-9)
    #expect(try points(.decay, 1) == 1)
  }

  @Test(arguments: HarmonyPart.allCases)
  func `points are as sure as what they are made of`(part: HarmonyPart) throws {
    let value: Double =
      switch part {
      case .sync: -10e-3
      case .intensity: 1.5
      case .sharpness: 0.1
      case .decay: 30e-3
      case .envelope: 0.8
      case .outside: -6
      }
    let step = 1e-4 * abs(value)
    let slope = (try points(part, value + step) - points(part, value - step)) / (2 * step)
    let sigma = 1e-2 * abs(value)
    let found = try #require(part.points([Estimate(value, uncertainty: sigma)]))
    #expect(abs(found.uncertainty - abs(slope) * sigma) < 0.02 * found.uncertainty, "\(part)")
  }

  /// Deviations of 400,000 draws by Tests/BenchTests/References/harmony_differences.py.
  @Test func `published differences leave open what a Monte Carlo says`() throws {
    let example: [(HarmonyPart, [Double], Double)] = [
      (.sync, [9e-3], 12.41), (.intensity, [3, -1.5, 0.4], 11.34),
      (.sharpness, [0.15, -0.05], 8.09), (.decay, [40e-3], 18.87), (.envelope, [0.8], 0),
      (.outside, [-8], 0),
    ]
    var parts: [HarmonyPart.Measured] = []
    for (part, values, drawn) in example {
      let values = values.map { Estimate($0, uncertainty: 0) }
      let points = try #require(part.points(values))
      let found = JustNoticeable.uncertainty { part.points(values, by: $0)?.value ?? 0 }
      #expect(abs(found - drawn) <= 0.1 * drawn, "\(part): \(found)")
      #expect(part.reading.isIndex == (drawn > 0))
      parts.append(HarmonyPart.Measured(part: part, values: values, points: points))
    }
    #expect(abs(exp(parts.logarithm()) - 70.485) < 1e-3)
    let found = JustNoticeable.uncertainty { exp(parts.logarithm(by: $0)) }
    #expect(abs(found - 5.53) < 0.1 * 5.53, "\(found)")
  }

  @Test func `an index of no error rests on no difference`() {
    let values = [Estimate(0, uncertainty: 0.1)]
    for part in HarmonyPart.allCases where part.reading.isIndex {
      #expect(JustNoticeable.uncertainty { part.points(values, by: $0)?.value ?? 0 } == 0)
    }
  }

  @Test func `nothing measured is no part`() {
    for part in HarmonyPart.allCases { #expect(part.points([]) == nil) }
  }
}
