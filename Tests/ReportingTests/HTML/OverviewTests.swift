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

  @Test func `the picture of a run has what its page opens with, the failed before all`() throws {
    var many = SampleRecord()
    many.names = (1...30).map { "<pattern> & \($0)" }
    var record = many.make()
    for index in record.patterns.indices { record.patterns[index].verdict = .pass }
    record.patterns[28].verdict = .fail
    let picture = try #require(HTMLReport.picture(record: record, figures: many.figures()))
    let elements = try Element.all(in: picture)
    #expect(elements.first?.attributes["xmlns"] == "http://www.w3.org/2000/svg")
    func texts(_ style: String) -> [String] {
      elements.filter { $0.name == "text" && $0.attributes["class"] == style }.map(\.text)
    }
    #expect(texts("name") == (Array(1...23) + [29]).map { "&lt;pattern&gt; &amp; \($0)" })
    #expect(texts("fail").contains("fail") && texts("pass").count >= 23)
    #expect(picture.contains(">24 of 30 patterns, those that failed first.<"))
    // The curves are those of the page.
    let page = try Element.all(in: page(record, figures: many.figures()))
    func curves(_ elements: [Element]) -> Set<String> {
      Set(
        elements.filter { $0.name == "path" && $0.attributes["class"] == "curve trace-measured" }
          .compactMap { $0.attributes["d"] })
    }
    #expect(!curves(elements).isEmpty && curves(elements).isSubset(of: curves(page)))
  }

  @Test(arguments: [1, 3, 4, 24])
  func `no part of the picture stands outside of it or over another`(count: Int) throws {
    var sample = SampleRecord()
    sample.names = (1...count).map { "pattern \($0)" }
    let picture = try #require(
      HTMLReport.picture(record: sample.make(), figures: sample.figures()))
    let boxes = try Element.all(in: picture).filter { $0.name == "svg" }.map { element in
      try ["x", "y", "width", "height"].map { key in
        let value = element.attributes[key]
        return key.count == 1 && value == nil ? 0 : try #require(value.flatMap(Double.init))
      }
    }
    let (whole, parts) = (boxes[0], boxes.dropFirst())
    #expect(parts.count == count)
    for part in parts {
      #expect(part[0] >= 0 && part[0] + part[2] <= whole[2])
      #expect(part[1] >= 0 && part[1] + part[3] <= whole[3])
      for other in parts where other != part {
        #expect(abs(part[0] - other[0]) >= part[2] || abs(part[1] - other[1]) >= part[3] + 20)
      }
    }
  }

  @Test func `the picture needs nothing, not even variables of a style sheet, and is repeatable`()
    throws
  {
    let (record, figures) = (sample.make(), sample.figures())
    let picture = try #require(HTMLReport.picture(record: record, figures: figures))
    #expect(!picture.contains("var(") && !picture.contains("url(") && !picture.contains("href"))
    #expect(HTMLReport.picture(record: record, figures: figures.reversed()) == picture)
    #expect(HTMLReport.picture(record: record, figures: []) == nil)
  }

  @Test(.enabled(if: Python.isAvailable, "needs Python's reader of XML"))
  func `the picture is XML`() throws {
    var sample = sample
    sample.names[0] = "\u{1}a]]>&<\"'"
    let picture = try #require(
      HTMLReport.picture(record: sample.make(), figures: sample.figures()))
    let read = try Python.run(
      "import sys, xml.dom.minidom as m; print(len(m.parse(sys.stdin.buffer).getElementsByTagName('svg')))",
      input: picture)
    #expect(read == "9\n")
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
