// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Testing

struct EnvironmentDifferenceTests {
  @Test func `what separates best comes first, what does not differ is absent`() {
    let good = (0..<6).map { night in
      ["kernel": "6.1", "temperature": "\(20 + night)", "host": "a", "load": "\(night % 2)"]
    }
    let bad = (0..<3).map { night in
      ["kernel": "6.9", "temperature": "\(24 + night)", "host": "a", "load": "\(night % 2)"]
    }
    let found = EnvironmentDifference.between(good: good, bad: bad)
    #expect(found.map(\.key) == ["kernel", "temperature"])
    #expect(found.first?.separation == 1)
    #expect(found.first?.good == ["6.1"])
    #expect(found.first?.bad == ["6.9"])
    #expect(found.last?.good == ["22.5"])
    #expect(found.last?.bad == ["25"])
  }

  @Test func `a number is told as people write it, and not where its middle stays`() {
    func nights(_ values: [Double]) -> [[String: String]] { values.map { ["room": "\($0)"] } }
    let good = nights([22.1, 22.9, 23.0, 23.4])
    // Both middles are 22.95 but for their last bits.
    #expect(
      EnvironmentDifference.between(good: good, bad: nights([22.8, 22.8, 23.1, 23.1])).isEmpty)
    let warmer = EnvironmentDifference.between(good: good, bad: nights([24.1, 24.25, 24.4]))
    #expect(warmer.map(\.good) == [["22.95"]])
    #expect(warmer.map(\.bad) == [["24.25"]])
  }

  @Test func `a property that appears or vanishes differs`() {
    let found = EnvironmentDifference.between(
      good: [["a": "1"], ["a": "1"]], bad: [["b": "x"], ["b": "x"]])
    #expect(found.map(\.key) == ["a", "b"])
    #expect(found.first?.bad == ["(none)"])
  }

  @Test func `words that are new every night tell nothing`() {
    let good = (0..<4).map { ["run": "run-\($0)"] }
    let bad = (4..<6).map { ["run": "run-\($0)"] }
    #expect(EnvironmentDifference.between(good: good, bad: bad).isEmpty)
  }

  @Test func `nothing to compare gives nothing`() {
    #expect(EnvironmentDifference.between(good: [], bad: [["a": "1"]]).isEmpty)
  }

  @Test func `one good and one bad night are told apart`() {
    let found = EnvironmentDifference.between(good: [["k": "1"]], bad: [["k": "2"]])
    #expect(found.map(\.key) == ["k"])
  }
}
