// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reporting

@Suite struct PlotAxisTests {
  @Test func `equal ratios are equally long on a logarithmic axis`() {
    let axis = PlotAxis("frequency, Hz", of: [40, 160, 640], isLogarithmic: true)
    #expect(abs(axis.place(of: 40)) < 1e-12)
    #expect(abs(axis.place(of: 160) - 0.5) < 1e-12)
    #expect(abs(axis.place(of: 640) - 1) < 1e-12)
  }

  @Test func `ticks are inside the axis, at least three and not too many`() {
    for (low, high) in [
      (40.0, 480.0), (140, 165), (80, 230), (1e-6, 1e3), (20, 20_000), (0.2, 0.3),
    ] {
      let axis = PlotAxis("", of: [low, high], isLogarithmic: true, decades: 12)
      #expect(axis.ticks.allSatisfy { axis.range.contains($0) || abs($0 / high - 1) < 1e-6 })
      #expect((3...10).contains(axis.ticks.count), "\(low) to \(high): \(axis.ticks)")
    }
  }

  @Test func `a single value and none at all still make an axis`() {
    for values in [[], [0.0], [5], [.nan, .infinity]] {
      for isLogarithmic in [false, true] {
        let axis = PlotAxis("", of: values, isLogarithmic: isLogarithmic)
        #expect(axis.range.lowerBound < axis.range.upperBound)
        #expect(!axis.ticks.isEmpty)
      }
    }
  }

  @Test func `a logarithmic axis goes down no farther than it is told`() {
    let axis = PlotAxis("", of: [1e-9, 10], isLogarithmic: true, decades: 3)
    #expect(abs(axis.range.lowerBound - 0.01) < 1e-9)
    #expect(!axis.holds(0))
  }
}
