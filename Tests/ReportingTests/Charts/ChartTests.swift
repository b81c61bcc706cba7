// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import SeededRandom
import Testing
import Units

@testable import Reporting

@Suite struct ChartTests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `base 64 is that of RFC 4648`(text: String, expected: String) {
    #expect(Base64.text(of: Array(text.utf8)) == expected)
  }

  @Test func `every byte has its sign`() {
    #expect(Base64.text(of: [0xFB, 0xFF, 0xBF]) == "+/+/")
  }

  @Test func `fewer columns keep every peak`() {
    var random = SeededRandom(seed: 11)
    let lowest = (0..<2_411).map { _ in Float.random(in: -2...0, using: &random) }
    let highest = lowest.map { $0 + Float.random(in: 0.1...2, using: &random) }
    let trace = TakeFigure.Trace(name: "response", lowest: lowest, highest: highest)
    let few = ColumnReduction.reduce(trace, to: 450)
    #expect(few.lowest.count == 450)
    #expect(few.lowest.min() == lowest.min())
    #expect(few.highest.max() == highest.max())
    #expect(zip(few.lowest, few.highest).allSatisfy { $0 <= $1 })
    #expect(ColumnReduction.reduce(trace, to: 5_000) == trace)
  }

  @Test func `a curve stays a curve, and a gap a gap`() {
    let curve = (0..<100).map { Float($0) }
    let few = ColumnReduction.reduce(
      TakeFigure.Trace(name: "intensity", lowest: curve, highest: curve), to: 10)
    #expect(few.lowest == few.highest)
    #expect(few.lowest == [4, 14, 24, 34, 44, 54, 64, 74, 84, 94])
    let gap = ColumnReduction.reduce(
      TakeFigure.Trace(
        name: "response", lowest: [.nan, .nan, -1, 0], highest: [.nan, .nan, 1, 2]),
      to: 2)
    #expect(gap.lowest[0].isNaN)
    #expect(gap.highest[1] == 2)
  }

  @Test func `samples come back within a 32767th of the largest`() throws {
    let values: [Float] = [0, 0.5, -3, 2.999, .nan]
    let figure = TakeFigure(
      pattern: "A", take: 1, span: 0...1,
      panels: [
        TakeFigure.Panel(
          title: "Drive", unit: .volt,
          traces: [.init(name: "drive", lowest: values, highest: values)])
      ], events: [.init(index: 0, kind: "HapticTransient", span: 0.1...0.2, onset: nil)])
    let text = TakeChart(figure: figure, columns: 100).text
    let root = try JSONDocument(Array(text.utf8)).root.value
    let trace = root["panels"]?.elements?.first?["traces"]?.elements?.first
    #expect(trace?["low"] == nil, "a curve has one list")
    let largest = try #require(trace?["largest"]?.number)
    let samples = try Self.samples(#require(trace?["high"]?.string))
    for (value, sample) in zip(values, samples) where value.isFinite {
      #expect(abs(Double(sample) * largest / 32_767 - Double(value)) <= largest / 32_767)
    }
    #expect(samples.last == .min)
    #expect(root["events"]?.elements?.first == [0, 0.1, 0.2, .null])
  }

  @Test func `a chart has the grade of each event, and words where it is not good`() throws {
    let figure = TakeFigure(
      pattern: "A", take: 1, span: 0...1,
      panels: [
        TakeFigure.Panel(
          title: "Envelope", unit: .metrePerSecondSquared,
          traces: [.init(name: "target, lowered by 9.1 dB", lowest: [1], highest: [1])])
      ],
      events: (0..<2).map {
        .init(index: $0, kind: "HapticTransient", span: Double($0)...Double($0), onset: nil)
      })
    func score(_ event: Int, _ error: Double, _ grade: EventScore.Grade) -> EventScore {
      EventScore(
        pattern: "A", take: 1, event: event, commanded: nil, isRelative: false,
        deviations: [
          .init(kind: .level, value: .init(value: error, uncertainty: 0.1), size: abs(error) / 2.2)
        ], grade: grade, reason: nil)
    }
    let chart = TakeChart(
      figure: figure, columns: 10, scores: [0: score(0, 1, .good), 1: score(1, -9, .bad)])
    let root = try JSONDocument(Array(chart.text.utf8)).root.value
    #expect(root["events"]?.elements?[0] == [0, 0.0, 0.0, .null, "good"])
    #expect(root["events"]?.elements?[1] == [1, 1.0, 1.0, .null, "bad", "9 dB too weak"])
    let panel = root["panels"]?.elements?.first
    #expect(panel?["height"] == 150.0)
    #expect(panel?["traces"]?.elements?.first?["style"] == "trace-target")
  }

  @Test func `a panel of what is left over is no finer than it says`() {
    var panel = TakeFigure.Panel(
      title: "Left over", unit: .metrePerSecondSquared,
      traces: [.init(name: "rest", lowest: [-0.01], highest: [0.01])], leastReach: 2)
    #expect(FigureDrawing.scale(of: panel).range.contains(2))
    #expect(FigureDrawing.scale(of: panel).range.contains(-2))
    panel.leastReach = 0
    #expect(!FigureDrawing.scale(of: panel).range.contains(1))
  }

  @Test func `takes lie over each other in the first picture alone`() throws {
    var sample = SampleRecord(names: ["Boing"])
    sample.takes = 12
    let figures = sample.figures(columns: 20)
    func names(_ figure: TakeFigure) -> [String] {
      figure.panels.first { $0.title == "Envelope" }?.traces.map(\.name) ?? []
    }
    let all = figures[0].overlaid(with: figures)
    #expect(
      names(all) == ["tolerance ±2.2 dB", "target"] + (2...9).map { "take \($0)" } + ["measured"])
    #expect(all.panels.dropFirst() == figures[0].panels.dropFirst())
    var short = figures[1]
    short.span = 0...0.5
    #expect(names(figures[0].overlaid(with: [short])) == names(figures[0]))
    let page = HTMLReport.text(record: sample.make(), figures: figures)
    let elements = try Element.all(in: page)
    #expect(elements.count { $0.attributes["class"] == "curve trace-take" } == 8)
  }

  /// Reads what the page's script reads: bytes of four signs for three, the lower of a pair first.
  private static func samples(_ text: String) throws -> [Int16] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bits: [Bool] = []
    for sign in text.utf8 where sign != UInt8(ascii: "=") {
      let value = try #require(alphabet.firstIndex(of: sign))
      bits += (0..<6).map { value >> (5 - $0) & 1 == 1 }
    }
    let bytes = (0..<(bits.count / 8)).map { place in
      bits[(8 * place)..<(8 * place + 8)].reduce(UInt16(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    return (0..<(bytes.count / 2)).map {
      Int16(bitPattern: bytes[2 * $0] | bytes[2 * $0 + 1] << 8)
    }
  }

  @Test func `a text that is no library, or would end its element, is refused`() {
    #expect(ChartLibrary("alert(1)") == nil)
    #expect(ChartLibrary("Dygraph </ScRipt>") == nil)
    #expect(ChartLibrary("Dygraph <!-- ") == nil)
    #expect(ChartLibrary(String(repeating: "Dygraph", count: 200_000)) == nil)
    #expect(
      ChartLibrary("Dygraph\n//# sourceMappingURL=dygraph.min.js.map")?.script == "Dygraph")
  }
}
