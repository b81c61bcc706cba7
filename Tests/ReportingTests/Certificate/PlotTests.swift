// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reporting

@Suite struct PlotTests {
  @Test func `a curve of very many points keeps its extremes and its size small`() {
    var points = (0..<100_000).map { index -> (x: Double, y: Double)? in
      (Double(index) / 250, 100)
    }
    points[54_321] = (54_321.0 / 250, 7)
    let path = Plot.path(points)
    #expect(path.contains(" 7L"))
    #expect(path.utf8.count < 30_000)
  }

  @Test func `a curve is broken where it has no value`() {
    let path = Plot.path([(0, 1), (10, 2), nil, (30, 3), (40, 4)])
    #expect(path == "M0 1L10 2M30 3L40 4")
  }

  @Test func `a legend goes on in the next row where it is too wide`() {
    let series = (0..<9).map { index in
      PlotSeries(label: "a long label \(index)", x: [0, 1], y: [0, 1], colour: "hue-0")
    }
    let plot = Plot(
      title: "", identifier: "a", x: PlotAxis("", of: [0, 1]), y: PlotAxis("", of: [0, 1]),
      series: series)
    #expect(plot.legendRows.flatMap(\.self).count == 9)
    for row in plot.legendRows {
      #expect(row.reduce(0) { $0 + Plot.legendWidth($1) } <= Plot.width)
    }
  }

  @Test func `each class that a picture uses has a style`() throws {
    let profile = try SampleCalibration.lra()
    let page = SampleCalibration.certificate(profile, figures: SampleFigures.lra(of: profile)).html
    let elements = try Element.all(in: page)
    let classes = Set(
      elements.flatMap { ($0.attributes["class"] ?? "").split(separator: " ").map(String.init) })
    let sheet = StyleSheet.page + StyleSheet.certificate + StyleSheet.plot + StyleSheet.print
    for name in classes.subtracting(["solid", "text", "figure"]) {
      #expect(sheet.contains(".\(name)"), "\(name) has no style")
    }
  }
}
