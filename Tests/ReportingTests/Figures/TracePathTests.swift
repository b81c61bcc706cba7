// SPDX-License-Identifier: Apache-2.0

import Acceptance
import SeededRandom
import Testing

@testable import Reporting

@Suite struct TracePathTests {
  private func path(_ lowest: [Float], _ highest: [Float]) -> String {
    let trace = TakeFigure.Trace(name: "drive", lowest: lowest, highest: highest)
    return TracePath(trace, x: { Double($0) * 1.5 }, y: { 10 - $0 }).data
  }

  @Test func `a curve is a line of relative steps in tenths`() {
    #expect(path([0, 1, 0.75], [0, 1, 0.75]) == "M0 10l1.5-1 1.5 .3")
  }

  @Test func `a band goes out along its highs and back along its lows`() {
    #expect(path([-1, -2], [1, 2]) == "M0 9l1.5-1 0 4-1.5-1z")
  }

  @Test func `points between others on one level are left out`() {
    #expect(path([1, 1, 1, 1, 2], [1, 1, 1, 1, 2]) == "M0 9l4.5 0 1.5-1")
  }

  @Test func `columns that are not finite are gaps`() {
    let values: [Float] = [1, 2, .nan, 3, 4, .infinity]
    #expect(path(values, values) == "M0 9l1.5-1M4.5 7l1.5-1")
  }

  @Test func `a single column is a dot`() {
    #expect(path([1], [1]) == "M0 9l0 0")
  }

  @Test func `no columns are no path`() {
    #expect(path([], []).isEmpty)
    #expect(path([.nan], [.nan]).isEmpty)
  }

  @Test func `steps add up to the place itself, whatever came before`() throws {
    var random = SeededRandom(seed: 9)
    let values = (0..<900).map { _ in Float.random(in: -1...1, using: &random) }
    let trace = TakeFigure.Trace(name: "x", lowest: values, highest: values)
    let data = TracePath(trace, x: { Double($0) * 1.0244 }, y: { 50 - 40 * $0 }).data
    var numbers: [Double] = []
    var word = ""
    for character in data.dropFirst() + " " {
      if "-l ".contains(character) {
        if !word.isEmpty { numbers.append(try #require(Double(word))) }
        word = character == "-" ? "-" : ""
      } else {
        word.append(character)
      }
    }
    var place = (x: 0.0, y: 0.0)
    for index in stride(from: 0, to: numbers.count, by: 2) {
      place.x += numbers[index]
      place.y += numbers[index + 1]
    }
    #expect(abs(place.x - 899 * 1.0244) < 0.051)
    #expect(abs(place.y - (50 - 40 * Double(values[899]))) < 0.051)
  }
}
