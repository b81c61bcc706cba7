// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

@testable import Reporting

@Suite struct OverviewTests {
  private let sample = SampleRecord()

  private func page(_ record: RunRecord, figures: [TakeFigure] = []) -> String {
    HTMLReport.text(record: record, figures: figures)
  }

  @Test func `a page opens with what was wanted and felt of every pattern`() throws {
    let record = sample.make()
    let elements = try Element.all(in: page(record, figures: sample.figures()))
    let strips = elements.filter { $0.attributes["class"] == "figure strip" }
    #expect(strips.count == record.patterns.count)
    let links = elements.filter { $0.name == "a" && $0.ancestors.last == "figcaption" }
    #expect(links.map(\.text) == record.patterns.map(\.name))
    #expect(links.map { $0.attributes["href"] } == (1...8).map { "#pattern-\($0)" })
    #expect(try !Element.all(in: page(record)).contains { $0.attributes["class"] == "overview" })
  }

  @Test
  func `of many patterns a screen shows two dozen, the failed before all, and paper the rest`()
    throws
  {
    var many = SampleRecord()
    many.names = (1...40).map { "pattern \($0)" }
    var record = many.make()
    for index in record.patterns.indices { record.patterns[index].verdict = .pass }
    record.patterns[36].verdict = .fail
    let elements = try Element.all(in: page(record, figures: many.figures()))
    let pictures = elements.filter { $0.name == "figure" && $0.ancestors.last == "div" }
    let onScreen = pictures.prefix(40).enumerated().filter { $0.element.attributes["class"] == nil }
    #expect(onScreen.map(\.offset) == Array(0..<23) + [36])
  }

  @Test func `each term leads to its meaning, and each reading to its own`() throws {
    let elements = try Element.all(in: page(sample.make()))
    let terms = elements.filter { $0.attributes["class"] == "term" }
    #expect(terms.map(\.text).contains("Sharpness 0 to 1 is"))
    #expect(terms.map(\.text).contains("Latency, ms"))
    for term in terms { #expect(term.attributes["title"]?.isEmpty == false, "\(term.text)") }
    let names = elements.filter { $0.name == "dt" }.map(\.text)
    #expect(names.contains("noise at restnoise.floor"))
  }
}
