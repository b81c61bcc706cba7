// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Testing

@testable import Reporting

/// The pages of a run of more patterns than one page shows.
struct SplitReportTests {
  private static func sample(_ count: Int) -> SampleRecord {
    var many = SampleRecord()
    many.names = (1...count).map { "pattern \($0)" }
    return many
  }

  private static let library = ChartLibrary("/* Dygraph */")

  private static func pages(_ count: Int, charts: ChartLibrary? = library) -> [String: String] {
    let sample = sample(count)
    let pages = HTMLReport.pages(
      record: sample.make(), figures: sample.figures(columns: 100), charts: charts)
    return Dictionary(uniqueKeysWithValues: pages.map { ($0.name, $0.text) })
  }

  @Test func `a run of as many patterns as a page shows has one page`() {
    let sample = Self.sample(HTMLPage.mostTogether)
    let record = sample.make()
    let pages = HTMLReport.pages(record: record, figures: [], charts: Self.library)
    #expect(pages.map(\.name) == ["report.html"])
    #expect(pages[0].text == HTMLReport.text(record: record, figures: [], charts: Self.library))
  }

  @Test func `one pattern more, and each has its own page, and the charts' script is there once`()
    throws
  {
    let count = HTMLPage.mostTogether + 1
    let pages = Self.pages(count)
    #expect(pages.count == count + 2)
    #expect(pages[HTMLReport.chartsFile] == Self.library?.script)
    let main = try #require(pages["report.html"])
    #expect(!main.contains("class=\"take\"") && !main.contains("/* Dygraph */"))
    #expect(main.contains("in the folder report beside this page"))
    for number in [1, 57, count] {
      let page = try #require(pages["report/pattern-\(number).html"])
      #expect(page.contains("<title>pattern \(number): "))
      #expect(page.contains("<script src=\"charts.js\"></script>"))
      #expect(page.contains("<figure class=\"take\""))
      #expect(page.contains("Readings of pattern \(number)<"))
      #expect(!page.contains("Readings of pattern \(number % count + 1)<"))
    }
    let page = try #require(pages["report/pattern-1.html"])
    let whole = HTMLReport.page(Array(page.utf8), holding: try #require(Self.library))
    let script = "<script>\(try #require(Self.library).script)</script>"
    #expect(
      String(decoding: whole, as: UTF8.self)
        == page.replacing("<script src=\"charts.js\"></script>", with: script))
    #expect(HTMLReport.page(whole, holding: try #require(Self.library)) == whole)
    // Without a library nothing is asked for.
    let still = Self.pages(count, charts: nil)
    #expect(still[HTMLReport.chartsFile] == nil)
    #expect(!still.values.contains { $0.contains("src=\"") })
  }

  @Test func `every link of every page leads to a page or a mark that is there`() throws {
    let pages = Self.pages(HTMLPage.mostTogether + 3)
    var marks: [String: Set<String>] = [:]
    var links: [(page: String, target: String)] = []
    for (name, text) in pages where name.hasSuffix(".html") {
      let elements = try Element.all(in: text)
      // Events of charts are marked by their pictures.
      marks[name] = Set(elements.compactMap { $0.attributes["id"] })
      links += elements.compactMap { $0.attributes["href"] }.map { (name, $0) }
    }
    #expect(links.count > 3 * pages.count)
    for (page, target) in links {
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let isBelow = page.hasPrefix("report/")
      let file =
        switch String(parts[0]) {
        case "": page
        case let path where path.hasPrefix("../"): String(path.dropFirst(3))
        case let path: isBelow ? "report/\(path)" : path
        }
      // Recordings and pictures are no pages.
      guard !target.hasPrefix("data:"),
        !file.hasPrefix("recordings/") && !file.hasPrefix("./recordings/")
      else { continue }
      let known = try #require(marks[file], "\(target) of \(page)")
      guard parts.count > 1, !parts[1].contains("-event-") else { continue }
      #expect(known.contains(String(parts[1])), "\(target) of \(page)")
    }
  }

  @Test func `an event's place for programs is on its pattern's page`() throws {
    let record = Self.sample(HTMLPage.mostTogether + 1).make()
    let summary = RunJSON.summary(of: record)
    let worst = try #require(summary["worst"]?.elements?.first)
    let place = try #require(worst["place"]?.string)
    #expect(place.hasPrefix("report/pattern-") && place.contains(".html#pattern-"), "\(place)")
  }
}
