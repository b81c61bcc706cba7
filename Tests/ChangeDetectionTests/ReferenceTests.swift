// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ChangeDetection

/// Seven series and their changes by References/detector.py, an independent implementation in
/// NumPy; `python3 detector.py` made References/detector.json.
struct ReferenceTests {
  struct Reference: Decodable, Sendable, CustomTestStringConvertible {
    struct Change: Decodable, Sendable {
      let index: Int
      let day: Int
      let state: String
      let size: Double
      let uncertainty: Double
      let chance: Double
    }

    let name: String
    let firstDay: Int
    let uncertainty: Double
    let values: [Double?]
    let expected: [Change]
    var testDescription: String { name }

    var series: NightlySeries {
      let there = values.indices.filter { values[$0] != nil }
      return ChangeDetectionTests.series(
        there.compactMap { values[$0] }, days: there.map { firstDay + $0 },
        uncertainty: uncertainty)
    }
  }

  static let all = {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "References/detector.json")
    return (try? JSONDecoder().decode([Reference].self, from: Data(contentsOf: file))) ?? []
  }()

  @Test func `there are seven of them`() {
    #expect(Self.all.count == 7)
  }

  @Test(arguments: all)
  func `changes, their doubt and their chances are those of an independent implementation`(
    _ reference: Reference
  ) {
    let points = ChangeDetector().changePoints(in: reference.series)
    #expect(points.map(\.index) == reference.expected.map(\.index))
    #expect(points.map(\.day) == reference.expected.map(\.day))
    #expect(points.map(\.state.rawValue) == reference.expected.map(\.state))
    for (point, expected) in zip(points, reference.expected) {
      #expect(
        abs(point.significance - expected.chance) < 1e-6 * expected.chance,
        "\(point.significance) instead of \(expected.chance)")
      #expect(abs(point.uncertainty - expected.uncertainty) < 1e-8 * expected.uncertainty)
      #expect((point.effect > 0) == (expected.size > 0))
    }
  }
}
